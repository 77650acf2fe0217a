// to_minhash_values and to_minhash: the min-hash sketch of a document's set of features, as an array of minima and as one
// bit of each.
#include "pg/features/minhash_value.hpp"
#include "pg/features/read_features.hpp"

namespace simhash
{

namespace
{

using CountFeatures = void (*)(FunctionCallInfo, CountedFeatures *);

void count_default(FunctionCallInfo fcinfo, CountedFeatures *out)
{
    count_text(fcinfo, 0, kDefaultShingles, out);
}
void count_shingles(FunctionCallInfo fcinfo, CountedFeatures *out)
{
    count_text(fcinfo, 0, shingle_arguments(fcinfo, 1), out);
}
void count_features(FunctionCallInfo fcinfo, CountedFeatures *out) { count_text_array(fcinfo, 0, out); }
void count_numbers(FunctionCallInfo fcinfo, CountedFeatures *out) { count_bigint_array(fcinfo, 0, out); }
void count_lexemes(FunctionCallInfo fcinfo, CountedFeatures *out) { count_tsvector(fcinfo, 0, out); }

void sketch_features(const FeatureCounts &counts, MinhashSketch *sketch)
{
    std::uint64_t hashes[4096];
    std::size_t used = 0;
    for (std::size_t i = 0; i < counts.capacity(); i++) {
        if (counts.slots()[i].count > 0)
            hashes[used++] = counts.slots()[i].hash;
        if (used == lengthof(hashes) || i + 1 == counts.capacity()) {
            CHECK_FOR_INTERRUPTS();
            sketch->add(hashes, used);
            used = 0;
        }
    }
}

// Computes the sketch of the size given by the last argument. Returns false if there are no features: otherwise all empty
// documents would be duplicates of each other.
bool compute_minima(FunctionCallInfo fcinfo, CountFeatures count, Minima *minima)
{
    *minima = allocate_minima(checked_minhash_size(PG_GETARG_INT32(PG_NARGS() - 1)), CurrentMemoryContext);
    MinhashSketch sketch;
    sketch.init(minima->values, minima->size);
    CountedFeatures counted;
    count(fcinfo, &counted);
    sketch_features(counted.counts(), &sketch);
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

SIMHASH_FUNCTION(to_minhash_values_text)
{
    return return_minima(fcinfo, count_default);
}
SIMHASH_FUNCTION(to_minhash_values_shingles)
{
    return return_minima(fcinfo, count_shingles);
}
SIMHASH_FUNCTION(to_minhash_values_array)
{
    return return_minima(fcinfo, count_features);
}
SIMHASH_FUNCTION(to_minhash_values_numbers)
{
    return return_minima(fcinfo, count_numbers);
}
SIMHASH_FUNCTION(to_minhash_values_tsvector)
{
    return return_minima(fcinfo, count_lexemes);
}

SIMHASH_FUNCTION(to_minhash_text)
{
    return return_bits(fcinfo, count_default);
}
SIMHASH_FUNCTION(to_minhash_shingles)
{
    return return_bits(fcinfo, count_shingles);
}
SIMHASH_FUNCTION(to_minhash_array)
{
    return return_bits(fcinfo, count_features);
}
SIMHASH_FUNCTION(to_minhash_numbers)
{
    return return_bits(fcinfo, count_numbers);
}
SIMHASH_FUNCTION(to_minhash_tsvector)
{
    return return_bits(fcinfo, count_lexemes);
}

} // namespace simhash
