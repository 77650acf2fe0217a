#include "core/layout/key_ranges.hpp"

#include "core/bits/contract.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

bool begins_before(const KeyRange &a, const KeyRange &b)
{
    return a.table != b.table ? a.table < b.table : a.first < b.first;
}

// Whether a range of the same turn begins within `a` or directly above it.
bool continues(const KeyRange &a, const KeyRange &b)
{
    return a.table == b.table && a.turn == b.turn && b.first >= a.first &&
           (b.first <= a.last || b.first - 1 == a.last);
}

} // namespace

void KeyRanges::begin(KeyRange *memory, std::size_t capacity)
{
    range_ = memory;
    count_ = 0;
    capacity_ = capacity;
    tables_ = 0;
}

void KeyRanges::append(const KeyRange &range)
{
    if (range.first > range.last)
        return;
    SIMHASH_ASSERT(!full());
    range_[count_++] = range;
    tables_ |= std::uint32_t{1} << range.table;
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

std::size_t KeyRanges::upto(int table, std::uint64_t key) const
{
    const KeyRange at = {key, key, static_cast<std::uint32_t>(table), 0};
    return static_cast<std::size_t>(std::upper_bound(range_, range_ + count_, at, begins_before) - range_);
}

void KeyRanges::add(int table, std::uint32_t turn, std::uint64_t first, std::uint64_t last, std::uint64_t key)
{
    SIMHASH_ASSERT(key >= first && key <= last && find(table, key) == nullptr);
    KeyRange range = {first, last, static_cast<std::uint32_t>(table), turn};
    std::size_t at = upto(table, key);
    if (at < count_ && range_[at].table == range.table)
        range.last = std::min(last, range_[at].first - 1);
    if (at > 0 && range_[at - 1].table == range.table) {
        range.first = std::max(first, range_[at - 1].last + 1);
        if (continues(range_[at - 1], range)) {
            range_[at - 1].last = range.last;
            return;
        }
    }
    SIMHASH_ASSERT(!full());
    std::copy_backward(range_ + at, range_ + count_, range_ + count_ + 1);
    range_[at] = range;
    count_++;
    tables_ |= std::uint32_t{1} << table;
}

bool KeyRanges::skip(int table, std::uint64_t *key) const
{
    for (const KeyRange *range; (range = find(table, *key)) != nullptr;) {
        if (range->last == ~std::uint64_t{0})
            return false;
        *key = range->last + 1;
    }
    return true;
}

std::uint64_t KeyRanges::next_read(int table, std::uint64_t key) const
{
    const std::size_t at = upto(table, key);
    return at < count_ && range_[at].table == static_cast<std::uint32_t>(table) ? range_[at].first
                                                                                : ~std::uint64_t{0};
}

const KeyRange *KeyRanges::find(int table, std::uint64_t key) const
{
    std::size_t at = upto(table, key);
    if (at == 0)
        return nullptr;
    const KeyRange &range = range_[at - 1];
    return range.table == static_cast<std::uint32_t>(table) && key <= range.last ? &range : nullptr;
}

} // namespace simhash
