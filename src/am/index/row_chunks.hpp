// Rows in memory, in lists of chunks, and on from there to temporary files. Rows can be distributed to thousands of lists
// without counting them first and without a second array: a chunk that has been read or written is reused for the rows that
// follow. Builds of indexes and joins rely on it; the functions are inline because they are called for each row.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/buffile.h"
#include "utils/memutils.h"
}

namespace simhash
{

template <typename Row> inline constexpr Size kChunkBytes = 1024; // unless a row says otherwise
template <typename Row>
inline constexpr Size kChunkRows = (kChunkBytes<Row> - 2 * sizeof(Size)) / sizeof(Row);
template <typename Row> struct Chunk {
    Chunk *next;
    Size rows;
    Row row[kChunkRows<Row>];
};

template <typename Row> struct ChunkList {
    Row *at; // where the next row is written
    Row *end;
    Chunk<Row> *first;
    Chunk<Row> *last;
    Size full; // number of full chunks before the last one
};

template <typename Row> struct ChunkPool {
    MemoryContext context;
    Chunk<Row> *unused;
    Chunk<Row> *fresh; // the rest of the last allocation
    Size fresh_chunks;

    bool empty() const { return unused == nullptr && fresh_chunks == 0; }
};

template <typename Row> Chunk<Row> *take_chunk(ChunkPool<Row> *pool)
{
    Chunk<Row> *chunk = pool->unused;
    if (chunk != nullptr) {
        pool->unused = chunk->next;
    } else {
        if (pool->fresh_chunks == 0) {
            pool->fresh_chunks = 64;
            pool->fresh = static_cast<Chunk<Row> *>(
                MemoryContextAlloc(pool->context, pool->fresh_chunks * sizeof(Chunk<Row>)));
        }
        chunk = pool->fresh++;
        pool->fresh_chunks--;
    }
    chunk->next = nullptr;
    chunk->rows = kChunkRows<Row>;
    return chunk;
}

template <typename Row> void append_chunk(ChunkPool<Row> *pool, ChunkList<Row> *list)
{
    Chunk<Row> *chunk = take_chunk(pool);
    if (list->last == nullptr) {
        list->first = chunk;
    } else {
        list->last->next = chunk;
        list->last->rows = kChunkRows<Row>; // it may have been closed before it was full
        list->full++;
    }
    list->last = chunk;
    list->at = chunk->row;
    list->end = chunk->row + kChunkRows<Row>;
}

template <typename Row> inline void append_row(ChunkPool<Row> *pool, ChunkList<Row> *list, Row row)
{
    if (list->at == list->end)
        append_chunk(pool, list);
    *list->at++ = row;
}

// Ends the writing of a list, for now. Returns the number of its rows.
template <typename Row> Size close_list(ChunkList<Row> *list)
{
    if (list->last == nullptr)
        return 0;
    list->last->rows = static_cast<Size>(list->at - list->last->row);
    return list->full * kChunkRows<Row> + list->last->rows;
}

// Calls what(chunk) for each chunk of a closed list, and frees the chunks.
template <typename Row, typename What>
void consume_chunks(ChunkPool<Row> *pool, const ChunkList<Row> &list, What what)
{
    for (Chunk<Row> *chunk = list.first, *next; chunk != nullptr; chunk = next) {
        CHECK_FOR_INTERRUPTS();
        next = chunk->next;
        what(chunk);
        chunk->next = pool->unused;
        pool->unused = chunk;
    }
}

// Writes the rows of a list to a file, and empties it.
template <typename Row> void write_list(ChunkPool<Row> *pool, ChunkList<Row> *list, BufFile *file)
{
    close_list(list);
    consume_chunks(pool, *list,
                   [=](Chunk<Row> *chunk) { BufFileWrite(file, chunk->row, chunk->rows * sizeof(Row)); });
    *list = {};
}

} // namespace simhash
