// The SQL functions of the similarity that 1-bit min-hash signatures estimate. Like those of the Hamming
// distance of bit strings, they raise an error if the lengths differ, so they are not LEAKPROOF.
#include "core/features/minhash_sketch.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/signature_type.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/float.h"
}

namespace simhash
{

namespace
{

// Sets the similarity of the first two arguments. Returns false if they have no bits.
bool argument_similarity(FunctionCallInfo fcinfo, double *similarity)
{
    const SignatureView a = datum_signature(PG_GETARG_DATUM(0)), b = datum_signature(PG_GETARG_DATUM(1));
    const int distance = checked_distance(a, b);

    if (a.bits == 0)
        return false;
    *similarity = similarity_estimate(distance, a.bits);
    return true;
}

void check_bits(std::int32_t bits)
{
    if (bits < 1 || bits > kMinhashSizeMax)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of bits must be between 1 and %d", kMinhashSizeMax),
                errdetail("It is %d.", bits));
}

void check_range(const char *name, double value, double least, double most)
{
    if (!(value >= least && value <= most))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("%s must be between %g and %g", name, least, most), errdetail("It is %g.", value));
}

} // namespace

// minhash_similarity(bit, bit) -> float8: 1 - 2 h / n, from -1 to 1. Null for strings without bits.
SIMHASH_FUNCTION(simhash_minhash_similarity_of_bits)
{
    double similarity;

    if (!argument_similarity(fcinfo, &similarity))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(similarity);
}

// minhash_at_least(bit, bit, float8) -> boolean. Every number is valid. Like for float8, NaN is greater than all others.
SIMHASH_FUNCTION(simhash_minhash_at_least)
{
    double similarity;

    if (!argument_similarity(fcinfo, &similarity))
        PG_RETURN_NULL();
    PG_RETURN_BOOL(similarity >= PG_GETARG_FLOAT8(2));
}

// minhash_radius(float8, integer) -> integer: the largest distance whose similarity is at least this, or -1. The planner
// calls it for index conditions. A comparison with NaN raises no error without the index, so it raises none here.
SIMHASH_FUNCTION(simhash_minhash_radius)
{
    const std::int32_t bits = PG_GETARG_INT32(1);

    check_bits(bits);
    PG_RETURN_INT32(similarity_radius(PG_GETARG_FLOAT8(0), bits));
}

// minhash_radius(float8, integer, float8) -> integer: the radius that contains pairs of this Jaccard
// similarity with this probability.
SIMHASH_FUNCTION(simhash_minhash_radius_of_recall)
{
    const double similarity = PG_GETARG_FLOAT8(0), recall = PG_GETARG_FLOAT8(2);
    const std::int32_t bits = PG_GETARG_INT32(1);

    check_range("similarity", similarity, 0, 1);
    check_bits(bits);
    check_range("recall", recall, 0, 1);
    PG_RETURN_INT32(recall_radius(similarity, bits, recall));
}

} // namespace simhash
