-- Pairs within 3 bits in DuckDB. page has the columns (id bigint, h bigint).
CREATE TABLE routed AS
SELECT id, h, n * 65536 + ((h >> (48 - 16 * n)) & 65535) AS block FROM page CROSS JOIN range(4) AS s(n);

-- A pair belongs to the first block in which its rows do not differ.
SELECT x.id AS a, y.id AS b, bit_count(xor(x.h, y.h)) AS distance
FROM routed x JOIN routed y ON x.block = y.block AND x.id < y.id
WHERE bit_count(xor(x.h, y.h)) <= 3
  AND x.block >> 16 = CASE WHEN (xor(x.h, y.h) >> 48) & 65535 = 0 THEN 0 WHEN (xor(x.h, y.h) >> 32) & 65535 = 0 THEN 1
                           WHEN (xor(x.h, y.h) >> 16) & 65535 = 0 THEN 2 ELSE 3 END;
