-- Included by the others: :rows rows, of which a fifth are copies of an earlier one with up to five bits flipped.
CREATE FUNCTION flip(h simhash, n integer, bits integer) RETURNS simhash LANGUAGE sql IMMUTABLE AS
    $$ SELECT (h::bigint # coalesce(bit_or(1::bigint << (abs(hashint8extended(n, i)) % 64)::integer), 0))::simhash
       FROM generate_series(1, bits) i $$;

CREATE TABLE page (id integer, h simhash);
INSERT INTO page SELECT i, hashint8extended(i, 1)::simhash FROM generate_series(1, :rows * 4 / 5) i;
INSERT INTO page SELECT :rows * 4 / 5 + id, flip(h, id, id % 6) FROM page WHERE id <= :rows / 5;
