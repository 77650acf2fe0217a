#include "am/create/tree_writer.hpp"

#include "am/index/failpoint.hpp"

extern "C" {
#include "access/xloginsert.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr int kBatchPages = XLR_MAX_BLOCK_ID; // the most that a WAL record may hold

// Writes the pages of a batch. The last page gets a block but stays in the batch, unless it is the level's
// last.
void write_batch(PageBatch *batch, bool end)
{
    Relation index = batch->index;
    Buffer buffer[kBatchPages];
    int old = 0;
    if (BufferIsValid(batch->held))
        buffer[old++] = batch->held;
    extend_relation_by(index, batch->alone, batch->pages - old, buffer + old);
    failpoint(Failpoint::build_batch);
    for (int i = 0; i + 1 < batch->pages; i++)
        page_tail(batch->image + BLCKSZ * i)->right = BufferGetBlockNumber(buffer[i + 1]);

    int pages = end ? batch->pages : batch->pages - 1;
    for (int i = 0; i < pages; i++) {
        LockBuffer(buffer[i], BUFFER_LOCK_EXCLUSIVE);
        add_child(batch->children, batch->bound[i], BufferGetBlockNumber(buffer[i]));
    }
    write_page_images(index, buffer, batch->image, pages);

    batch->pages -= pages;
    batch->held = InvalidBuffer;
    if (!end) {
        std::memcpy(batch->image, batch->image + BLCKSZ * pages, BLCKSZ);
        batch->bound[0] = batch->bound[pages];
        batch->held = buffer[pages];
    }
}

// The image of the next page. It holds zeros or an earlier page.
char *next_image(PageBatch *batch, Position bound)
{
    CHECK_FOR_INTERRUPTS();
    if (batch->pages == batch->capacity)
        write_batch(batch, false);
    batch->bound[batch->pages] = bound;
    return batch->image + BLCKSZ * batch->pages++;
}

// Copies a page image into an exclusively locked buffer, logs the whole page and releases the buffer.
void write_page(Buffer buffer, const char *image, bool log)
{
    START_CRIT_SECTION();
    std::memcpy(buffer_page(buffer), image, BLCKSZ);
    set_own_block(buffer_page(buffer), buffer);
    MarkBufferDirty(buffer);
    if (log)
        log_newpage_buffer(buffer, true);
    END_CRIT_SECTION();
    UnlockReleaseBuffer(buffer);
}

void write_root(Relation index, int tree, const char *image)
{
    failpoint(Failpoint::build_root);
    Buffer buffer = ReadBuffer(index, root_block(tree));
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    write_page(buffer, image, RelationNeedsWAL(index));
}

// Fills a leaf image with the first `count` waiting rows. Its range ends at `high` if that is not null.
template <typename Row> void fill_leaf(TreeWriter<Row> *writer, char *image, int count, const Position *high)
{
    init_page(image, BLCKSZ, writer->tree, 0, kRowWords<Row>);
    set_low(image, writer->bound);
    if (high != nullptr) {
        set_high(image, *high);
        page_tail(image)->right = kMetaBlock; // not the rightmost one, but not linked yet
    }
    for (int i = 0; i < count; i++) {
        const Row &row = writer->wait[i];
        writer->entry[i] = {leaf_key_of(row.key, row), row.tid};
    }
    if (!leaf_write(image, writer->entry, count))
        elog(ERROR, "rows do not fit into a leaf");
    page_tail(image)->right = kNoBlock;
    uint64 rows = pg_atomic_add_fetch_u64(&writer->progress->rows, count);
    if (writer->report)
        pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, static_cast<int64>(rows));
}

// Sets how many of the waiting rows a leaf takes. It may be somewhat emptier or fuller than fillfactor says: the wider
// the range, the better the cuts.
template <typename Row> void set_fill(TreeWriter<Row> *writer)
{
    const int prefix_bits = common_bits(writer->bound.key, writer->last_key);
    const int capacity = leaf_fill(leaf_layout(BLCKSZ, kRowWords<Row>, writer->bound.key, prefix_bits,
                                               writer->most_block, writer->most_offset),
                                   BLCKSZ);
    const int fill = capacity * writer->fillfactor / 100;
    writer->least = Max(fill * 93 / 100, 1);
    writer->most = Max(Min(fill * 109 / 100, capacity), 1);
}

// Makes a leaf of the first waiting rows.
template <typename Row> void cut_leaf(TreeWriter<Row> *writer)
{
    Position high;
    int cut = choose_cut(writer->wait, writer->waiting, writer->start, writer->runs, writer->least,
                         writer->most, &high);
    char *image = next_image(&writer->batch, writer->bound);
    fill_leaf(writer, image, cut, &high);
    writer->bound = high;

    writer->waiting -= cut;
    std::memmove(writer->wait, writer->wait + cut, sizeof(Row) * static_cast<Size>(writer->waiting));
    int runs = 0;
    for (int i = 0; i < writer->runs; i++) {
        int end = i + 1 < writer->runs ? writer->start[i + 1] : writer->waiting + cut;
        if (end > cut)
            writer->start[runs++] = Max(writer->start[i] - cut, 0);
    }
    writer->runs = runs;
}

// Writes the level above the children and makes its pages the children. Returns true if that level is the
// root.
template <typename Row>
bool write_inner_level(TreeWriter<Row> *writer, int tree, int level, Children *children)
{
    Size capacity = static_cast<Size>(inner_capacity(BLCKSZ));
    Size fill = std::max<Size>(2, capacity * static_cast<Size>(writer->fillfactor) / 100);
    Size pages = children->count <= capacity ? 1 : (children->count + fill - 1) / fill;
    PageBatch *batch = &writer->batch;
    PGAlignedBlock root;
    Children parents;
    begin_children(&parents);
    batch->children = &parents;
    for (Size p = 0, from = 0; p < pages; p++) {
        Size to = children->count * (p + 1) / pages;
        char *image = pages == 1 ? root.data : next_image(batch, children->child[from].bound);
        init_page(image, BLCKSZ, tree, level);
        set_low(image, children->child[from].bound);
        for (Size i = from; i < to; i++)
            inner_insert(image, static_cast<int>(i - from), children->child[i].bound,
                         children->child[i].block);
        if (p + 1 < pages)
            set_high(image, children->child[to].bound);
        from = to;
    }
    if (pages == 1)
        write_root(batch->index, tree, root.data);
    else
        write_batch(batch, true);
    pfree(children->child);
    *children = parents;
    return pages == 1;
}

} // namespace

template <typename Row>
TreeWriter<Row> *begin_tree(Relation index, const IndexMeta &meta, int processes, BuildProgress *progress,
                            bool report)
{
    auto *writer = static_cast<TreeWriter<Row> *>(palloc0(sizeof(TreeWriter<Row>)));
    PageBatch *batch = &writer->batch;
    batch->index = index;
    batch->alone = processes == 1 && RELATION_IS_LOCAL(index);
    // A small share of the buffers: a whole batch is pinned at once.
    int buffers = RelationUsesLocalBuffers(index) ? num_temp_buffers : NBuffers;
    batch->capacity = Min(Max(buffers / 16 / processes, 2), kBatchPages);
    batch->image =
        static_cast<char *>(palloc(static_cast<Size>(BLCKSZ) * static_cast<Size>(batch->capacity)));
    batch->bound = allocate<Position>(batch->capacity);

    writer->fillfactor = meta.fillfactor;
    Size waiting = static_cast<Size>(leaf_capacity(BLCKSZ)) + kRunRows;
    writer->entry = allocate<LeafEntry>(waiting);
    writer->wait = allocate<Row>(waiting);
    writer->start = allocate<int>(waiting);
    writer->progress = progress;
    writer->report = report;
    return writer;
}

template <typename Row> void begin_leaves(TreeWriter<Row> *writer, int tree, Position bound)
{
    writer->tree = tree;
    writer->bound = bound;
    begin_children(&writer->leaves);
    writer->batch.children = &writer->leaves;
}

template <typename Row> void write_run(const Row *run, int count, void *context)
{
    auto *writer = static_cast<TreeWriter<Row> *>(context);
    writer->start[writer->runs++] = writer->waiting;
    std::memcpy(writer->wait + writer->waiting, run, sizeof(Row) * static_cast<Size>(count));
    writer->waiting += count;
    for (int i = 0; i < count; i++) {
        writer->last_key = i == 0 ? run[i].key : Max(writer->last_key, run[i].key);
        writer->most_block = Max(writer->most_block, run[i].tid >> 16);
        writer->most_offset = Max(writer->most_offset, static_cast<int>(run[i].tid & 0xFFFF));
    }
    for (set_fill(writer); writer->waiting > writer->most; set_fill(writer))
        cut_leaf(writer);
}

template <typename Row> bool end_leaves(TreeWriter<Row> *writer, const Position *high)
{
    bool only = writer->batch.pages == 0 && writer->bound == Position{0, 0} && high == nullptr;
    if (only) {
        PGAlignedBlock image;
        fill_leaf(writer, image.data, writer->waiting, nullptr);
        write_root(writer->batch.index, writer->tree, image.data);
    } else {
        char *image = next_image(&writer->batch, writer->bound);
        fill_leaf(writer, image, writer->waiting, high);
        write_batch(&writer->batch, true);
    }
    writer->waiting = 0;
    writer->runs = 0;
    return only;
}

template <typename Row>
void write_tree(TreeWriter<Row> *writer, const IndexMeta &meta, int tree, BuildRows<Row> *rows)
{
    std::uint8_t source[kBits];
    meta.sources(tree, source);
    begin_leaves(writer, tree, {0, 0});
    rows->divide(source, write_run<Row>, writer);
    if (!end_leaves(writer, nullptr))
        write_inner_levels(writer, tree, &writer->leaves);
    pfree(writer->leaves.child);
}

template <typename Row> void write_inner_levels(TreeWriter<Row> *writer, int tree, Children *leaves)
{
    for (int level = 1; !write_inner_level(writer, tree, level, leaves);)
        level++;
}

template <typename Row> void end_tree(TreeWriter<Row> *writer)
{
    pfree(writer->batch.image);
    pfree(writer->batch.bound);
    pfree(writer->entry);
    pfree(writer->wait);
    pfree(writer->start);
    pfree(writer);
}

template TreeWriter<Position> *begin_tree(Relation, const IndexMeta &, int, BuildProgress *, bool);
template void begin_leaves(TreeWriter<Position> *, int, Position);
template void write_run(const Position *, int, void *);
template bool end_leaves(TreeWriter<Position> *, const Position *);
template void write_tree(TreeWriter<Position> *, const IndexMeta &, int, BuildRows<Position> *);
template void write_inner_levels(TreeWriter<Position> *, int, Children *);
template void end_tree(TreeWriter<Position> *);

template TreeWriter<PairRow> *begin_tree(Relation, const IndexMeta &, int, BuildProgress *, bool);
template void begin_leaves(TreeWriter<PairRow> *, int, Position);
template void write_run(const PairRow *, int, void *);
template bool end_leaves(TreeWriter<PairRow> *, const Position *);
template void write_tree(TreeWriter<PairRow> *, const IndexMeta &, int, BuildRows<PairRow> *);
template void write_inner_levels(TreeWriter<PairRow> *, int, Children *);
template void end_tree(TreeWriter<PairRow> *);

void link_leaves(Relation index, BlockNumber left, BlockNumber right)
{
    Buffer buffer = ReadBuffer(index, left);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    PGAlignedBlock image;
    std::memcpy(image.data, buffer_page(buffer), BLCKSZ);
    page_tail(image.data)->right = right;
    write_page(buffer, image.data, RelationNeedsWAL(index));
}

void append_page(Relation index, ForkNumber fork, const char *image)
{
    Buffer buffer;
    if (fork == MAIN_FORKNUM) {
        buffer = extend_index(index);
    } else {
        buffer = ReadBufferExtended(index, fork, P_NEW, RBM_NORMAL, nullptr);
        LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    }
    // The init fork of an unlogged index must survive a crash, so it is logged though the index is not.
    write_page(buffer, image, fork == INIT_FORKNUM || RelationNeedsWAL(index));
}

void append_roots(Relation index, ForkNumber fork, int trees, int words)
{
    PGAlignedBlock image;
    for (int tree = 0; tree <= trees; tree++) {
        init_page(image.data, BLCKSZ, tree, 0, tree < trees ? words : 1);
        append_page(index, fork, image.data);
    }
}

void write_meta_page(Relation index, const char *image)
{
    Buffer buffer = ReadBuffer(index, kMetaBlock);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    write_page(buffer, image, RelationNeedsWAL(index));
}

} // namespace simhash
