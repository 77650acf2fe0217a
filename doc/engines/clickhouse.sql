-- Pairs within 3 bits in ClickHouse. page has the columns (id Int64, h Int64).
CREATE TABLE routed ENGINE = MergeTree ORDER BY block AS
SELECT id, h, n * 65536 + bitAnd(bitShiftRight(h, 48 - 16 * n), 65535) AS block FROM page ARRAY JOIN [0, 1, 2, 3] AS n;

-- A pair belongs to the first block in which its rows do not differ.
SELECT x.id AS a, y.id AS b, bitCount(bitXor(x.h, y.h)) AS distance
FROM routed x JOIN routed y ON x.block = y.block
WHERE x.id < y.id AND bitCount(bitXor(x.h, y.h)) <= 3
  AND bitShiftRight(x.block, 16) = multiIf(bitAnd(bitShiftRight(bitXor(x.h, y.h), 48), 65535) = 0, 0,
                                           bitAnd(bitShiftRight(bitXor(x.h, y.h), 32), 65535) = 0, 1,
                                           bitAnd(bitShiftRight(bitXor(x.h, y.h), 16), 65535) = 0, 2, 3);
