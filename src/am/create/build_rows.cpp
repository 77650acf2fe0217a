#include "am/create/build_rows.hpp"

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

// Appends a closed list to another. Their chunks need not be full.
template <typename Row> void join_lists(ChunkList<Row> *list, const ChunkList<Row> &more)
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
template <typename Row> struct Buckets {
    Digit digit;
    ChunkList<Row> list[FLEXIBLE_ARRAY_MEMBER];
};

template <typename Row> Buckets<Row> *make_buckets(int bit, uint64 rows)
{
    Digit digit = make_digit(bit, digit_width(rows, kBucketAim, kWidest));
    Size count = Size{1} << digit.width;
    auto *buckets =
        static_cast<Buckets<Row> *>(palloc0(offsetof(Buckets<Row>, list) + sizeof(ChunkList<Row>) * count));
    buckets->digit = digit;
    return buckets;
}

template <typename Row> void divide_list(Divider<Row> *divider, ChunkList<Row> list, Size rows);

template <typename Row> void divide_buckets(Divider<Row> *divider, Buckets<Row> *buckets)
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
template <typename Row, typename What>
void consume_list(ChunkPool<Row> *pool, const ChunkList<Row> &list, What what)
{
    consume_chunks(pool, list, [&](const Chunk<Row> *chunk) {
        for (Size i = 0; i < chunk->rows; i++)
            what(chunk->row[i]);
    });
}

template <typename Row> void divide_list(Divider<Row> *divider, ChunkList<Row> list, Size rows)
{
    if (rows <= kScratchRows) {
        Row *to = divider->scratch[0];
        for (const Chunk<Row> *chunk = list.first; chunk != nullptr; chunk = chunk->next) {
            std::memcpy(to, chunk->row, chunk->rows * sizeof(Row));
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
    for (const Chunk<Row> *chunk = list.first; chunk != nullptr; chunk = chunk->next) {
        CHECK_FOR_INTERRUPTS();
        for (Size i = 0; i < chunk->rows; i++)
            bits.add(chunk->row[i]);
    }
    int bit = first_bit(bits.differing());
    if (bit == kPositionBits)
        elog(ERROR, "tree contains %zu rows with duplicate positions", rows);
    Buckets<Row> *buckets = make_buckets<Row>(bit, rows);
    consume_list(&divider->pool, list,
                 [=](Row row) { append_row(&divider->pool, &buckets->list[buckets->digit(row)], row); });
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
template <typename Row, typename What>
void for_each_row(const RowFiles &files, const BytePermutation *to_key, const PositionRange &range, What what)
{
    auto *batch = allocate<Row>(kBatch);
    for (int i = 0; i < files.files; i++) {
        rewind_rows(files.file[i]);
        for (;;) {
            CHECK_FOR_INTERRUPTS();
            Size bytes = BufFileRead(files.file[i], batch, sizeof(Row) * kBatch);
            if (bytes % sizeof(Row) != 0)
                elog(ERROR, "a temporary file of an index build ends within a row");
            Size count = bytes / sizeof(Row);
            for (Size j = 0; j < count; j++) {
                Row row = batch[j];
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

struct Partition {
    BufFile *file;
    uint64 rows;
    RowBits bits;
};

template <typename Row>
void divide_rows(Divider<Row> *divider, const RowFiles &files, uint64 rows, const BytePermutation *to_key,
                 const PositionRange &range)
{
    Position differing = files.bits.differing();
    if (to_key != nullptr)
        differing.key = (*to_key)(differing.key);
    int bit = Min(first_bit(differing), kPositionBits - 1);

    if (rows <= divider->limit) {
        Buckets<Row> *buckets = make_buckets<Row>(bit, rows);
        for_each_row<Row>(files, to_key, range, [=](Row row) {
            append_row(&divider->pool, &buckets->list[buckets->digit(row)], row);
        });
        divide_buckets(divider, buckets);
        return;
    }

    Digit digit = make_digit(bit, digit_width(rows, Max(divider->limit / 4, 1), kWidestFiles));
    Size count = Size{1} << digit.width;
    auto *partition = allocate_zero<Partition>(count);
    for_each_row<Row>(files, to_key, range, [=](Row row) {
        Partition *p = &partition[digit(row)];
        if (p->file == nullptr) {
            p->file = BufFileCreateTemp(false);
            p->bits = kNoRowBits;
        }
        p->rows++;
        p->bits.add(row);
        write_row_file(p->file, &row, 1);
    });
    for (Size i = 0; i < count; i++) {
        Partition *p = &partition[i];
        if (p->file == nullptr)
            continue;
        if (p->rows > divider->limit && first_bit(p->bits.differing()) == kPositionBits)
            elog(ERROR, "tree contains %zu rows with duplicate positions", static_cast<Size>(p->rows));
        divide_rows(divider, {1, &p->file, p->rows, p->bits}, p->rows, nullptr, {{0, 0}, {0, 0}, true});
        BufFileClose(p->file);
    }
    pfree(partition);
}

} // namespace

template <typename Row> void begin_divider(Divider<Row> *divider, int kilobytes)
{
    *divider = {};
    divider->pool.context = CurrentMemoryContext;
    // The most memory needed besides the rows: the scratch arrays and the buffers of the partitions.
    Size bytes = static_cast<Size>(kilobytes) * 1024;
    Size other = 2 * kScratchRows * sizeof(Row) + (Size{1} << kWidestFiles) * BLCKSZ;
    bytes = Max(bytes - Min(bytes, other), bytes / 2);
    // Some chunks are not full.
    divider->limit = Max(bytes / 16 * 15 / sizeof(Chunk<Row>), 16) * kChunkRows<Row>;
    for (Row *&scratch : divider->scratch)
        scratch = static_cast<Row *>(palloc(kScratchRows * sizeof(Row)));
}

template <typename Row>
void divide_files(Divider<Row> *divider, const RowFiles &files, uint64 rows, const BytePermutation &to_key,
                  const PositionRange &range, RunSink<Row> sink, void *context)
{
    divider->keep = false;
    divider->sink = sink;
    divider->context = context;
    divide_rows(divider, files, rows, &to_key, range);
}

// Writes all rows in memory to the file.
template <typename Row> void BuildRows<Row>::spill()
{
    if (file_ == nullptr)
        file_ = BufFileCreateTemp(false);
    write_list(&divider_.pool, &list_, file_);
}

// Replaces the keys of the rows in memory and divides the rows by the new keys.
template <typename Row>
void BuildRows<Row>::divide_memory(const BytePermutation &to_key, RunSink<Row> sink, void *context)
{
    Divider<Row> *divider = &divider_;
    if (list_.at != nullptr) // a list kept by an earlier call is closed already
        close_list(&list_);
    divider->keep = true;
    divider->kept = {};
    divider->sink = sink;
    divider->context = context;
    // Bits that are equal in all old keys are equal in all new keys.
    bits_.any.key = to_key(bits_.any.key);
    bits_.all.key = to_key(bits_.all.key);
    Buckets<Row> *buckets = make_buckets<Row>(Min(first_bit(bits_.differing()), kPositionBits - 1), count);
    consume_list(&divider->pool, list_, [&](Row row) {
        row.key = to_key(row.key);
        append_row(&divider->pool, &buckets->list[buckets->digit(row)], row);
    });
    divide_buckets(divider, buckets);
    list_ = divider->kept;
}

template <typename Row> void BuildRows<Row>::begin(int kilobytes)
{
    *this = {};
    MemoryContext caller = MemoryContextSwitchTo(
        AllocSetContextCreate(CurrentMemoryContext, "simhash build rows", ALLOCSET_DEFAULT_SIZES));
    begin_divider(&divider_, kilobytes);
    MemoryContextSwitchTo(caller);
    bits_ = kNoRowBits;
    std::uint8_t identity[kBits];
    identity_sources(identity);
    to_fingerprint_.set(identity);
}

template <typename Row> void BuildRows<Row>::add(Row row)
{
    ChunkList<Row> *list = &list_;
    if (list->at == list->end && list->full >= divider_.limit / kChunkRows<Row>)
        spill();
    append_row(&divider_.pool, list, row);
    bits_.add(row);
    count++;
}

template <typename Row>
void BuildRows<Row>::divide(const std::uint8_t source[kBits], RunSink<Row> sink, void *context)
{
    BitPermutation permutation;
    permutation.set(source);
    auto *to_key = allocate<BytePermutation>();
    if (file_ != nullptr) {
        spill();
        to_key->set(permutation);
        divide_files(&divider_, {1, &file_, count, bits_}, count, *to_key, {{0, 0}, {0, 0}, true}, sink,
                     context);
    } else {
        BitPermutation from_last;
        from_last.compose(to_fingerprint_, permutation);
        to_key->set(from_last);
        divide_memory(*to_key, sink, context);
        to_fingerprint_.set_inverse(source);
    }
    pfree(to_key);
}

template <typename Row> void BuildRows<Row>::end()
{
    if (file_ != nullptr)
        BufFileClose(file_);
    MemoryContextDelete(divider_.pool.context);
}

template void begin_divider(Divider<Position> *, int);
template void divide_files(Divider<Position> *, const RowFiles &, uint64, const BytePermutation &,
                           const PositionRange &, RunSink<Position>, void *);
template struct BuildRows<Position>;
template struct BuildRows<PairRow>;

} // namespace simhash
