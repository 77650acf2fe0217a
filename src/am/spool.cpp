#include "am/spool.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr int kDigits = 14; // 8 bytes of key and 6 of tid
constexpr int kFanout = 256;
constexpr Size kSmall = 128; // rows that a comparison sort takes

int digit_of(Position position, int digit)
{
    std::uint64_t value =
        digit < 8 ? position.key >> (56 - 8 * digit) : position.tid >> (40 - 8 * (digit - 8));
    return static_cast<int>(value & 255);
}

// Radix sort in place, from the highest digit.
void sort_rows(Position *row, Size count, int digit)
{
    CHECK_FOR_INTERRUPTS();
    if (count <= kSmall || digit == kDigits) {
        std::sort(row, row + count);
        return;
    }
    Size end[kFanout] = {}, next[kFanout];
    for (Size i = 0; i < count; i++)
        end[digit_of(row[i], digit)]++;
    Size at = 0;
    for (int d = 0; d < kFanout; d++) {
        next[d] = at;
        at += end[d];
        end[d] = at;
    }
    for (int d = 0; d < kFanout; d++) {
        while (next[d] < end[d]) {
            Position moving = row[next[d]];
            for (int to; (to = digit_of(moving, digit)) != d;)
                std::swap(moving, row[next[to]++]);
            row[next[d]++] = moving;
        }
    }
    for (int d = 0; d < kFanout; d++) {
        Size from = d == 0 ? 0 : end[d - 1];
        if (end[d] - from > 1)
            sort_rows(row + from, end[d] - from, digit + 1);
    }
}

void read_rows(BufFile *file, Position *row, Size count)
{
    Size bytes = count * sizeof(Position);
    if (BufFileRead(file, row, bytes) != bytes)
        ereport(ERROR, (errcode_for_file_access(),
                        errmsg("could not read from the temporary file of an index build")));
}

void rewind_file(BufFile *file)
{
    if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
        ereport(ERROR,
                (errcode_for_file_access(), errmsg("could not rewind the temporary file of an index build")));
}

struct Partition {
    BufFile *file;
    uint64 rows;
    Position first;
    Position differs; // the bits in which its rows are not all alike
};

// A partition's first digit that can tell its rows apart.
int first_digit(const Partition &partition)
{
    for (int digit = 0; digit < kDigits; digit++) {
        if (digit_of(partition.differs, digit) != 0)
            return digit;
    }
    return kDigits - 1;
}

// Emits the rows of a file in order: sorted in memory if they fit, else cut by a digit into files that are
// emitted one after the other. `to_key` is null where the file holds keys already. Rewinds the file first.
void sort_file(Spool *spool, BufFile *file, uint64 rows, int digit, const BitPermutation *to_key,
               SortedRow sink, void *context)
{
    rewind_file(file);
    if (rows <= spool->limit) {
        read_rows(file, spool->row, rows);
        for (Size i = 0; to_key != nullptr && i < rows; i++)
            spool->row[i].key = (*to_key)(spool->row[i].key);
        sort_rows(spool->row, rows, digit);
        for (Size i = 0; i < rows; i++)
            sink(spool->row[i], context);
        return;
    }

    auto *partition = static_cast<Partition *>(palloc0(sizeof(Partition) * kFanout));
    for (uint64 done = 0; done < rows;) {
        CHECK_FOR_INTERRUPTS();
        Size batch = std::min<uint64>({rows - done, spool->limit, 4096});
        read_rows(file, spool->row, batch);
        for (Size i = 0; i < batch; i++) {
            Position row = spool->row[i];
            if (to_key != nullptr)
                row.key = (*to_key)(row.key);
            Partition *p = &partition[digit_of(row, digit)];
            if (p->file == NULL) {
                p->file = BufFileCreateTemp(false);
                p->first = row;
            }
            p->rows++;
            p->differs.key |= row.key ^ p->first.key;
            p->differs.tid |= row.tid ^ p->first.tid;
            BufFileWrite(p->file, &row, sizeof(row));
        }
        done += batch;
    }
    for (int d = 0; d < kFanout; d++) {
        Partition *p = &partition[d];
        if (p->file == NULL)
            continue;
        sort_file(spool, p->file, p->rows, first_digit(*p), nullptr, sink, context);
        BufFileClose(p->file);
    }
    pfree(partition);
}

} // namespace

void begin_spool(Spool *spool, int kilobytes)
{
    std::memset(static_cast<void *>(spool), 0, sizeof(*spool));
    // Partitions have a buffer each.
    int buffers = kFanout * BLCKSZ / 1024;
    kilobytes = std::max(kilobytes - buffers, kilobytes / 2);
    spool->limit = std::max<Size>(static_cast<Size>(kilobytes) * 1024 / sizeof(Position), 1024);
    spool->capacity = std::min<Size>(spool->limit, 1024);
    spool->row = static_cast<Position *>(palloc(spool->capacity * sizeof(Position)));
}

void add_to_spool(Spool *spool, Fingerprint fingerprint, Tid tid)
{
    if (spool->in_memory == spool->capacity) {
        if (spool->capacity < spool->limit) {
            spool->capacity = std::min(spool->limit, spool->capacity * 2);
            spool->row =
                static_cast<Position *>(repalloc_huge(spool->row, spool->capacity * sizeof(Position)));
        } else {
            if (spool->file == NULL)
                spool->file = BufFileCreateTemp(false);
            BufFileWrite(spool->file, spool->row, spool->in_memory * sizeof(Position));
            spool->in_memory = 0;
        }
    }
    spool->row[spool->in_memory++] = {fingerprint, tid.packed()};
    spool->rows++;
}

void sort_spool(Spool *spool, const BitPermutation &to_key, SortedRow sink, void *context)
{
    if (spool->file != NULL) {
        if (spool->in_memory > 0) {
            BufFileWrite(spool->file, spool->row, spool->in_memory * sizeof(Position));
            spool->in_memory = 0;
        }
        sort_file(spool, spool->file, spool->rows, 0, &to_key, sink, context);
        return;
    }
    for (Size i = 0; i < spool->in_memory; i++)
        spool->row[i].key = to_key(spool->row[i].key);
    sort_rows(spool->row, spool->in_memory, 0);
    for (Size i = 0; i < spool->in_memory; i++)
        sink(spool->row[i], context);
}

void end_spool(Spool *spool)
{
    if (spool->file != NULL)
        BufFileClose(spool->file);
    pfree(spool->row);
}

} // namespace simhash
