// to_minhash_values and to_minhash: the min-hash sketch of a document's set of features, as an array of minima and as
// one bit of each.
#include "pg/features/minhash_value.hpp"
#include "pg/features/read_features.hpp"

namespace simhash
{

namespace
{

using ReadSketch = void (*)(FunctionCallInfo, MinhashSketch *);

template <CountFeatures count> void sketch_counted(FunctionCallInfo fcinfo, MinhashSketch *sketch)
{
    CountedFeatures counted;
    count(fcinfo, 0, &counted);
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
    counted.release();
}

void sketch_vector(FunctionCallInfo fcinfo, MinhashSketch *sketch)
{
    FeatureVector features = vector_value(fcinfo, 0);
    std::uint64_t hashes[4096];
    for (std::size_t from = 0; from < features.size(); from += lengthof(hashes)) {
        CHECK_FOR_INTERRUPTS();
        std::size_t count = std::min(features.size() - from, lengthof(hashes));
        features.copy_hashes(from, count, hashes);
        sketch->add(hashes, count);
    }
}

// Returns result(minima) of the sketch of the size given by the last argument, and NULL if there are no features: otherwise
// all empty documents would be duplicates of each other.
Datum return_sketch(FunctionCallInfo fcinfo, ReadSketch read, Datum (*result)(Minima))
{
    Minima minima =
        allocate_minima(checked_minhash_size(PG_GETARG_INT32(PG_NARGS() - 1)), CurrentMemoryContext);
    MinhashSketch sketch;
    sketch.init(minima.values, minima.size);
    read(fcinfo, &sketch);
    if (sketch.empty())
        PG_RETURN_NULL();
    return result(minima);
}

} // namespace

SIMHASH_FUNCTION(simhash_to_minhash_text)
{
    return return_sketch(fcinfo, sketch_counted<count_default>, minhash_bits_datum);
}
SIMHASH_FUNCTION(simhash_to_minhash_shingles)
{
    return return_sketch(fcinfo, sketch_counted<count_shingles>, minhash_bits_datum);
}
SIMHASH_FUNCTION(simhash_to_minhash_vector)
{
    return return_sketch(fcinfo, sketch_vector, minhash_bits_datum);
}
SIMHASH_FUNCTION(simhash_to_minhash_values_vector)
{
    return return_sketch(fcinfo, sketch_vector, minima_datum);
}

} // namespace simhash
