#include "core/page/leaf_cut.hpp"

#include <algorithm>
#include <bit>

#include "core/bits/contract.hpp"

namespace simhash
{

namespace
{

constexpr int kWidest = 8;
constexpr std::size_t kRunAim = 40; // rows of a run: a third to a half of what choose_cut may choose from

// The highest bit in which two keys differ, as a number with that bit set; 0 if they are equal.
std::uint64_t differing_bit(std::uint64_t a, std::uint64_t b) { return std::bit_floor(a ^ b); }

} // namespace

template <typename Row> int choose_cut(const Row *sorted, int low, int high, Position *bound)
{
    SIMHASH_ASSERT(1 <= low && low <= high);
    int best = low;
    std::uint64_t best_bit = 0;
    for (int i = low; i <= high; i++) {
        std::uint64_t bit = differing_bit(sorted[i].key, sorted[i - 1].key);
        if (bit > best_bit) {
            best = i;
            best_bit = bit;
        }
    }
    if (best_bit == 0) {
        best = (low + high) / 2;
        *bound = sorted[best];
    } else {
        *bound = {sorted[best].key & ~(best_bit - 1), 0};
    }
    return best;
}

template <typename Row>
int choose_cut(Row *row, int count, const int *start, int runs, int low, int high, Position *bound)
{
    SIMHASH_ASSERT(1 <= low && low <= high && high < count);
    SIMHASH_ASSERT(start[0] == 0);
    // The rows of a run share leading bits that rows of the next run do not have. So any two rows on either
    // side of a boundary differ in the same highest bit, which is higher than any difference within the run:
    // if runs begin between low and high, the best place is one of these boundaries.
    int best = -1;
    std::uint64_t best_bit = 0;
    for (int i = 1; i < runs && start[i] <= high; i++) {
        if (start[i] < low)
            continue;
        std::uint64_t bit = differing_bit(row[start[i]].key, row[start[i] - 1].key);
        if (best < 0 || bit > best_bit) {
            best = start[i];
            best_bit = bit;
        }
    }
    if (best_bit != 0) {
        *bound = {row[best].key & ~(best_bit - 1), 0};
        return best;
    }

    // One run fills the window, or all its keys are equal and the cut goes to the middle, by tid. Sort the
    // run there in either case.
    int middle = (low + high) / 2;
    int run = static_cast<int>(std::upper_bound(start, start + runs, middle) - start) - 1;
    std::sort(row + start[run], row + (run + 1 < runs ? start[run + 1] : count));
    if (best < 0)
        return choose_cut<Row>(row, low, high, bound);
    *bound = row[middle];
    return middle;
}

int first_bit(Position position)
{
    if (position.key != 0)
        return std::countl_zero(position.key);
    std::uint64_t tid = position.tid << 16;
    return tid != 0 ? 64 + std::countl_zero(tid) : kPositionBits;
}

Digit make_digit(int first, int width)
{
    SIMHASH_ASSERT(width < 64);
    bool of_tid = first >= 64;
    int left = (of_tid ? kPositionBits : 64) - first;
    width = std::clamp(width, 0, left);
    return {of_tid, std::min(left - width, 63), width};
}

int digit_width(std::size_t count, std::size_t rows, int widest)
{
    return std::clamp(bit_width((count - (count > 0)) / rows), 1, widest);
}

template <typename Row>
void divide_into_runs(Row *row, Row *other, std::size_t count, RunSink<Row> sink, void *context)
{
    if (count <= kRunRows) {
        if (count > 0)
            sink(row, static_cast<int>(count), context);
        return;
    }
    Position differs = {0, 0};
    for (std::size_t i = 1; i < count; i++) {
        differs.key |= row[i].key ^ row[0].key;
        differs.tid |= row[i].tid ^ row[0].tid;
    }
    int bit = first_bit(differs);
    if (bit == kPositionBits) { // copies of one row, which no table holds
        for (std::size_t i = 0; i < count; i += kRunRows)
            sink(row + i, static_cast<int>(std::min(kRunRows, count - i)), context);
        return;
    }

    Digit digit = make_digit(bit, digit_width(count, kRunAim, kWidest));
    std::size_t buckets = std::size_t{1} << digit.width;
    std::uint32_t end[std::size_t{1} << kWidest] = {};
    for (std::size_t i = 0; i < count; i++)
        end[digit(row[i])]++;
    std::uint32_t at = 0;
    for (std::size_t b = 0; b < buckets; b++) {
        std::uint32_t rows = end[b];
        end[b] = at;
        at += rows;
    }
    for (std::size_t i = 0; i < count; i++)
        other[end[digit(row[i])]++] = row[i];
    for (std::size_t b = 0, from = 0; b < buckets; from = end[b], b++)
        divide_into_runs(other + from, row + from, end[b] - from, sink, context);
}

template int choose_cut(const Position *, int, int, Position *);
template int choose_cut(const PairRow *, int, int, Position *);
template int choose_cut(Position *, int, const int *, int, int, int, Position *);
template int choose_cut(PairRow *, int, const int *, int, int, int, Position *);
template void divide_into_runs(Position *, Position *, std::size_t, RunSink<Position>, void *);
template void divide_into_runs(PairRow *, PairRow *, std::size_t, RunSink<PairRow>, void *);

} // namespace simhash
