// CREATE INDEX: collect the rows, choose the order of the bits from a sample of them, then for each table
// sort the rows by its keys and write its tree from the leaves up, every page once and in full.
#include "am/spool.hpp"
#include "core/leaf_cut.hpp"

extern "C" {
#include "access/tableam.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// Every stride-th fingerprint; when the array is full every other one goes and the stride doubles.
struct Sample {
    static constexpr int kSize = 1 << 16;
    uint64 seen;
    uint64 stride;
    int count;
    Fingerprint fingerprint[kSize];
};

void add_to_sample(Sample *sample, Fingerprint fingerprint)
{
    if (sample->seen++ % sample->stride != 0)
        return;
    if (sample->count == Sample::kSize) {
        sample->count /= 2;
        for (int i = 0; i < sample->count; i++)
            sample->fingerprint[i] = sample->fingerprint[2 * i];
        sample->stride *= 2;
        if ((sample->seen - 1) % sample->stride != 0)
            return;
    }
    sample->fingerprint[sample->count++] = fingerprint;
}

struct BuildState {
    Spool rows;
    Spool nulls;
    Sample *sample;
};

// The lower bound and the block of a finished page, for its downlink.
struct Child {
    Position bound;
    BlockNumber block;
};

struct TreeWriter {
    Relation index;
    int table;
    BitPermutation fingerprint; // from keys back
    int fill;                   // most entries a leaf gets
    int waiting;
    Position *wait; // sorted entries that are not in a leaf yet, fill + 1 at most
    Position bound; // the lower bound of the leaf they will be in
    Size children;
    Size child_capacity;
    Child *child;
    int64 *rows_done;
};

void build_row(Relation, ItemPointer tid, Datum *values, bool *isnull, bool, void *context)
{
    auto *state = static_cast<BuildState *>(context);
    if (isnull[0]) {
        add_to_spool(&state->nulls, 0, tid_of(tid));
        return;
    }
    Fingerprint fingerprint = datum_fingerprint(values[0]);
    add_to_sample(state->sample, fingerprint);
    add_to_spool(&state->rows, fingerprint, tid_of(tid));
}

// Puts a page image into a buffer that is locked exclusively, logs it whole and releases the buffer.
void write_page(Relation index, Buffer buffer, const char *image)
{
    START_CRIT_SECTION();
    std::memcpy(buffer_page(buffer), image, BLCKSZ);
    MarkBufferDirty(buffer);
    if (RelationNeedsWAL(index))
        log_newpage_buffer(buffer, true);
    END_CRIT_SECTION();
    UnlockReleaseBuffer(buffer);
}

void write_root(Relation index, int table, const char *image)
{
    Buffer buffer = ReadBuffer(index, root_block(table));
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    write_page(index, buffer, image);
}

void add_child(TreeWriter *writer, Position bound, BlockNumber block)
{
    if (writer->children == writer->child_capacity) {
        writer->child_capacity *= 2;
        writer->child =
            static_cast<Child *>(repalloc_huge(writer->child, writer->child_capacity * sizeof(Child)));
    }
    writer->child[writer->children++] = {bound, block};
}

// Writes a page that is not the root. Only the build extends the relation, so siblings follow each other.
BlockNumber write_sibling(Relation index, char *image, const Position *high)
{
    Buffer buffer = extend_index(index);
    BlockNumber block = BufferGetBlockNumber(buffer);
    if (high != NULL) {
        PageTail *tail = page_tail(image);
        tail->high_key = high->key;
        tail->high_tid = Tid::unpack(high->tid);
        tail->right = block + 1;
    }
    write_page(index, buffer, image);
    return block;
}

// Fills a leaf image with the first `count` waiting entries.
void fill_leaf(TreeWriter *writer, char *image, int count)
{
    init_page(image, BLCKSZ, writer->table, 0);
    for (int i = 0; i < count; i++)
        leaf_add(image, writer->fingerprint(writer->wait[i].key), Tid::unpack(writer->wait[i].tid));
    *writer->rows_done += count;
    pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, *writer->rows_done);
}

void write_row(Position position, void *context)
{
    auto *writer = static_cast<TreeWriter *>(context);
    writer->wait[writer->waiting++] = position;
    if (writer->waiting <= writer->fill)
        return;

    CHECK_FOR_INTERRUPTS();
    Position high;
    int cut = choose_cut(writer->wait, writer->fill * 85 / 100, writer->fill, &high);
    PGAlignedBlock image;
    fill_leaf(writer, image.data, cut);
    add_child(writer, writer->bound, write_sibling(writer->index, image.data, &high));
    writer->bound = high;
    writer->waiting -= cut;
    std::memmove(writer->wait, writer->wait + cut, sizeof(Position) * static_cast<Size>(writer->waiting));
}

// Writes the level above the children, and makes its pages the children; true once that was the root.
bool write_inner_level(TreeWriter *writer, int level, int fillfactor)
{
    Size capacity = static_cast<Size>(inner_capacity(BLCKSZ));
    Size fill = std::max<Size>(2, capacity * static_cast<Size>(fillfactor) / 100);
    Size pages = writer->children <= capacity ? 1 : (writer->children + fill - 1) / fill;
    PGAlignedBlock image;
    for (Size p = 0, from = 0; p < pages; p++) {
        CHECK_FOR_INTERRUPTS();
        Size to = writer->children * (p + 1) / pages;
        init_page(image.data, BLCKSZ, writer->table, level);
        for (Size i = from; i < to; i++)
            inner_insert(image.data, static_cast<int>(i - from), writer->child[i].bound,
                         writer->child[i].block);
        if (pages == 1) {
            write_root(writer->index, writer->table, image.data);
            return true;
        }
        Position bound = writer->child[from].bound;
        BlockNumber block =
            write_sibling(writer->index, image.data, p + 1 < pages ? &writer->child[to].bound : NULL);
        writer->child[p] = {bound, block}; // p <= from: not needed any more
        from = to;
    }
    writer->children = pages;
    return false;
}

void write_tree(Relation index, const IndexMeta &meta, int table, Spool *spool, const BitPermutation &to_key,
                const BitPermutation &to_fingerprint, int64 *rows_done)
{
    auto *writer = static_cast<TreeWriter *>(palloc0(sizeof(TreeWriter)));
    writer->index = index;
    writer->table = table;
    writer->fingerprint = to_fingerprint;
    writer->fill = leaf_capacity(BLCKSZ) * meta.fillfactor / 100;
    writer->wait = static_cast<Position *>(palloc(sizeof(Position) * static_cast<Size>(writer->fill + 1)));
    writer->child_capacity = 1024;
    writer->child = static_cast<Child *>(palloc(sizeof(Child) * writer->child_capacity));
    writer->rows_done = rows_done;

    sort_spool(spool, to_key, write_row, writer);

    PGAlignedBlock image;
    fill_leaf(writer, image.data, writer->waiting);
    if (writer->children == 0) {
        write_root(index, table, image.data);
    } else {
        add_child(writer, writer->bound, write_sibling(index, image.data, NULL));
        for (int level = 1; !write_inner_level(writer, level, meta.fillfactor);)
            level++;
    }
    pfree(writer->wait);
    pfree(writer->child);
    pfree(writer);
}

// The metapage and empty roots, so that the roots have their blocks before any leaf.
void write_first_pages(Relation index, ForkNumber fork, const MetaData &data)
{
    PGAlignedBlock image;
    for (int block = 0; block <= data.design.tables + 1; block++) {
        if (block == 0)
            init_meta_page(image.data, BLCKSZ, data);
        else
            init_page(image.data, BLCKSZ, block - 1, 0);
        Buffer buffer;
        if (fork == MAIN_FORKNUM) {
            buffer = extend_index(index);
        } else {
            buffer = ReadBufferExtended(index, fork, P_NEW, RBM_NORMAL, NULL);
            LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
        }
        START_CRIT_SECTION();
        std::memcpy(buffer_page(buffer), image.data, BLCKSZ);
        MarkBufferDirty(buffer);
        // The init fork of an unlogged index must survive a crash, so it is logged though the index is not.
        if (fork == INIT_FORKNUM || RelationNeedsWAL(index))
            log_newpage_buffer(buffer, true);
        END_CRIT_SECTION();
        UnlockReleaseBuffer(buffer);
    }
}

} // namespace

IndexBuildResult *build(Relation heap, Relation index, IndexInfo *info)
{
    if (RelationGetNumberOfBlocks(index) != 0)
        elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));

    IndexOptions options = index_options(index);
    TableDesign design;
    design_from_options(options, &design);

    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash build", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);

    auto *state = static_cast<BuildState *>(palloc0(sizeof(BuildState)));
    state->sample = static_cast<Sample *>(palloc0(sizeof(Sample)));
    state->sample->stride = 1;
    begin_spool(&state->rows, maintenance_work_mem / 8 * 7);
    begin_spool(&state->nulls, maintenance_work_mem / 8);

    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseScan);
    double heap_rows = table_index_build_scan(heap, index, info, true, true, build_row, state, NULL);

    std::uint8_t bit_order[kBits];
    choose_bit_order(design, state->sample->fingerprint, static_cast<std::size_t>(state->sample->count),
                     bit_order);
    pfree(state->sample);
    MetaData data = make_meta_data(options, design, bit_order);
    auto *meta = static_cast<IndexMeta *>(palloc(sizeof(IndexMeta)));
    use_meta_data(data, meta);
    write_first_pages(index, MAIN_FORKNUM, data);

    int64 rows_done = 0;
    pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL,
                                 static_cast<int64>(state->rows.rows) * meta->tables() +
                                     static_cast<int64>(state->nulls.rows));
    std::uint8_t identity[kBits], source[kBits], previous[kBits];
    for (int i = 0; i < kBits; i++)
        identity[i] = previous[i] = static_cast<std::uint8_t>(kBits - 1 - i);
    BitPermutation to_key, to_fingerprint;
    for (int table = 0; table < meta->tables(); table++) {
        pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseWriteFirst + table);
        meta->order.sources(table, source);
        to_fingerprint.set_inverse(source);
        if (in_memory_key(state->rows)) {
            // The rows still carry the last table's keys: find each bit's place there.
            std::uint8_t from_previous[kBits];
            for (int i = 0; i < kBits; i++) {
                for (int j = 0; j < kBits; j++) {
                    if (previous[j] == source[i])
                        from_previous[i] = static_cast<std::uint8_t>(kBits - 1 - j);
                }
            }
            to_key.set(from_previous);
            std::memcpy(previous, source, kBits);
        } else {
            to_key.set(source);
        }
        write_tree(index, *meta, table, &state->rows, to_key, to_fingerprint, &rows_done);
    }
    to_key.set(identity);
    write_tree(index, *meta, meta->null_table(), &state->nulls, to_key, to_key, &rows_done);

    auto *result = static_cast<IndexBuildResult *>(MemoryContextAlloc(caller, sizeof(IndexBuildResult)));
    result->heap_tuples = heap_rows;
    result->index_tuples = static_cast<double>(state->rows.rows + state->nulls.rows);
    end_spool(&state->rows);
    end_spool(&state->nulls);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    return result;
}

void build_empty(Relation index)
{
    IndexOptions options = index_options(index);
    TableDesign design;
    design_from_options(options, &design);
    std::uint8_t bit_order[kBits];
    choose_bit_order(design, NULL, 0, bit_order);
    write_first_pages(index, INIT_FORKNUM, make_meta_data(options, design, bit_order));
}

char *build_phase_name(int64 phase)
{
    if (phase == PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE)
        return pstrdup("initializing");
    if (phase == kPhaseScan)
        return pstrdup("scanning table");
    if (phase >= kPhaseWriteFirst && phase < kPhaseWriteFirst + kMaxTables)
        return psprintf("sorting and writing block table %d", static_cast<int>(phase - kPhaseWriteFirst) + 1);
    return NULL;
}

} // namespace simhash
