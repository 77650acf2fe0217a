// to_minhash_values and to_minhash: the min-hash sketch of a document's set of features, as an array of minima and as
// one bit of each.
#include "pg/input/read_features.hpp"
#include "pg/minhash/minhash_value.hpp"

namespace simhash
{

namespace
{

void sketch_features(const CountedFeatures &counted, MinhashSketch *sketch)
{
    std::uint64_t hashes[4096];
    std::size_t used = 0;
    auto flush = [&] {
        sketch->add(hashes, used);
        used = 0;
    };
    counted.in_pieces([&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; i++) {
            if (counted.counts().slots()[i].count == 0)
                continue;
            hashes[used++] = counted.counts().slots()[i].hash;
            if (used == lengthof(hashes))
                flush();
        }
    });
    flush();
}

// Computes the sketch of the size given by the last argument. Returns false if there are no features: otherwise all
// empty documents would be duplicates of each other.
bool compute_minima(FunctionCallInfo fcinfo, CountFeatures count, Minima *minima)
{
    *minima = allocate_minima(checked_minhash_size(PG_GETARG_INT32(PG_NARGS() - 1)), CurrentMemoryContext);
    MinhashSketch sketch;
    sketch.init(minima->values, minima->size);
    CountedFeatures counted;
    count(fcinfo, 0, &counted);
    sketch_features(counted, &sketch);
    counted.release();
    return !sketch.empty();
}

Datum return_minima(FunctionCallInfo fcinfo, CountFeatures count)
{
    Minima minima;
    if (!compute_minima(fcinfo, count, &minima))
        PG_RETURN_NULL();
    return minima_datum(minima);
}

Datum return_bits(FunctionCallInfo fcinfo, CountFeatures count)
{
    Minima minima;
    if (!compute_minima(fcinfo, count, &minima))
        PG_RETURN_NULL();
    return minhash_bits_datum(minima);
}

} // namespace

// For each kind of argument, one function returns the minima and another a bit of each.
#define TO_MINHASH(kind, count)                                                                              \
    SIMHASH_FUNCTION(to_minhash_values_##kind)                                                               \
    {                                                                                                        \
        return return_minima(fcinfo, count);                                                                 \
    }                                                                                                        \
    SIMHASH_FUNCTION(to_minhash_##kind)                                                                      \
    {                                                                                                        \
        return return_bits(fcinfo, count);                                                                   \
    }

TO_MINHASH(text, count_default)
TO_MINHASH(shingles, count_shingles)
TO_MINHASH(array, count_text_array)
TO_MINHASH(numbers, count_numbers)
TO_MINHASH(tsvector, count_tsvector)

} // namespace simhash
