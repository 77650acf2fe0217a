-- Pairs within 3 bits in PostgreSQL from version 14 on, without the extension. page has the columns (id bigint, h bigint).
CREATE TABLE routed AS
SELECT id, h, n * 65536 + ((h >> (48 - 16 * n)) & 65535) AS block FROM page CROSS JOIN generate_series(0, 3) AS s(n);

-- A pair belongs to the first block in which its rows do not differ.
SELECT x.id AS a, y.id AS b, bit_count((x.h # y.h)::bit(64)) AS distance
FROM routed x JOIN routed y ON x.block = y.block AND x.id < y.id
WHERE bit_count((x.h # y.h)::bit(64)) <= 3
  AND x.block >> 16 = CASE WHEN ((x.h # y.h) >> 48) & 65535 = 0 THEN 0 WHEN ((x.h # y.h) >> 32) & 65535 = 0 THEN 1
                           WHEN ((x.h # y.h) >> 16) & 65535 = 0 THEN 2 ELSE 3 END;
