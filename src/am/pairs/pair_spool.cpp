// Rows by partition: in memory while there is room; then the largest partitions are written to files.
//
// A tuplestore for each partition would take six to twelve times as long with a tuple for each row. With a
// tuple for 120 rows it would take 0.6 to 1.0 times as long (bench/decisions.md), but three times the memory
// beside the rows: work_mem = 4MB would have room for half as many partitions, and joins of millions of rows
// would take 1.5 times as long.
#include "am/pairs/pair_spool.hpp"

#include "am/index/row_chunks.hpp"

#include <algorithm>

namespace simhash
{

struct JoinedRow {
    Fingerprint word;
    uint64 tag;
};
template <> inline constexpr Size kChunkBytes<JoinedRow> = 2048; // with 1024 a join takes 1.05 times as long

namespace
{

// The rows of a store are those of its file followed by those in memory.
struct Store {
    BufFile *file;
    uint64 file_rows;
    ChunkList<JoinedRow> list;
};

} // namespace

struct PairSpool {
    Store *store;
    int stores;
    Chunk<JoinedRow> *chunk;
    Size chunks; // more than stores
    ChunkPool<JoinedRow> pool;
};

namespace
{

void seek_row(BufFile *file, uint64 row)
{
    if (BufFileSeek(file, 0, static_cast<off_t>(row * sizeof(JoinedRow)), SEEK_SET) != 0)
        ereport(ERROR, errcode_for_file_access(), errmsg("could not seek in a temporary file of a join"));
}

// Writes the largest store to its file.
void make_room(PairSpool *spool)
{
    Store *largest =
        std::max_element(spool->store, spool->store + spool->stores,
                         [](const Store &a, const Store &b) { return a.list.full < b.list.full; });
    if (largest->file == nullptr) {
        MemoryContext caller = MemoryContextSwitchTo(spool->pool.context);
        largest->file = BufFileCreateTemp(false);
        MemoryContextSwitchTo(caller);
    }
    seek_row(largest->file, largest->file_rows); // reading may have moved the file position
    largest->file_rows += close_list(&largest->list);
    write_list(&spool->pool, &largest->list, largest->file);
}

} // namespace

PairSpool *begin_pair_spool(Size bytes, int stores, double rows)
{
    auto *spool = allocate_zero<PairSpool>();
    // No more memory than the rows need. If there are more rows than expected, some go to files early.
    const double most = rows * 1.25 / kChunkRows<JoinedRow> + 2 * stores + 16;
    const Size chunks = std::max(bytes / sizeof(Chunk<JoinedRow>), static_cast<Size>(stores) + 1);
    spool->chunks = static_cast<Size>(std::min(most, static_cast<double>(chunks)));
    spool->chunk = allocate_huge<Chunk<JoinedRow>>(spool->chunks);
    spool->stores = stores;
    spool->store = allocate_zero<Store>(stores);
    clear_pair_spool(spool);
    return spool;
}

void clear_pair_spool(PairSpool *spool)
{
    for (int i = 0; i < spool->stores; i++) {
        if (spool->store[i].file != nullptr)
            BufFileClose(spool->store[i].file);
        spool->store[i] = {};
    }
    spool->pool = {GetMemoryChunkContext(spool), nullptr, spool->chunk, spool->chunks};
}

void end_pair_spool(PairSpool *spool)
{
    clear_pair_spool(spool);
    pfree(spool->chunk);
    pfree(spool->store);
    pfree(spool);
}

void add_row(PairSpool *spool, int number, Fingerprint word, uint64 tag)
{
    ChunkList<JoinedRow> *list = &spool->store[number].list;
    if (list->at == list->end && spool->pool.empty())
        make_room(spool); // perhaps by this list
    append_row(&spool->pool, list, {word, tag});
}

uint64 spooled_rows(const PairSpool *spool, int number)
{
    Store *store = &spool->store[number];
    return store->file_rows + close_list(&store->list);
}

void read_rows(PairSpool *spool, int number, uint64 from, Size most, Rows *rows)
{
    Store *store = &spool->store[number];
    rows->count = 0;
    if (from < store->file_rows)
        seek_row(store->file, from);
    while (rows->count < most && from < store->file_rows) {
        JoinedRow row[kChunkRows<JoinedRow>];
        const Size count =
            std::min<uint64>({most - rows->count, store->file_rows - from, kChunkRows<JoinedRow>});
        if (BufFileRead(store->file, row, count * sizeof(JoinedRow)) != count * sizeof(JoinedRow))
            ereport(ERROR, errcode_for_file_access(),
                    errmsg("could not read from a temporary file of a join"));
        for (Size i = 0; i < count; i++)
            rows->set(rows->count++, row[i].word, row[i].tag);
        from += count;
    }
    uint64 skip = from - store->file_rows;
    close_list(&store->list);
    for (const Chunk<JoinedRow> *chunk = store->list.first; chunk != nullptr && rows->count < most;
         chunk = chunk->next) {
        for (Size j = std::min<uint64>(skip, chunk->rows); j < chunk->rows && rows->count < most; j++)
            rows->set(rows->count++, chunk->row[j].word, chunk->row[j].tag);
        skip -= std::min<uint64>(skip, chunk->rows);
    }
}

} // namespace simhash
