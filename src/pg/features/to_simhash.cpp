// to_simhash, to_simhash_weights, to_signature and to_signature_weights: the fingerprint or the signature of a
// document's features, and the sums whose signs it consists of.
#include "pg/features/read_features.hpp"
#include "pg/features/signature_value.hpp"
#include "pg/types/weights_type.hpp"

namespace simhash
{

namespace
{

// Sums the votes of counted features, each with the weight 1 + ln tf.
template <CountFeatures count> bool sum_counted(FunctionCallInfo fcinfo, SignatureSums out)
{
    CountedFeatures counted;
    count(fcinfo, 0, &counted);
    return counted.finish(out);
}

bool sum_vector(FunctionCallInfo fcinfo, SignatureSums out)
{
    constexpr std::size_t kPiece = 65536;
    FeatureVector features = vector_value(fcinfo, 0);
    clear_sums(out);
    const bool small = features.weighted() && small_weights(features);
    for (std::size_t from = 0; from < features.size(); from += kPiece) {
        CHECK_FOR_INTERRUPTS();
        if (!add_features(features, from, std::min(features.size(), from + kPiece), small, out))
            report_weights_overflow();
    }
    return features.size() > 0;
}

} // namespace

// For each kind of argument, one function returns the fingerprint and another the weights whose signs it consists of.
#define TO_SIMHASH(kind, sum)                                                                                \
    SIMHASH_FUNCTION(simhash_to_simhash_##kind)                                                              \
    {                                                                                                        \
        return return_fingerprint(fcinfo, sum);                                                              \
    }                                                                                                        \
    SIMHASH_FUNCTION(simhash_to_simhash_weights_##kind)                                                      \
    {                                                                                                        \
        return return_weights(fcinfo, sum);                                                                  \
    }                                                                                                        \
    SIMHASH_FUNCTION(simhash_to_signature_##kind)                                                            \
    {                                                                                                        \
        return return_sums(fcinfo, sum, PG_GETARG_INT32(PG_NARGS() - 1), signature_datum);                   \
    }

TO_SIMHASH(text, sum_counted<count_default>)
TO_SIMHASH(shingles, sum_counted<count_shingles>)
TO_SIMHASH(vector, sum_vector)

SIMHASH_FUNCTION(simhash_to_signature_weights_vector)
{
    return return_sums(fcinfo, sum_vector, PG_GETARG_INT32(1), sums_datum);
}

} // namespace simhash
