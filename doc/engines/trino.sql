-- Not run by a test. Pairs within 3 bits in Trino, by its documentation. page has the columns (id bigint, h bigint).
CREATE TABLE routed AS
SELECT id, h, n * 65536 + bitwise_and(bitwise_right_shift(h, CAST(48 - 16 * n AS integer)), 65535) AS block
FROM page CROSS JOIN UNNEST(sequence(0, 3)) AS s(n);

-- A pair belongs to the first block in which its rows do not differ.
SELECT x.id AS a, y.id AS b, bit_count(bitwise_xor(x.h, y.h), 64) AS distance
FROM routed x JOIN routed y ON x.block = y.block AND x.id < y.id
WHERE bit_count(bitwise_xor(x.h, y.h), 64) <= 3
  AND bitwise_right_shift(x.block, 16) = CASE
      WHEN bitwise_and(bitwise_right_shift(bitwise_xor(x.h, y.h), 48), 65535) = 0 THEN 0
      WHEN bitwise_and(bitwise_right_shift(bitwise_xor(x.h, y.h), 32), 65535) = 0 THEN 1
      WHEN bitwise_and(bitwise_right_shift(bitwise_xor(x.h, y.h), 16), 65535) = 0 THEN 2 ELSE 3 END;
