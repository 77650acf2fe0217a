// All pairs of near-duplicates: the search that joins pull and simhash_pair_sample finishes.
//
// Both sides are of one kind and of values of one length; the kind joins them (IndexKind::join). The memory of a join
// is freed as a whole, also after an error.
#include "am/index/kind.hpp"
#include "am/pairs/pair_output.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace simhash
{

namespace
{

// Raises an error unless both indexes are of one kind, with values of the same length.
void check_parts(const PairPart &x, const PairPart &y)
{
    const char *x_name = RelationGetRelationName(x.index), *y_name = RelationGetRelationName(y.index);
    if (x.index.meta->kind != y.index.meta->kind)
        ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("cannot join indexes of different kinds"),
                errdetail("Index \"%s\" is on %s, and index \"%s\" on %s.", x_name, x.index.meta->kind->typed,
                          y_name, y.index.meta->kind->typed));
    if (x.index.meta->bits != y.index.meta->bits)
        ereport(ERROR, errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
                errmsg("cannot join %s of different lengths", x.index.meta->kind->values),
                errdetail("Index \"%s\" holds %s of %d bits, and index \"%s\" of %d bits.", x_name,
                          x.index.meta->kind->values, x.index.meta->bits, y_name, y.index.meta->bits));
}

// Checks all parts. Returns false if one side has none, and so no pairs.
bool check_sides(const PairOutput &output)
{
    for (int i = 0; i < output.sides; i++) {
        if (output.side[i].parts == 0)
            return false;
    }
    for (int i = 0; i < output.sides; i++) {
        for (int j = 0; j < output.side[i].parts; j++)
            check_parts(output.side[0].part[0], output.side[i].part[j]);
    }
    return true;
}

} // namespace

PairWork *begin_pairs(PairOutput *output, int distance, const void *plan)
{
    if (!check_sides(*output) || distance < 0)
        return nullptr;
    for (int i = 0; i < output->sides; i++) {
        for (int j = 0; j < output->side[i].parts; j++) {
            // A lock on the whole index, as scans take: every leaf is read anyway.
            PredicateLockRelation(output->side[i].part[j].index, output->snapshot);
            pgstat_count_index_scan(output->side[i].part[j].index);
        }
    }
    const IndexMeta &meta = output->side[0].meta();
    return plan != nullptr ? meta.kind->begin_join(output, plan)
                           : meta.kind->join(output, Min(distance, meta.bits));
}

PairOutput *open_pairs(const Oid *index, int indexes)
{
    auto *output = static_cast<PairOutput *>(palloc0(sizeof(PairOutput)));
    output->snapshot = GetActiveSnapshot();
    output->sides = indexes;
    for (int i = 0; i < indexes; i++)
        open_side(index[i], &output->side[i]);
    return output;
}

void find_open_pairs(PairOutput *output, int distance, PairsWanted wanted, PairSink sink)
{
    PairOutput again = {};
    again.snapshot = output->snapshot;
    again.sides = output->sides;
    std::copy(output->side, output->side + output->sides, again.side);
    again.wanted = wanted;
    again.sink = sink;
    *output = again;
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash join", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    PairWork *work = begin_pairs(output, distance);
    if (work != nullptr)
        finish_work(work);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
}

void close_pairs(PairOutput *output)
{
    for (int i = 0; i < output->sides; i++)
        close_side(output->side[i]);
    pfree(output);
}

} // namespace simhash
