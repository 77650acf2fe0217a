#include "core/page/leaf_find.hpp"

#include <algorithm>

#include "core/kernels/blocks.hpp"

namespace simhash
{

namespace
{

// Some numbers of up to seven bits.
struct SevenBitSet {
    std::uint64_t word[2];

    SevenBitSet operator&(const SevenBitSet &other) const
    {
        return {{word[0] & other.word[0], word[1] & other.word[1]}};
    }
    SevenBitSet without(const SevenBitSet &other) const
    {
        return {{word[0] & ~other.word[0], word[1] & ~other.word[1]}};
    }
    bool empty() const { return (word[0] | word[1]) == 0; }
    int first() const { return word[0] != 0 ? std::countr_zero(word[0]) : 64 + std::countr_zero(word[1]); }
    // The end of the run of numbers that begins here.
    int end_of_run(int from) const
    {
        const int half = from / 64, ones = std::countr_one(word[half] >> from % 64);
        if (half == 0 && from + ones == 64)
            return 64 + std::countr_one(word[1]);
        return from + ones;
    }
    void remove_below(int end)
    {
        word[0] = end >= 64 ? 0 : word[0] >> end << end;
        if (end > 64)
            word[1] = end >= 128 ? 0 : word[1] >> (end - 64) << (end - 64);
    }
    // The numbers that differ from those of the set in the bits of `flips`.
    SevenBitSet flipped(int flips) const
    {
        if (word[0] == 1 && word[1] == 0) // the usual case
            return flips < 64 ? SevenBitSet{{std::uint64_t{1} << flips, 0}}
                              : SevenBitSet{{0, std::uint64_t{1} << (flips - 64)}};
        constexpr std::uint64_t kZeros[] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F,
                                            0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF};
        SevenBitSet set = flips & 64 ? SevenBitSet{{word[1], word[0]}} : *this;
        for (int bit = 0; bit < 6; bit++) {
            if (flips >> bit & 1) {
                for (std::uint64_t &part : set.word)
                    part = (part & kZeros[bit]) << (1 << bit) | (part >> (1 << bit) & kZeros[bit]);
            }
        }
        return set;
    }
};

// within[low][most]: the numbers of which at most `most` bits are set beside the `low` lowest.
struct NumbersWithin {
    SevenBitSet within[8][8] = {};

    constexpr NumbersWithin()
    {
        for (int low = 0; low < 8; low++) {
            for (int most = 0; most < 8; most++) {
                for (unsigned number = 0; number < 128; number++) {
                    if (std::popcount(number >> low) <= most)
                        within[low][most].word[number / 64] |= std::uint64_t{1} << number % 64;
                }
            }
        }
    }
};
constexpr NumbersWithin kNumbers;

const SevenBitSet &numbers_within(int low, int most) { return kNumbers.within[low][std::min(most, 7)]; }
// The numbers of so many bits.
const SevenBitSet &numbers_below(int bits) { return kNumbers.within[bits][0]; }

class LeafSearch
{
public:
    [[gnu::always_inline]] LeafSearch(const char *page, const LeafQuery &query, LeafEntry *found)
        : leaf_(page), query_(query), found_(found)
    {
    }

    [[gnu::always_inline]] int run(const LeafKernels &kernels)
    {
        if (leaf_.whole())
            search_words(kernels);
        else if (leaf_.key_bytes() >= 4)
            search_columns(kernels.columns);
        else
            search_each();
        search_bag();
        return count_;
    }

private:
    [[gnu::always_inline]] static int errors(std::uint64_t a, std::uint64_t b)
    {
        return __builtin_popcountll(a ^ b);
    }

    [[gnu::always_inline]] void add(int place, const LeafKey &key)
    {
        if (!leaf_.is_removed(place))
            found_[count_++] = {key, leaf_.tid(place)};
    }
    [[gnu::always_inline]] bool wanted(const LeafKey &key) const
    {
        const LeafKey &center = query_.key;
        const int in_header = errors(key.word[0] & query_.header, center.word[0] & query_.header);
        return errors(key.word[0], center.word[0]) + errors(key.word[1], center.word[1]) <= query_.radius &&
               in_header >= query_.least && in_header <= query_.budget;
    }
    [[gnu::always_inline]] void add_if_wanted(int place, const LeafKey &key)
    {
        if (wanted(key))
            add(place, key);
    }

    [[gnu::always_inline]] void search_words(const LeafKernels &kernels)
    {
        const auto *words = reinterpret_cast<const std::uint64_t *>(leaf_.column(0));
        const LeafKey &key = query_.key;
        int matches = leaf_.words == 2
                          ? kernels.pairs(words, leaf_.ordered(), key.word, query_.radius, match_)
                          : kernels.words(words, leaf_.ordered(), key.word[0], query_.radius, match_);
        for (int i = 0; i < matches; i++)
            add_if_wanted(match_[i], leaf_.key_in_columns(match_[i], 0));
    }

    // Neighboring sub-ranges that the search reaches are compared in one go.
    [[gnu::always_inline]] void search_columns(ColumnMatch match)
    {
        const std::uint64_t key = query_.key.word[0], leading = leading_bits(leaf_.prefix_bits);
        const std::uint64_t differs = (leaf_.prefix ^ key) & leading;
        const int radius = query_.radius - __builtin_popcountll(differs);
        const int in_header = __builtin_popcountll(differs & query_.header);
        const int budget = query_.budget - in_header, least = query_.least - in_header;
        if (radius < 0 || budget < 0)
            return;
        const int beyond_header = __builtin_popcountll(~(leading | query_.header)) - 8 * leaf_.key_bytes();
        const int center = leaf_.sub_range(key);
        SevenBitSet reached = numbers_within(0, radius) & numbers_within(std::max(beyond_header, 0), budget);
        if (least > 0 && beyond_header >= 0) // the header ends here
            reached = reached.without(numbers_within(beyond_header, least - 1));
        reached = (reached & numbers_below(leaf_.sub_bits())).flipped(center);
        while (!reached.empty()) {
            const int from = reached.first(), to = reached.end_of_run(from);
            int fewest = errors(from, center);
            for (int sub = from + 1; sub < to; sub++)
                fewest = std::min(fewest, errors(sub, center));
            search_run(match, from, to, radius - fewest);
            reached.remove_below(to);
        }
    }

    [[gnu::always_inline]] void search_run(ColumnMatch match, int first_sub, int end_sub, int radius)
    {
        // From here on 32 bits let too many rows pass.
        constexpr int kBothColumns = 8;
        const int bytes = leaf_.key_bytes();
        // No place is compared twice, even if the ends of a damaged leaf do not ascend: `found` would overflow.
        const int from = std::max(first_sub == 0 ? 0 : leaf_.end(first_sub - 1), compared_);
        const int to = leaf_.end(end_sub - 1);
        if (from >= to)
            return;
        compared_ = to;
        const std::uint64_t key = query_.key.word[0];
        KeyColumns columns = {leaf_.column(0) + std::ptrdiff_t{4} * from, nullptr,
                              static_cast<std::uint32_t>(key >> 8 * (bytes - 4)), 0, radius};
        if (radius >= kBothColumns && (bytes & 2)) {
            columns.second = leaf_.column(4) + std::ptrdiff_t{2} * from;
            columns.second_query = static_cast<std::uint16_t>(key >> 8 * (bytes & 1));
        }
        int matches = match(columns, to - from, match_);
        for (int i = 0, sub = first_sub; i < matches; i++) {
            int place = from + match_[i];
            while (sub + 1 < end_sub && place >= leaf_.end(sub))
                sub++;
            add_if_wanted(place, leaf_.key_in_columns(place, sub));
        }
    }

    [[gnu::always_inline]] void search_each()
    {
        for (int sub = 0, place = 0; sub < leaf_.sub_ranges(); sub++) {
            for (int to = leaf_.end(sub); place < to; place++)
                add_if_wanted(place, leaf_.key_in_columns(place, sub));
        }
    }

    [[gnu::always_inline]] void search_bag()
    {
        const std::uint64_t first = query_.key.word[0], same = leading_bits(leaf_.prefix_bits);
        const std::uint64_t rest = first & ~same;
        const int radius = query_.radius - errors(leaf_.prefix, first & same);
        int matches = 0;
        for (int place = leaf_.ordered(); place < leaf_.places(); place++) {
            match_[matches] = static_cast<std::uint16_t>(place);
            matches += errors(load_bytes(leaf_.bag_row(place), 8) & ~same, rest) <= radius;
        }
        for (int i = 0; i < matches; i++)
            add_if_wanted(match_[i], leaf_.key_in_bag(match_[i]));
    }

    const LeafView leaf_;
    const LeafQuery query_;
    LeafEntry *const found_;
    int count_ = 0;
    int compared_ = 0; // the end of the last run
    std::uint16_t match_[kMostLeafEntries];
};

int find_scalar(const LeafKernels &kernels, const char *page, const LeafQuery &query, LeafEntry *found)
{
    return LeafSearch(page, query, found).run(kernels);
}

#if defined(__x86_64__)
SIMHASH_POPCNT int find_popcnt(const LeafKernels &kernels, const char *page, const LeafQuery &query,
                               LeafEntry *found)
{
    return LeafSearch(page, query, found).run(kernels);
}
#endif

} // namespace

LeafFind::LeafFind(SimdLevel level)
    : find_(find_scalar), kernels_{column_match(level), leaf_match(level), plane_match(level)}
{
#if defined(__x86_64__)
    if (level != SimdLevel::kScalar)
        find_ = find_popcnt;
#endif
}

} // namespace simhash
