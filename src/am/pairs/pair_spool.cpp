// Rows by partition: in memory while there is room; then the largest partitions are written to files.
//
// A tuplestore for each partition would take six to twelve times as long with a tuple for each row. With a
// tuple for 120 rows it would take 0.6 to 1.0 times as long (bench/decisions.md), but three times the memory
// beside the rows: work_mem = 4MB would have room for half as many partitions, and joins of millions of rows
// would take 1.5 times as long.
#include "am/pairs/pair_spool.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/buffile.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr Size kChunkRows = 128;
constexpr uint32 kNoChunk = 0xFFFFFFFF;

struct Entry {
    Fingerprint word;
    uint64 tag;
};

struct Chunk {
    Entry entry[kChunkRows];
};

// The rows of a store are those of its file followed by those of its chunks. All chunks but the first are
// full.
struct Store {
    BufFile *file;
    uint64 file_rows;
    uint32 chunk;
    uint32 chunks;
    Size in_first; // rows of the first chunk
};

} // namespace

struct PairSpool {
    Store *store;
    int stores;
    Chunk *chunk;
    uint32 *next; // the chunk after each
    uint32 chunks;
    uint32 unused; // chunks from here on have never been used
    uint32 free;   // a list
};

namespace
{

void write_chunks(PairSpool *spool, Store *store)
{
    if (store->file == nullptr)
        store->file = BufFileCreateTemp(false);
    // Reading may have moved the file position.
    uint64 bytes = store->file_rows * sizeof(Entry);
    if (BufFileSeek(store->file, 0, static_cast<off_t>(bytes), SEEK_SET) != 0)
        ereport(ERROR, errcode_for_file_access(), errmsg("could not seek in a temporary file of a join"));
    Size rows = store->in_first;
    uint32 chunk = store->chunk;
    for (uint32 i = 0; i < store->chunks; i++) {
        CHECK_FOR_INTERRUPTS();
        BufFileWrite(store->file, spool->chunk[chunk].entry, rows * sizeof(Entry));
        store->file_rows += rows;
        rows = kChunkRows;
        uint32 next = spool->next[chunk];
        spool->next[chunk] = spool->free;
        spool->free = chunk;
        chunk = next;
    }
    store->chunk = kNoChunk;
    store->chunks = 0;
    store->in_first = 0;
}

uint32 take_chunk(PairSpool *spool)
{
    if (spool->unused < spool->chunks)
        return spool->unused++;
    if (spool->free == kNoChunk) {
        Store *largest = spool->store;
        for (int i = 1; i < spool->stores; i++) {
            if (spool->store[i].chunks > largest->chunks)
                largest = &spool->store[i];
        }
        write_chunks(spool, largest);
    }
    uint32 chunk = spool->free;
    spool->free = spool->next[chunk];
    return chunk;
}

} // namespace

PairSpool *begin_pair_spool(Size bytes, int stores, double rows)
{
    auto *spool = static_cast<PairSpool *>(palloc0(sizeof(PairSpool)));
    // No more memory than the rows need. If there are more rows than expected, some go to files early.
    double most = rows * 1.25 / kChunkRows + 2 * stores + 16;
    Size chunks = bytes / (sizeof(Chunk) + sizeof(uint32));
    if (most < static_cast<double>(chunks))
        chunks = static_cast<Size>(most);
    chunks = std::max<Size>(chunks, static_cast<Size>(stores) + 1);
    spool->chunks = static_cast<uint32>(std::min<Size>(chunks, kNoChunk - 1));
    spool->chunk =
        static_cast<Chunk *>(MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Chunk) * spool->chunks));
    spool->next =
        static_cast<uint32 *>(MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * spool->chunks));
    spool->stores = stores;
    spool->store = static_cast<Store *>(palloc0(sizeof(Store) * static_cast<Size>(stores)));
    clear_pair_spool(spool);
    return spool;
}

void clear_pair_spool(PairSpool *spool)
{
    for (int i = 0; i < spool->stores; i++) {
        if (spool->store[i].file != nullptr)
            BufFileClose(spool->store[i].file);
        spool->store[i] = {nullptr, 0, kNoChunk, 0, 0};
    }
    spool->unused = 0;
    spool->free = kNoChunk;
}

void end_pair_spool(PairSpool *spool)
{
    clear_pair_spool(spool);
    pfree(spool->chunk);
    pfree(spool->next);
    pfree(spool->store);
    pfree(spool);
}

void add_row(PairSpool *spool, int number, Fingerprint word, uint64 tag)
{
    Store *store = &spool->store[number];
    if (store->chunks == 0 || store->in_first == kChunkRows) {
        uint32 chunk = take_chunk(spool); // which may have written this store to its file
        spool->next[chunk] = store->chunk;
        store->chunk = chunk;
        store->chunks++;
        store->in_first = 0;
    }
    spool->chunk[store->chunk].entry[store->in_first++] = {word, tag};
}

uint64 spooled_rows(const PairSpool *spool, int number)
{
    const Store &store = spool->store[number];
    return store.file_rows + (store.chunks == 0 ? 0 : (store.chunks - 1) * kChunkRows + store.in_first);
}

void read_rows(PairSpool *spool, int number, uint64 from, Size most, Rows *rows)
{
    const Store &store = spool->store[number];
    rows->count = 0;
    if (from < store.file_rows) {
        if (BufFileSeek(store.file, 0, static_cast<off_t>(from * sizeof(Entry)), SEEK_SET) != 0)
            ereport(ERROR, errcode_for_file_access(), errmsg("could not seek in a temporary file of a join"));
        while (rows->count < most && from < store.file_rows) {
            Chunk chunk;
            Size count = std::min<uint64>({most - rows->count, store.file_rows - from, kChunkRows});
            if (BufFileRead(store.file, &chunk, count * sizeof(Entry)) != count * sizeof(Entry))
                ereport(ERROR, errcode_for_file_access(),
                        errmsg("could not read from a temporary file of a join"));
            for (Size i = 0; i < count; i++)
                rows->set(rows->count++, chunk.entry[i].word, chunk.entry[i].tag);
            from += count;
        }
    }
    uint64 skip = from - store.file_rows;
    Size in_chunk = store.in_first;
    uint32 chunk = store.chunk;
    for (uint32 i = 0; i < store.chunks && rows->count < most; i++) {
        for (Size j = std::min<uint64>(skip, in_chunk); j < in_chunk && rows->count < most; j++)
            rows->set(rows->count++, spool->chunk[chunk].entry[j].word, spool->chunk[chunk].entry[j].tag);
        skip -= std::min<uint64>(skip, in_chunk);
        in_chunk = kChunkRows;
        chunk = spool->next[chunk];
    }
}

} // namespace simhash
