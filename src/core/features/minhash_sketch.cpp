#include "core/features/minhash_sketch.hpp"

#include <algorithm>
#include <cstring>

#include "core/bits/contract.hpp"

namespace simhash
{

namespace
{

constexpr int kRoundShift = 48;
constexpr std::uint64_t kFractionMask = (std::uint64_t{1} << kRoundShift) - 1;
static_assert(2 * kMinhashSizeMax <= 1 << (63 - kRoundShift));

// Elements may be numbers in sequence; their hashes for all rounds must be independent.
std::uint64_t scatter(std::uint64_t element) { return split_mix(element ^ 0x6A09E667F3BCC908); }

} // namespace

void MinhashSketch::init(std::uint64_t *minima, int size)
{
    SIMHASH_ASSERT(1 <= size && size <= kMinhashSizeMax);
    minima_ = minima;
    size_ = size;
    unset_ = size;
    std::fill_n(minima, size, kMinhashEmpty);
}

// The round of the largest minimum: elements change nothing in later rounds. While a place is not set, the last of all.
int MinhashSketch::last_round() const
{
    if (unset_ > 0)
        return 2 * size_ - 1;
    return static_cast<int>(*std::max_element(minima_, minima_ + size_) >> kRoundShift);
}

void MinhashSketch::add_round(int round, const std::uint64_t *seeds, std::size_t count)
{
    const auto size = static_cast<std::uint64_t>(size_);
    const std::uint64_t high = static_cast<std::uint64_t>(round) << kRoundShift;
    for (std::size_t i = 0; i < count; i++) {
        std::uint64_t hash = split_mix_number(seeds[i], static_cast<std::uint64_t>(round) + 1);
        std::uint64_t place =
            round < size_ ? (hash >> 32) * size >> 32 : static_cast<std::uint64_t>(round - size_);
        unset_ -= minima_[place] == kMinhashEmpty ? 1 : 0;
        minima_[place] = std::min(minima_[place], high | (hash & kFractionMask));
    }
}

void MinhashSketch::add(std::uint64_t *hashes, std::size_t count)
{
    if (count == 0)
        return;
    std::transform(hashes, hashes + count, hashes, scatter);
    for (int round = 0; round <= last_round(); round++)
        add_round(round, hashes, count);
}

void MinhashSketch::unite(const std::uint64_t *other)
{
    unite_minima(minima_, other, size_);
    unset_ = 0;
}

void unite_minima(std::uint64_t *to, const std::uint64_t *other, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = static_cast<std::uint64_t>(
            std::min(static_cast<std::int64_t>(to[i]), static_cast<std::int64_t>(other[i])));
}

void write_minhash_bits(const std::uint64_t *minima, int size, std::uint8_t *to)
{
    std::memset(to, 0, (static_cast<std::size_t>(size) + 7) / 8);
    for (int i = 0; i < size; i++)
        if (minhash_bit(minima[i]))
            to[i / 8] |= static_cast<std::uint8_t>(0x80 >> i % 8);
}

} // namespace simhash
