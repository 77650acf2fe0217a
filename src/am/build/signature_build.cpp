// CREATE INDEX on signatures. The layout of the keys is chosen from a sample, which is read before the table is
// scanned: so the scan can write the store at once. Then each tree is written from the store.
#include "am/build/signature_build.hpp"
#include "am/build/build.hpp"
#include "am/build/tree_writer.hpp"
#include "am/store/store_writer.hpp"
#include "am/tree/failpoint.hpp"

extern "C" {
#include "access/tableam.h"
#include "catalog/pg_type.h"
#include "commands/progress.h"
#include "pgstat.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// The sample consists of all rows of small ranges of blocks, evenly spread over the table.
constexpr BlockNumber kSampleRanges = 128;

struct LayoutSample {
    const IndexMeta *meta; // only the number of bits is known
    Relation index;
    int rows;
    int wanted; // rows until the end of the present range
    std::uint8_t *row;
};

// The number of bits of the indexed column or expression.
int indexed_bits(Relation index)
{
    const FormData_pg_attribute *column = TupleDescAttr(RelationGetDescr(index), 0);
    int bits = column->atttypmod;
    if (column->atttypid != BITOID || bits < 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("the indexed signatures do not have a fixed length"),
                errhint("Declare the column as bit(n), or cast the expression to bit(n)."));
    if (bits <= kBits)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("cannot create a simhash index on signatures of %d bits", bits),
                errdetail("Signatures have %d to %d bits.", kFewestSignatureBits, kMostSignatureBits),
                errhint("Cast the column to bit(64) and to simhash, and index that."));
    if (bits > kMostSignatureBits)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("cannot create a simhash index on signatures of %d bits", bits),
                errdetail("Signatures have %d to %d bits.", kFewestSignatureBits, kMostSignatureBits));
    return bits;
}

// The number of tables. The metapage lists the bits of each one's keys.
int tables_that_fit(const IndexOptions &options, int bits)
{
    int tables = signature_tables(options, bits),
        most = most_signature_tables(default_key_words(bits), BLCKSZ);
    if (tables > most)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("tables = %d is too large for an index on signatures of %d bits", tables, bits),
                errdetail("With pages of %d bytes, such an index can have %d tables.", BLCKSZ, most));
    return tables;
}

SignatureMetaData make_signature_meta(Relation index, const LayoutSample &sample)
{
    IndexOptions options = index_options(index);
    int bits = sample.meta->layout.bits;
    SignatureMetaData data;
    std::memset(&data, 0, sizeof(data));
    data.magic = kMagic;
    data.version = kSignatureVersion;
    data.fillfactor = static_cast<std::uint8_t>(options.fillfactor);
    auto *columns =
        static_cast<std::uint64_t *>(palloc(sizeof(std::uint64_t) * kColumnWords * static_cast<Size>(bits)));
    choose_layout(bits, tables_that_fit(options, bits), default_key_words(bits), sample.row,
                  static_cast<Size>(sample.meta->layout.bytes()), sample.rows, columns, &data.layout);
    pfree(columns);
    data.map = root_block(data.layout.tables) + 1;
    return data;
}

void sample_row(Relation, ItemPointer, Datum *values, bool *isnull, bool, void *context)
{
    auto *sample = static_cast<LayoutSample *>(context);
    if (isnull[0] || sample->rows >= sample->wanted)
        return;
    Size bytes = static_cast<Size>(sample->meta->layout.bytes());
    std::memcpy(sample->row + bytes * static_cast<Size>(sample->rows++),
                indexed_signature(sample->index, *sample->meta, values[0]), bytes);
}

void read_sample(Relation heap, IndexInfo *info, LayoutSample *sample)
{
    BlockNumber blocks = RelationGetNumberOfBlocks(heap);
    BlockNumber ranges = Min(blocks, kSampleRanges);
    for (BlockNumber i = 0; i < ranges; i++) {
        BlockNumber from = static_cast<BlockNumber>(uint64{blocks} * i / ranges);
        BlockNumber to = static_cast<BlockNumber>(uint64{blocks} * (i + 1) / ranges);
        sample->wanted = static_cast<int>(int64{kLayoutSample} * (i + 1) / ranges);
        while (from < to && sample->rows < sample->wanted) {
            // One block after the other, since rows may be few or wide.
            table_index_build_range_scan(heap, sample->index, info, false, false, false, from, 1, sample_row,
                                         sample, nullptr);
            from++;
            CHECK_FOR_INTERRUPTS();
        }
    }
}

struct SignatureBuild {
    MemoryContext row_context; // for values that have to be detoasted
    Relation index;
    const IndexMeta *meta;
    StoreWriter *store;
    Spool<Position> *nulls;
    void *spool; // of the tree being written
    int table;
};

void build_row(Relation, ItemPointer tid, Datum *values, bool *isnull, bool, void *context)
{
    auto *build = static_cast<SignatureBuild *>(context);
    if (isnull[0]) {
        add_to_spool(build->nulls, {0, tid_of(tid).packed()});
        return;
    }
    MemoryContext caller = MemoryContextSwitchTo(build->row_context);
    const std::uint8_t *signature = indexed_signature(build->index, *build->meta, values[0]);
    MemoryContextSwitchTo(caller);
    write_to_store(build->store, signature, tid_of(tid));
    MemoryContextReset(build->row_context);
}

Position make_row(const std::uint64_t key[kMostKeyWords], std::uint64_t position, Spool<Position> *)
{
    return {key[0], position};
}
PairRow make_row(const std::uint64_t key[kMostKeyWords], std::uint64_t position, Spool<PairRow> *)
{
    return {{key[0], position}, key[1]};
}

template <typename Row> void spool_row(const std::uint8_t *signature, std::uint64_t position, void *context)
{
    auto *build = static_cast<SignatureBuild *>(context);
    auto *spool = static_cast<Spool<Row> *>(build->spool);
    std::uint64_t key[kMostKeyWords];
    signature_key(build->meta->layout, build->table, signature, key);
    add_to_spool(spool, make_row(key, position, spool));
}

template <typename Row> void write_trees(SignatureBuild *build, BuildProgress *progress)
{
    auto *writer = begin_tree<Row>(build->index, *build->meta, 1, progress, true);
    Spool<Row> spool;
    build->spool = &spool;
    for (build->table = 0; build->table < build->meta->tables(); build->table++) {
        failpoint(Failpoint::build_table);
        pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseWriteFirst + build->table);
        begin_spool(&spool, maintenance_work_mem / 8 * 7);
        scan_store(build->index, *build->meta, build->store->segments, spool_row<Row>, build);
        write_tree(writer, *build->meta, build->table, &spool);
        end_spool(&spool);
    }
    end_tree(writer);
}

void write_nulls(SignatureBuild *build, BuildProgress *progress)
{
    auto *writer = begin_tree<Position>(build->index, *build->meta, 1, progress, true);
    write_tree(writer, *build->meta, build->meta->null_table(), build->nulls);
    end_tree(writer);
}

void build_all(Relation heap, Relation index, IndexInfo *info, IndexBuildResult *result)
{
    auto *meta = static_cast<IndexMeta *>(palloc0(sizeof(IndexMeta)));
    meta->wide = true;
    meta->layout.bits = static_cast<std::uint16_t>(indexed_bits(index));

    LayoutSample sample = {meta, index, 0, 0, nullptr};
    sample.row = static_cast<std::uint8_t *>(palloc(static_cast<Size>(meta->layout.bytes()) * kLayoutSample));
    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseSample);
    read_sample(heap, info, &sample);
    SignatureMetaData data = make_signature_meta(index, sample);
    pfree(sample.row);
    use_meta_data(data, meta);
    write_first_pages(index, MAIN_FORKNUM, data);

    Spool<Position> nulls;
    begin_spool(&nulls, maintenance_work_mem / 8);
    SignatureBuild build = {
        AllocSetContextCreate(CurrentMemoryContext, "simhash build row", ALLOCSET_DEFAULT_SIZES),
        index,
        meta,
        begin_store(index, *meta),
        &nulls,
        nullptr,
        0};
    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseScan);
    result->heap_tuples = table_index_build_scan(heap, index, info, true, true, build_row, &build, nullptr);
    failpoint(Failpoint::build_scanned);
    end_store(build.store, *meta);
    result->index_tuples = static_cast<double>(build.store->rows + nulls.rows);
    pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL,
                                 static_cast<int64>(build.store->rows) * meta->tables() +
                                     static_cast<int64>(nulls.rows));
    BuildProgress progress;
    pg_atomic_init_u64(&progress.rows, 0);
    meta->layout.words == 2 ? write_trees<PairRow>(&build, &progress)
                            : write_trees<Position>(&build, &progress);
    write_nulls(&build, &progress);
    end_spool(&nulls);
}

} // namespace

IndexBuildResult *build_signatures(Relation heap, Relation index, IndexInfo *info)
{
    auto *result = static_cast<IndexBuildResult *>(palloc0(sizeof(IndexBuildResult)));
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash build", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    build_all(heap, index, info, result);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    return result;
}

void build_empty_signatures(Relation index)
{
    auto *meta = static_cast<IndexMeta *>(palloc0(sizeof(IndexMeta)));
    meta->layout.bits = static_cast<std::uint16_t>(indexed_bits(index));
    LayoutSample sample = {meta, index, 0, 0, nullptr};
    write_first_pages(index, INIT_FORKNUM, make_signature_meta(index, sample));
    pfree(meta);
}

} // namespace simhash
