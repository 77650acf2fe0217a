// simhash_block_pairs(query, distance, trees): all pairs of rows that are stored once for each of their block values,
// or for some of them, as on a shard.
//
// A pair counts where its first common value is. So rows are compared with those of the same value only, and servers
// that have different values return different pairs, without any exchange. The rows of a tree of the design are divided
// by the first bits of its header into stores that fit into memory; each store is sorted by the rest of the header and
// compared cell by cell, as in a join. The time is that of the comparisons: a value with many rows takes as long
// as their number squared, unless other bits tell the rows apart (join_cells).
#include "am/pairs/pair_read.hpp"

#include "pg/report/block_designs.hpp"
#include "pg/server/query_rows.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/server/sibling.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr int kMostStoreBits = 8; // of a header, that select a store

struct BlockJoin {
    BlockValues values; // a copy: the query may use other designs
    int store_bits;
    PairSpool *spool;
    PairJoin join;
    int tree; // whose rows are being compared
    ResultRows rows;
};

struct BlockColumns {
    Oid id, block;
};

// Raises an error unless the columns are an integer, a fingerprint and an integer.
BlockColumns find_block_columns(Oid schema, TupleDesc row)
{
    BlockColumns columns = {};
    if (row->natts == 3) {
        columns = {integer_type(row, 1), integer_type(row, 3)};
        if (OidIsValid(columns.id) && OidIsValid(columns.block) &&
            getBaseType(SPI_gettypeid(row, 2)) == find_type(schema, "simhash"))
            return columns;
    }
    ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
            errmsg("the query must return numbers, fingerprints and block values"),
            errdetail(
                "It needs a column of type smallint, integer or bigint, one of type simhash, and one of type "
                "bigint."),
            errhint("For example: SELECT id, h, block FROM page, unnest(simhash_blocks(h, 3)) AS block"));
    pg_unreachable();
}

int header_bits(const BlockValues &values, int tree) { return values.order().tree[tree].header_bits; }

void begin_stores(BlockJoin *blocks, Size bytes)
{
    int trees = blocks->values.trees(), shortest = kMostStoreBits;
    for (int tree = 0; tree < trees; tree++)
        shortest = std::min(shortest, header_bits(blocks->values, tree));
    Size stores = bytes / 2 / kStoreBytes;
    while (blocks->store_bits < shortest && static_cast<Size>(trees) << (blocks->store_bits + 1) <= stores)
        blocks->store_bits++;
    Size count = static_cast<Size>(trees) << blocks->store_bits;
    Size for_rows = bytes - std::min(bytes / 2, count * kStoreBytes);
    // The number of rows is not known: memory is taken as they come.
    blocks->spool = begin_pair_spool(for_rows, static_cast<int>(count), static_cast<double>(for_rows));
}

void add_routed_row(BlockJoin *blocks, int64 id, Fingerprint fingerprint, int64 block)
{
    const BlockValues &values = blocks->values;
    uint64 tree = values.table_of(static_cast<uint64>(block));
    if (tree >= static_cast<uint64>(values.trees()) ||
        values.value(static_cast<int>(tree), fingerprint) != static_cast<uint64>(block))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("row " INT64_FORMAT " does not have the block value " INT64_FORMAT, id, block),
                errhint("The values must be those of simhash_blocks(h, %d, %d).", values.distance(),
                        values.trees()));
    uint64 key = values.order().key(static_cast<int>(tree), fingerprint);
    uint64 part = blocks->store_bits == 0 ? 0 : key >> (kBits - blocks->store_bits);
    add_row(blocks->spool, static_cast<int>(tree << blocks->store_bits | part), fingerprint,
            static_cast<uint64>(id));
}

// Runs the query with the caller's privileges.
void read_routed_rows(BlockJoin *blocks, const char *query, Oid schema)
{
    BlockColumns columns;
    for_each_query_row(
        query, [&](TupleDesc row) { columns = find_block_columns(schema, row); },
        [&](const QueryRow &row) {
            int64 id = integer_column(row, 1, columns.id, "the number of a row");
            int64 block = integer_column(row, 3, columns.block, "a block value");
            bool null;
            Datum fingerprint = row.column(2, &null);
            if (null)
                ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("the fingerprint of a row with a block value must not be NULL"));
            add_routed_row(blocks, id, datum_fingerprint(fingerprint), block);
        });
}

void return_pair(void *context, uint64 x, uint64 y, uint64 errors)
{
    auto *blocks = static_cast<BlockJoin *>(context);
    // The header may be longer than what rows were sorted by, and a row may have been read twice.
    if (x == y || blocks->values.first_common(errors, 0) != blocks->tree)
        return;
    auto a = static_cast<int64>(x), b = static_cast<int64>(y);
    Datum values[3] = {Int64GetDatum(Min(a, b)), Int64GetDatum(Max(a, b)),
                       Int32GetDatum(std::popcount(errors))};
    blocks->rows.put(values);
}

// Rows whose headers agree: their leading bits select the store, and some more the cell.
void compare_tree(BlockJoin *blocks, PairReader *reader, Size most)
{
    const int first = blocks->tree << blocks->store_bits;
    std::uint8_t bit[kBits];
    blocks->values.order().sources(blocks->tree, bit);
    PairStep step = {};
    int low_bits = std::min(header_bits(blocks->values, blocks->tree), kMostCellBits) - blocks->store_bits;
    low_bits = std::min(low_bits, most_sort_bits(most));
    step.bits = blocks->store_bits + low_bits;
    for (int i = 0; i < step.bits; i++)
        step.mask |= Fingerprint{1} << bit[i];
    CellMap map;
    map.set(bit, step.bits);
    join_partitions(reader, {blocks->store_bits, 0, 1}, first, first, map, low_bits, step);
}

void compare_stores(BlockJoin *blocks, Size bytes)
{
    int stores = blocks->values.trees() << blocks->store_bits;
    uint64 most = 0;
    for (int store = 0; store < stores; store++)
        most = std::max(most, spooled_rows(blocks->spool, store));
    PairJoin *join = &blocks->join;
    begin_join(join, bytes, static_cast<double>(most));
    join->radius = blocks->values.distance();
    join->sink = {return_pair, blocks};
    PairReader reader = {};
    reader.join = join;
    reader.spool = blocks->spool;
    reader.within = true;
    for (blocks->tree = 0; blocks->tree < blocks->values.trees(); blocks->tree++)
        compare_tree(blocks, &reader, static_cast<Size>(std::min<uint64>(most, join->capacity)));
    end_join(join);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_block_pairs)
{
    using namespace simhash;
    const ResultRows rows = begin_rows(fcinfo);
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash block pairs", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    auto *blocks = allocate_zero<BlockJoin>();
    blocks->values = block_values(PG_GETARG_INT32(1), PG_GETARG_INT32(2));
    blocks->rows = rows;
    Size bytes = pair_memory();
    begin_stores(blocks, bytes / 2);
    read_routed_rows(blocks, text_to_cstring(PG_GETARG_TEXT_PP(0)),
                     get_func_namespace(fcinfo->flinfo->fn_oid));
    compare_stores(blocks, bytes / 2);
    end_pair_spool(blocks->spool);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    PG_RETURN_NULL();
}
