#include "core/page/leaf_find.hpp"

#include <algorithm>

#include "core/kernels/blocks.hpp"

namespace simhash
{

namespace
{

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
        return errors(key.word[0], center.word[0]) + errors(key.word[1], center.word[1]) <= query_.radius &&
               errors(key.word[0] & query_.header, center.word[0] & query_.header) <= query_.budget;
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
        constexpr int kNone = 999;
        const int rest_bits = 8 * leaf_.key_bytes();
        int first_sub = 0, fewest = kNone;
        for (int sub = 0; sub < leaf_.sub_ranges(); sub++) {
            int head = errors_before(sub, rest_bits);
            if (head <= query_.radius) {
                if (fewest == kNone)
                    first_sub = sub;
                fewest = std::min(fewest, head);
            } else if (fewest != kNone) {
                search_run(match, first_sub, sub, query_.radius - fewest);
                fewest = kNone;
            }
        }
        if (fewest != kNone)
            search_run(match, first_sub, leaf_.sub_ranges(), query_.radius - fewest);
    }

    // How many bits before the columns' differ in a sub-range; more than any radius if the budget is exceeded.
    [[gnu::always_inline]] int errors_before(int sub, int rest_bits) const
    {
        const std::uint64_t above = ~std::uint64_t{0} << rest_bits;
        std::uint64_t differs =
            ((leaf_.prefix | static_cast<std::uint64_t>(sub) << rest_bits) ^ query_.key.word[0]) & above;
        return __builtin_popcountll(differs & query_.header) > query_.budget ? 1000
                                                                             : __builtin_popcountll(differs);
    }

    [[gnu::always_inline]] void search_run(ColumnMatch match, int first_sub, int end_sub, int radius)
    {
        // From here on 32 bits let too many rows pass.
        constexpr int kBothColumns = 8;
        const int bytes = leaf_.key_bytes();
        int from = first_sub == 0 ? 0 : leaf_.end(first_sub - 1), to = leaf_.end(end_sub - 1);
        if (from >= to)
            return;
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
        for (int place = leaf_.ordered(); place < leaf_.places(); place++)
            add_if_wanted(place, leaf_.key_in_bag(place));
    }

    const LeafView leaf_;
    const LeafQuery query_;
    LeafEntry *const found_;
    int count_ = 0;
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
