// simhash_index_designs(distance): the tree designs that an index on fingerprints can have.
#include "core/layout/tree_design.hpp"
#include "pg/server/result_rows.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
}

namespace simhash
{

namespace
{

Datum integers(Datum *value, int count)
{
    return PointerGetDatum(construct_array(value, count, INT4OID, 4, true, TYPALIGN_INT));
}

Datum texts(Datum *value, int count)
{
    return PointerGetDatum(construct_array(value, count, TEXTOID, -1, false, TYPALIGN_INT));
}

// The number of blocks of each region, and how many of them it spares.
Datum regions(const TreeDesign &design)
{
    Datum region[kMaxBlocks];
    for (int i = 0; i < design.regions; i++)
        region[i] = CStringGetTextDatum(psprintf("%d/%d", design.region[i].blocks, design.region[i].spared));
    return texts(region, design.regions);
}

Datum block_bits(const TreeDesign &design)
{
    Datum bits[kMaxBlocks];
    for (int i = 0; i < design.blocks; i++)
        bits[i] = Int32GetDatum(design.width[i]);
    return integers(bits, design.blocks);
}

Datum header_bits(const TreeDesign &design)
{
    Datum bits[kMaxTrees];
    for (int i = 0; i < design.trees; i++)
        bits[i] = Int32GetDatum(design.tree[i].header_bits);
    return integers(bits, design.trees);
}

// The blocks of each tree in its order, with a bar behind the header. Block A has the highest bits.
Datum block_order(const TreeDesign &design)
{
    Datum order[kMaxTrees];
    for (int i = 0; i < design.trees; i++) {
        const DesignTree &tree = design.tree[i];
        char text[kMaxBlocks + 2];
        char *at = text;
        for (int block = 0; block < design.blocks; block++) {
            if (block == tree.header_blocks)
                *at++ = '|';
            *at++ = static_cast<char>('A' + tree.order[block]);
        }
        *at = '\0';
        order[i] = CStringGetTextDatum(text);
    }
    return texts(order, design.trees);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_designs)
{
    using namespace simhash;
    int distance = PG_GETARG_INT32(0);
    if (distance < kMinDistance || distance > kMaxDistance)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("design_radius %d is out of range", distance),
                errhint("It is the index option \"design_radius\": %d to %d.", kMinDistance, kMaxDistance));
    const ResultRows rows = begin_rows(fcinfo);
    for (int trees = 1; trees <= kMaxTrees; trees++) {
        CHECK_FOR_INTERRUPTS();
        TreeDesign design;
        if (!make_design(distance, trees, &design))
            continue;
        Datum values[5] = {Int32GetDatum(trees), regions(design), block_bits(design), header_bits(design),
                           block_order(design)};
        rows.put(values);
    }
    PG_RETURN_NULL();
}
