// simhash_blocks and simhash_first_block: routes rows to shards or partitions so that near-duplicates meet.
#include "pg/report/block_designs.hpp"

#include "pg/features/array_elements.hpp"

namespace simhash
{

namespace
{

// The block values of the last design. Making one can take a millisecond, so it is kept for the session, not
// only for a call site.
struct LastDesign {
    int distance, trees;
    BlockValues values;
};
LastDesign last_design;

[[noreturn]] void no_blocks(int distance, int trees)
{
    ereport(
        ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
        errmsg("there are no blocks with trees = %d for radius = %d", trees, distance),
        errhint("Use one of the designs in simhash_index_designs(%d) with at least %d trees, or 0 for %d.",
                distance, distance + 1, default_trees(distance)));
}

} // namespace

const BlockValues &block_values(int distance, int trees)
{
    if (distance < kMinDistance || distance > kMaxDistance)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("radius %d is out of range", distance),
                errdetail("There are blocks for radii from %d to %d.", kMinDistance, kMaxDistance));
    if (trees == 0)
        trees = default_trees(distance);
    if (last_design.distance != distance || last_design.trees != trees) {
        TreeDesign design;
        last_design.distance = 0;
        if (!make_design(distance, trees, &design) || !last_design.values.set(design))
            no_blocks(distance, trees);
        last_design.distance = distance;
        last_design.trees = trees;
    }
    return last_design.values;
}

// simhash_blocks(simhash, distance integer, trees integer) -> bigint[]: one value for each tree.
SIMHASH_FUNCTION(simhash_blocks)
{
    const Fingerprint fingerprint = PG_GETARG_FINGERPRINT(0);
    const BlockValues &values = block_values(PG_GETARG_INT32(1), PG_GETARG_INT32(2));
    std::uint64_t out[kMaxTrees];

    for (int tree = 0; tree < values.trees(); tree++)
        out[tree] = values.value(tree, fingerprint);
    return bigint_array_datum(out, values.trees());
}

// simhash_first_block(simhash, simhash, distance integer, trees integer) -> bigint: the first value that both
// have. Null if they are further apart than the distance.
SIMHASH_FUNCTION(simhash_first_block)
{
    const Fingerprint a = PG_GETARG_FINGERPRINT(0), b = PG_GETARG_FINGERPRINT(1);
    const BlockValues &values = block_values(PG_GETARG_INT32(2), PG_GETARG_INT32(3));

    if (hamming_distance(a, b) > values.distance())
        PG_RETURN_NULL();
    PG_RETURN_INT64(static_cast<std::int64_t>(values.value(values.first_common(a, b), a)));
}

} // namespace simhash
