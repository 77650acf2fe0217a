#include "am/build/spool.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// A list of up to this many rows is copied to an array and divided within the processor's cache. A longer
// list is distributed to buckets first.
constexpr Size kScratchRows = 16384;
constexpr Size kBucketAim = 4096;
constexpr int kWidest = 11; // 2048 lists: the positions being written to should fit into the cache
constexpr int kWidestFiles = 8;
constexpr Size kBatch = 1024;

Chunk *take_chunk(ChunkPool *pool)
{
    Chunk *chunk = pool->unused;
    if (chunk != nullptr) {
        pool->unused = chunk->next;
    } else {
        if (pool->fresh_chunks == 0) {
            pool->fresh_chunks = 64;
            pool->fresh =
                static_cast<Chunk *>(MemoryContextAlloc(pool->context, pool->fresh_chunks * sizeof(Chunk)));
        }
        chunk = pool->fresh++;
        pool->fresh_chunks--;
    }
    chunk->next = nullptr;
    chunk->rows = kChunkRows;
    return chunk;
}

void free_chunk(ChunkPool *pool, Chunk *chunk)
{
    chunk->next = pool->unused;
    pool->unused = chunk;
}

void append_chunk(ChunkPool *pool, ChunkList *list)
{
    Chunk *chunk = take_chunk(pool);
    if (list->last == nullptr) {
        list->first = chunk;
    } else {
        list->last->next = chunk;
        list->full++;
    }
    list->last = chunk;
    list->at = chunk->row;
    list->end = chunk->row + kChunkRows;
}

inline void append_row(ChunkPool *pool, ChunkList *list, Position row)
{
    if (list->at == list->end)
        append_chunk(pool, list);
    *list->at++ = row;
}

// Ends the writing of a list. Returns the number of its rows.
Size close_list(ChunkList *list)
{
    if (list->last == nullptr)
        return 0;
    list->last->rows = static_cast<Size>(list->at - list->last->row);
    return list->full * kChunkRows + list->last->rows;
}

// Appends a closed list to another. Their chunks need not be full.
void join_lists(ChunkList *list, const ChunkList &more)
{
    if (more.first == nullptr)
        return;
    if (list->last == nullptr)
        list->first = more.first;
    else
        list->last->next = more.first;
    list->last = more.last;
}

// Lists of rows, one for each value of a digit.
struct Buckets {
    Digit digit;
    ChunkList list[FLEXIBLE_ARRAY_MEMBER];
};

Buckets *make_buckets(int bit, uint64 rows)
{
    Digit digit = make_digit(bit, digit_width(rows, kBucketAim, kWidest));
    Size count = Size{1} << digit.width;
    auto *buckets = static_cast<Buckets *>(palloc0(offsetof(Buckets, list) + sizeof(ChunkList) * count));
    buckets->digit = digit;
    return buckets;
}

void divide_list(Divider *divider, ChunkList list, Size rows);

void divide_buckets(Divider *divider, Buckets *buckets)
{
    for (Size i = 0; i < Size{1} << buckets->digit.width; i++) {
        CHECK_FOR_INTERRUPTS();
        Size rows = close_list(&buckets->list[i]);
        if (rows > 0)
            divide_list(divider, buckets->list[i], rows);
    }
    pfree(buckets);
}

// Calls what(row) for each row of a list, and frees the chunks once they are read.
template <typename What> void consume_list(ChunkPool *pool, const ChunkList &list, What what)
{
    for (Chunk *chunk = list.first, *next; chunk != nullptr; chunk = next) {
        CHECK_FOR_INTERRUPTS();
        next = chunk->next;
        for (Size i = 0; i < chunk->rows; i++)
            what(chunk->row[i]);
        free_chunk(pool, chunk);
    }
}

void divide_list(Divider *divider, ChunkList list, Size rows)
{
    if (rows <= kScratchRows) {
        Position *to = divider->scratch[0];
        for (const Chunk *chunk = list.first; chunk != nullptr; chunk = chunk->next) {
            std::memcpy(to, chunk->row, chunk->rows * sizeof(Position));
            to += chunk->rows;
        }
        if (divider->keep) {
            join_lists(&divider->kept, list);
        } else {
            list.last->next = divider->pool.unused;
            divider->pool.unused = list.first;
        }
        divide_into_runs(divider->scratch[0], divider->scratch[1], rows, divider->sink, divider->context);
        return;
    }

    // More rows than an even share, for example because the fingerprints are skewed: they are divided again,
    // by the bits in which they differ.
    RowBits bits = kNoRowBits;
    for (const Chunk *chunk = list.first; chunk != nullptr; chunk = chunk->next) {
        CHECK_FOR_INTERRUPTS();
        for (Size i = 0; i < chunk->rows; i++)
            bits.add(chunk->row[i]);
    }
    int bit = first_bit(bits.differing());
    if (bit == kPositionBits)
        elog(ERROR, "table contains %zu rows with duplicate positions", rows);
    Buckets *buckets = make_buckets(bit, rows);
    consume_list(&divider->pool, list,
                 [=](Position row) { append_row(&divider->pool, &buckets->list[buckets->digit(row)], row); });
    divide_buckets(divider, buckets);
}

void rewind_rows(BufFile *file)
{
    if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
        ereport(ERROR, errcode_for_file_access(),
                errmsg("could not rewind the temporary file of an index build"));
}

// Calls what(row) for each row of the files whose position is within the range. The row's fingerprint is
// replaced by its key.
template <typename What>
void for_each_row(const RowFiles &files, const BytePermutation *to_key, const PositionRange &range, What what)
{
    auto *batch = static_cast<Position *>(palloc(sizeof(Position) * kBatch));
    for (int i = 0; i < files.files; i++) {
        rewind_rows(files.file[i]);
        for (;;) {
            CHECK_FOR_INTERRUPTS();
            Size bytes = BufFileRead(files.file[i], batch, sizeof(Position) * kBatch);
            if (bytes % sizeof(Position) != 0)
                elog(ERROR, "a temporary file of an index build ends within a row");
            Size count = bytes / sizeof(Position);
            for (Size j = 0; j < count; j++) {
                Position row = batch[j];
                if (to_key != nullptr)
                    row.key = (*to_key)(row.key);
                if (row >= range.low && (range.to_end || row < range.high))
                    what(row);
            }
            if (count < kBatch)
                break;
        }
    }
    pfree(batch);
}

// Writes all rows in memory to the file.
void spill(Spool *spool)
{
    if (spool->file == nullptr)
        spool->file = BufFileCreateTemp(false);
    close_list(&spool->list);
    for (Chunk *chunk = spool->list.first, *next; chunk != nullptr; chunk = next) {
        CHECK_FOR_INTERRUPTS();
        next = chunk->next;
        write_rows(spool->file, chunk->row, chunk->rows);
        free_chunk(&spool->divider.pool, chunk);
    }
    spool->list = {};
}

// Replaces the keys of the rows in memory and divides the rows by the new keys.
void divide_memory(Spool *spool, const BytePermutation &to_key, RunSink sink, void *context)
{
    Divider *divider = &spool->divider;
    if (spool->list.at != nullptr) // a list kept by an earlier call is closed already
        close_list(&spool->list);
    divider->keep = true;
    divider->kept = {};
    divider->sink = sink;
    divider->context = context;
    // Bits that are equal in all old keys are equal in all new keys.
    spool->bits.any.key = to_key(spool->bits.any.key);
    spool->bits.all.key = to_key(spool->bits.all.key);
    Buckets *buckets = make_buckets(Min(first_bit(spool->bits.differing()), kPositionBits - 1), spool->rows);
    consume_list(&divider->pool, spool->list, [&](Position row) {
        row.key = to_key(row.key);
        append_row(&divider->pool, &buckets->list[buckets->digit(row)], row);
    });
    divide_buckets(divider, buckets);
    spool->list = divider->kept;
}

struct Partition {
    BufFile *file;
    uint64 rows;
    RowBits bits;
};

void divide_rows(Divider *divider, const RowFiles &files, uint64 rows, const BytePermutation *to_key,
                 const PositionRange &range)
{
    Position differing = files.bits.differing();
    if (to_key != nullptr)
        differing.key = (*to_key)(differing.key);
    int bit = Min(first_bit(differing), kPositionBits - 1);

    if (rows <= divider->limit) {
        Buckets *buckets = make_buckets(bit, rows);
        for_each_row(files, to_key, range, [=](Position row) {
            append_row(&divider->pool, &buckets->list[buckets->digit(row)], row);
        });
        divide_buckets(divider, buckets);
        return;
    }

    Digit digit = make_digit(bit, digit_width(rows, Max(divider->limit / 4, 1), kWidestFiles));
    Size count = Size{1} << digit.width;
    auto *partition = static_cast<Partition *>(palloc0(sizeof(Partition) * count));
    for_each_row(files, to_key, range, [=](Position row) {
        Partition *p = &partition[digit(row)];
        if (p->file == nullptr) {
            p->file = BufFileCreateTemp(false);
            p->bits = kNoRowBits;
        }
        p->rows++;
        p->bits.add(row);
        write_rows(p->file, &row, 1);
    });
    for (Size i = 0; i < count; i++) {
        Partition *p = &partition[i];
        if (p->file == nullptr)
            continue;
        if (p->rows > divider->limit && first_bit(p->bits.differing()) == kPositionBits)
            elog(ERROR, "table contains %zu rows with duplicate positions", static_cast<Size>(p->rows));
        divide_rows(divider, {1, &p->file, p->rows, p->bits}, p->rows, nullptr, {{0, 0}, {0, 0}, true});
        BufFileClose(p->file);
    }
    pfree(partition);
}

} // namespace

void write_rows(BufFile *file, Position *row, Size count)
{
    BufFileWrite(file, row, count * sizeof(Position));
}

void read_rows(BufFile *file, Position *row, Size count)
{
    Size bytes = count * sizeof(Position);
    if (BufFileRead(file, row, bytes) != bytes)
        ereport(ERROR, errcode_for_file_access(),
                errmsg("could not read from the temporary file of an index build"));
}

void begin_divider(Divider *divider, int kilobytes)
{
    *divider = {};
    divider->pool.context = CurrentMemoryContext;
    // The most memory needed besides the rows: the scratch arrays and the buffers of the partitions.
    Size bytes = static_cast<Size>(kilobytes) * 1024;
    Size other = 2 * kScratchRows * sizeof(Position) + (Size{1} << kWidestFiles) * BLCKSZ;
    bytes = Max(bytes - Min(bytes, other), bytes / 2);
    // Some chunks are not full.
    divider->limit = Max(bytes / 16 * 15 / sizeof(Chunk), 16) * kChunkRows;
    for (Position *&scratch : divider->scratch)
        scratch = static_cast<Position *>(palloc(kScratchRows * sizeof(Position)));
}

void divide_files(Divider *divider, const RowFiles &files, uint64 rows, const BytePermutation &to_key,
                  const PositionRange &range, RunSink sink, void *context)
{
    divider->keep = false;
    divider->sink = sink;
    divider->context = context;
    divide_rows(divider, files, rows, &to_key, range);
}

void begin_spool(Spool *spool, int kilobytes)
{
    *spool = {};
    begin_divider(&spool->divider, kilobytes);
    spool->bits = kNoRowBits;
    std::uint8_t identity[kBits];
    identity_sources(identity);
    spool->to_fingerprint.set(identity);
}

void add_to_spool(Spool *spool, Position row)
{
    ChunkList *list = &spool->list;
    if (list->at == list->end && list->full >= spool->divider.limit / kChunkRows)
        spill(spool);
    append_row(&spool->divider.pool, list, row);
    spool->bits.add(row);
    spool->rows++;
}

void divide_spool(Spool *spool, const std::uint8_t source[kBits], RunSink sink, void *context)
{
    BitPermutation permutation;
    permutation.set(source);
    auto *to_key = static_cast<BytePermutation *>(palloc(sizeof(BytePermutation)));
    if (spool->file != nullptr) {
        spill(spool);
        to_key->set(permutation);
        divide_files(&spool->divider, {1, &spool->file, spool->rows, spool->bits}, spool->rows, *to_key,
                     {{0, 0}, {0, 0}, true}, sink, context);
    } else {
        BitPermutation from_last;
        from_last.compose(spool->to_fingerprint, permutation);
        to_key->set(from_last);
        divide_memory(spool, *to_key, sink, context);
        spool->to_fingerprint.set_inverse(source);
    }
    pfree(to_key);
}

void end_spool(Spool *spool)
{
    if (spool->file != nullptr)
        BufFileClose(spool->file);
}

} // namespace simhash
