#include "core/layout/key_ranges.hpp"

#include "core/bits/contract.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

bool begins_before(const KeyRange &a, const KeyRange &b)
{
    return a.tree != b.tree ? a.tree < b.tree : a.first < b.first;
}

// Whether a range of the same turn begins within `a` or directly above it.
bool continues(const KeyRange &a, const KeyRange &b)
{
    return a.tree == b.tree && a.turn == b.turn && b.first >= a.first &&
           (b.first <= a.last || b.first - 1 == a.last);
}

} // namespace

void KeyRanges::begin(KeyRange *memory, std::size_t capacity)
{
    range_ = memory;
    count_ = 0;
    capacity_ = capacity;
    trees_ = 0;
}

void KeyRanges::append(const KeyRange &range)
{
    if (range.first > range.last)
        return;
    SIMHASH_ASSERT(!full());
    range_[count_++] = range;
    trees_ |= std::uint32_t{1} << range.tree;
}

void KeyRanges::arrange()
{
    std::sort(range_, range_ + count_, begins_before);
    std::size_t to = 0;
    for (std::size_t i = 0; i < count_; i++) {
        if (to > 0 && continues(range_[to - 1], range_[i]))
            range_[to - 1].last = std::max(range_[to - 1].last, range_[i].last);
        else
            range_[to++] = range_[i];
    }
    count_ = to;
}

std::size_t KeyRanges::upto(int tree, std::uint64_t key) const
{
    const KeyRange at = {key, key, static_cast<std::uint32_t>(tree), 0};
    return static_cast<std::size_t>(std::upper_bound(range_, range_ + count_, at, begins_before) - range_);
}

void KeyRanges::add(int tree, std::uint32_t turn, std::uint64_t first, std::uint64_t last, std::uint64_t key)
{
    SIMHASH_ASSERT(key >= first && key <= last && find(tree, key) == nullptr);
    KeyRange range = {first, last, static_cast<std::uint32_t>(tree), turn};
    std::size_t at = upto(tree, key);
    if (at < count_ && range_[at].tree == range.tree)
        range.last = std::min(last, range_[at].first - 1);
    if (at > 0 && range_[at - 1].tree == range.tree) {
        range.first = std::max(first, range_[at - 1].last + 1);
        if (continues(range_[at - 1], range)) {
            range_[at - 1].last = range.last;
            return;
        }
    }
    if (full())
        return;
    std::copy_backward(range_ + at, range_ + count_, range_ + count_ + 1);
    range_[at] = range;
    count_++;
    trees_ |= std::uint32_t{1} << tree;
}

bool KeyRanges::skip(int tree, std::uint64_t *key) const
{
    for (const KeyRange *range; (range = find(tree, *key)) != nullptr;) {
        if (range->last == ~std::uint64_t{0})
            return false;
        *key = range->last + 1;
    }
    return true;
}

std::uint64_t KeyRanges::next_read(int tree, std::uint64_t key) const
{
    const std::size_t at = upto(tree, key);
    return at < count_ && range_[at].tree == static_cast<std::uint32_t>(tree) ? range_[at].first
                                                                              : ~std::uint64_t{0};
}

const KeyRange *KeyRanges::find(int tree, std::uint64_t key) const
{
    std::size_t at = upto(tree, key);
    if (at == 0)
        return nullptr;
    const KeyRange &range = range_[at - 1];
    return range.tree == static_cast<std::uint32_t>(tree) && key <= range.last ? &range : nullptr;
}

} // namespace simhash
