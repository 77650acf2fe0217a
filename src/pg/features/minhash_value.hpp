// Min-hash sketches as SQL values: arrays of minima, and bit strings of one bit of each.
#pragma once

#include "core/features/minhash_sketch.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

// Numbers of minima that a sketch cannot have raise 22023.
int checked_minhash_size(int size);

// Minima and their number.
struct Minima {
    std::uint64_t *values;
    int size;
};

// Memory for minima, which is not initialised.
Minima allocate_minima(int size, MemoryContext context);

// Reads a bigint[] of one dimension. Raises errors for NULL elements and for sizes that a sketch cannot have.
Minima minima_argument(FunctionCallInfo fcinfo, int argument);

// A bigint[] of the minima.
Datum minima_datum(Minima minima);

// A bit string of one bit of each minimum.
Datum minhash_bits_datum(Minima minima);

} // namespace simhash
