// Inverted signature slice lists as sections 5.1 and 5.2 of the paper describe them.
//
// A signature of n bits is cut into ceil(n / w) slices of w bits; if they do not divide evenly, some have w - 1 bits. For
// each slice position there is an array of 2^w lists, and each list has the numbers of the rows with that value there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include <sys/mman.h>

#include "signature.hpp"

struct Slice {
    int first; // bit
    int width;

    std::uint32_t value(const Signature &of) const
    {
        std::uint64_t low = of[first / 64] >> first % 64;
        if (first % 64 + width > 64)
            low |= of[first / 64 + 1] << (64 - first % 64);
        return static_cast<std::uint32_t>(low & ((std::uint64_t{1} << width) - 1));
    }
};

// The wide slices come first.
inline std::vector<Slice> cut_slices(int width)
{
    int count = (kSignatureBits + width - 1) / width;
    std::vector<Slice> slices;
    for (int i = 0, first = 0; i < count; i++) {
        int bits = kSignatureBits / count + (i < kSignatureBits % count);
        slices.push_back({first, bits});
        first += bits;
    }
    return slices;
}

// Zeroed memory in huge pages, if the system has them.
template <typename T> class Memory
{
public:
    explicit Memory(std::size_t count) : count_(count)
    {
        std::size_t size = (count * sizeof(T) + kHuge - 1) / kHuge * kHuge;
        void *memory = std::aligned_alloc(kHuge, size);
        if (memory == nullptr)
            std::abort();
        madvise(memory, size, MADV_HUGEPAGE);
        at_.reset(static_cast<T *>(memory));
        std::fill_n(at_.get(), count, T{});
    }
    T *data() { return at_.get(); }
    const T *data() const { return at_.get(); }
    std::size_t bytes() const { return count_ * sizeof(T); }
    T &operator[](std::size_t i) { return at_.get()[i]; }
    const T &operator[](std::size_t i) const { return at_.get()[i]; }

private:
    static constexpr std::size_t kHuge = std::size_t{2} << 20;
    struct Free {
        void operator()(T *memory) const { std::free(memory); }
    };
    std::size_t count_;
    std::unique_ptr<T, Free> at_;
};

class SliceLists
{
public:
    SliceLists(std::span<const Signature> rows, int width)
        : slices_(cut_slices(width)), block_(size(rows.size()))
    {
        std::size_t at = 0;
        for (const Slice &slice : slices_) {
            starts_.push_back(&block_[at]);
            std::uint32_t *ids = &block_[at + lists(slice) + 1];
            ids_.push_back(ids);
            fill(rows, slice, &block_[at], ids);
            at += lists(slice) + 1 + rows.size();
        }
    }

    const std::vector<Slice> &slices() const { return slices_; }
    std::size_t bytes() const { return block_.bytes(); }
    // The list of a value is ids(p)[starts(p)[value]] up to, and not including, ids(p)[starts(p)[value + 1]].
    const std::uint32_t *starts(std::size_t position) const { return starts_[position]; }
    const std::uint32_t *ids(std::size_t position) const { return ids_[position]; }

private:
    static std::size_t lists(const Slice &slice) { return std::size_t{1} << slice.width; }

    std::size_t size(std::size_t rows) const
    {
        std::size_t words = 0;
        for (const Slice &slice : slices_)
            words += lists(slice) + 1 + rows;
        return words;
    }

    // A counting sort: start[v] is moved from the end of list v to its beginning as its rows are placed.
    static void fill(std::span<const Signature> rows, const Slice &slice, std::uint32_t *start,
                     std::uint32_t *ids)
    {
        for (const Signature &row : rows)
            start[slice.value(row)]++;
        for (std::size_t v = 1; v <= lists(slice); v++)
            start[v] += start[v - 1];
        for (std::size_t i = rows.size(); i-- > 0;)
            ids[--start[slice.value(rows[i])]] = static_cast<std::uint32_t>(i);
    }

    std::vector<Slice> slices_;
    Memory<std::uint32_t> block_;
    std::vector<const std::uint32_t *> starts_, ids_;
};

// All values with a given number of bits set, for each width of a slice.
class Neighborhoods
{
public:
    Neighborhoods(const std::vector<Slice> &slices, int most_flips)
    {
        for (const Slice &slice : slices) {
            if (of_width_.size() <= static_cast<std::size_t>(slice.width))
                of_width_.resize(slice.width + 1);
            if (!of_width_[slice.width].empty())
                continue;
            of_width_[slice.width].resize(most_flips + 1);
            for (std::uint32_t v = 0; v < std::uint32_t{1} << slice.width; v++) {
                if (std::popcount(v) <= most_flips)
                    of_width_[slice.width][std::popcount(v)].push_back(v);
            }
        }
    }
    const std::vector<std::uint32_t> &flips(int width, int distance) const
    {
        return of_width_[width][distance];
    }

private:
    std::vector<std::vector<std::vector<std::uint32_t>>> of_width_;
};

// A row and its distance from the query.
struct Found {
    std::uint32_t row;
    int distance;

    friend bool operator<(const Found &a, const Found &b)
    {
        return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
    }
};

// What is known of a row after the lists were read. A score is the sum of (width of the slice - distance) over the lists
// that have the row.
struct ScoreOnly {
    using Entry = std::uint16_t;
    static Entry increment(int width, int distance) { return static_cast<Entry>(width - distance); }
    static int score(Entry entry) { return entry; }
};

// For optimistic distances also the sum of the distances and the number of lists.
struct ScoreAndLists {
    using Entry = std::uint32_t;
    static Entry increment(int width, int distance)
    {
        return static_cast<Entry>((width - distance) | distance << 11 | 1 << 22);
    }
    static int score(Entry entry) { return static_cast<int>(entry & 2047); }
    static int distances(Entry entry) { return static_cast<int>(entry >> 11 & 2047); }
    static int lists(Entry entry) { return static_cast<int>(entry >> 22); }
};

// In which order a search reads lists. `kDistances`: those of all positions at distance 0, then 1, and so on. `kPositions`:
// all of a position, then the next one, as in the paper's Figure 1. It matters only with a candidate threshold, which then
// depends on what was seen earlier.
enum class ListOrder { kDistances, kPositions };

struct SearchOptions {
    int expansion; // i: lists of values within this distance are read
    int threshold; // j: lists beyond this distance add no candidates
    ListOrder order = ListOrder::kDistances;
};

template <typename Score> class Search
{
public:
    using Entry = typename Score::Entry;

    Search(const SliceLists &lists, std::size_t rows, int most_flips)
        : lists_(lists), rows_(rows), neighborhoods_(lists.slices(), most_flips), entries_(rows),
          candidates_(rows + 1), values_(lists.slices().size())
    {
    }

    // Reads the lists. Afterwards candidates() and entry() say what was seen.
    void run(const Signature &query, const SearchOptions &options)
    {
        clear();
        int positions = static_cast<int>(values_.size());
        for (int p = 0; p < positions; p++)
            values_[p] = lists_.slices()[p].value(query);
        if (options.order == ListOrder::kDistances) {
            for (int d = 0; d <= options.expansion; d++)
                for (int p = 0; p < positions; p++)
                    read(p, d, d <= options.threshold);
        } else {
            for (int p = 0; p < positions; p++)
                for (int d = 0; d <= options.expansion; d++)
                    read(p, d, d <= options.threshold);
        }
    }

    std::span<const std::uint32_t> candidates() const { return {candidates_.data(), count_}; }
    Entry entry(std::uint32_t row) const { return entries_[row]; }
    std::uint64_t postings() const { return postings_; } // read since the object was made
    std::size_t bytes() const { return entries_.bytes() + candidates_.bytes(); }

    // The k rows with the highest scores. Of equal scores, the first seen.
    std::vector<std::uint32_t> best(std::size_t k) const
    {
        struct Scored {
            int score;
            std::uint32_t row;
            bool operator<(const Scored &other) const { return score > other.score; }
        };
        std::vector<Scored> heap;
        for (std::uint32_t row : candidates()) {
            int score = Score::score(entries_[row]);
            if (heap.size() == k) {
                if (score <= heap.front().score)
                    continue;
                std::pop_heap(heap.begin(), heap.end());
                heap.pop_back();
            }
            heap.push_back({score, row});
            std::push_heap(heap.begin(), heap.end());
        }
        std::vector<std::uint32_t> rows;
        for (const Scored &scored : heap)
            rows.push_back(scored.row);
        return rows;
    }

private:
    static constexpr std::size_t kStartsAhead = 16;
    static constexpr std::size_t kIdsAhead = 8;

    void clear()
    {
        if (count_ > rows_ / 16)
            std::fill_n(entries_.data(), rows_, 0);
        else
            for (std::uint32_t row : candidates())
                entries_[row] = 0;
        count_ = 0;
    }

    void read(int position, int distance, bool add_candidates)
    {
        const std::uint32_t *starts = lists_.starts(position), *ids = lists_.ids(position);
        int width = lists_.slices()[position].width;
        const std::vector<std::uint32_t> &flips = neighborhoods_.flips(width, distance);
        Entry increment = Score::increment(width, distance);
        for (std::size_t f = 0; f < flips.size(); f++) {
            if (f + kStartsAhead < flips.size())
                __builtin_prefetch(&starts[values_[position] ^ flips[f + kStartsAhead]]);
            if (f + kIdsAhead < flips.size())
                __builtin_prefetch(&ids[starts[values_[position] ^ flips[f + kIdsAhead]]]);
            const std::uint32_t *list = &starts[values_[position] ^ flips[f]];
            postings_ += list[1] - list[0];
            if (add_candidates)
                add({ids + list[0], ids + list[1]}, increment);
            else
                raise({ids + list[0], ids + list[1]}, increment);
        }
    }

    void add(std::span<const std::uint32_t> list, Entry increment)
    {
        for (std::uint32_t row : list) {
            candidates_[count_] = row;
            count_ += entries_[row] == 0;
            entries_[row] = static_cast<Entry>(entries_[row] + increment);
        }
    }

    // Only rows that have a score already. If they are few, the others' entries are not written to; if they are many, a
    // branch would be predicted badly.
    void raise(std::span<const std::uint32_t> list, Entry increment)
    {
        if (count_ < rows_ / 64) {
            for (std::uint32_t row : list) {
                if (entries_[row] != 0)
                    entries_[row] = static_cast<Entry>(entries_[row] + increment);
            }
        } else {
            for (std::uint32_t row : list) {
                Entry entry = entries_[row];
                entries_[row] = static_cast<Entry>(entry + (entry == 0 ? 0 : increment));
            }
        }
    }

    const SliceLists &lists_;
    std::size_t rows_;
    Neighborhoods neighborhoods_;
    Memory<Entry> entries_;
    Memory<std::uint32_t> candidates_;
    std::vector<std::uint32_t> values_;
    std::size_t count_ = 0;
    std::uint64_t postings_ = 0;
};
