#include "core/features/feature_frequencies.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/bits/bisect.hpp"
#include "core/bits/contract.hpp"
#include "core/features/term_frequency.hpp"

namespace simhash
{

namespace
{

// Some four hashes have the same place in the directory.
int directory_bits(std::uint32_t count)
{
    return count < 8 ? 0 : 29 - std::countl_zero(count); // the number's width, less 3
}

std::size_t directory_place(std::uint64_t hash, int bits)
{
    return bits == 0 ? 0 : static_cast<std::size_t>(hash >> (64 - bits));
}

// The stored form need not be aligned.
template <typename Number> Number load(const char *from, std::size_t i)
{
    Number number;
    std::memcpy(&number, from + i * sizeof(Number), sizeof(Number));
    return number;
}

template <typename Number> char *store(char *to, Number number)
{
    std::memcpy(to, &number, sizeof(Number));
    return to + sizeof(Number);
}

bool more_frequent(const FeatureFrequency &a, const FeatureFrequency &b)
{
    return a.documents != b.documents ? a.documents > b.documents : a.hash < b.hash;
}

std::uint32_t feature_rarity(const FrequenciesHeader &header, std::uint32_t with_feature)
{
    return rarity(header.documents, std::max(with_feature, header.missed));
}

} // namespace

std::uint32_t rarity(std::uint32_t documents, std::uint32_t with_feature)
{
    std::uint32_t all = logarithmic_weight(std::max(documents, 1U) + 1);
    std::uint32_t some = logarithmic_weight(std::max(with_feature, 1U));
    return all > some ? all - some : 1;
}

bool FeatureFrequencies::open(const void *stored, std::size_t bytes)
{
    if (bytes < sizeof(header_))
        return false;
    std::memcpy(&header_, stored, sizeof(header_));
    if (header_.version != kFrequenciesVersion || header_.unit > FrequencyUnit::kGiven || header_.zero != 0 ||
        header_.count > kKeptMax || header_.directory_bits != directory_bits(header_.count) ||
        bytes != frequencies_size(header_.count))
        return false;
    hashes_ = static_cast<const char *>(stored) + sizeof(header_);
    directory_ = hashes_ + std::size_t{header_.count} * sizeof(std::uint64_t);
    documents_ = directory_ + ((std::size_t{1} << header_.directory_bits) + 1) * sizeof(std::uint32_t);
    rarities_ = documents_ + std::size_t{header_.count} * sizeof(std::uint32_t);
    unknown_ = feature_rarity(header_, 1);
    return true;
}

FeatureFrequency FeatureFrequencies::at(std::uint32_t i) const
{
    SIMHASH_ASSERT(i < header_.count);
    return {load<std::uint64_t>(hashes_, i), load<std::uint32_t>(documents_, i)};
}

std::int64_t FeatureFrequencies::find(std::uint64_t hash) const
{
    std::size_t place = directory_place(hash, header_.directory_bits);
    // A damaged directory finds nothing, and nothing outside.
    std::uint32_t end = std::min(load<std::uint32_t>(directory_, place + 1), header_.count);
    std::uint32_t at =
        first_enough(std::min(load<std::uint32_t>(directory_, place), end), end,
                     [=, this](std::uint32_t i) { return load<std::uint64_t>(hashes_, i) >= hash; });
    return at < end && load<std::uint64_t>(hashes_, at) == hash ? std::int64_t{at} : -1;
}

std::uint32_t FeatureFrequencies::rarity_of(std::uint64_t hash) const
{
    std::int64_t place = find(hash);
    return place < 0 ? unknown_ : load<std::uint16_t>(rarities_, static_cast<std::size_t>(place));
}

std::size_t frequencies_size(std::uint32_t count)
{
    constexpr std::size_t kEach = sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(std::uint16_t);
    std::size_t directory = (std::size_t{1} << directory_bits(count)) + 1;
    return sizeof(FrequenciesHeader) + directory * sizeof(std::uint32_t) + kEach * count;
}

void write_frequencies(FrequenciesHeader header, const FeatureFrequency *kept, std::uint32_t count, void *to)
{
    SIMHASH_ASSERT(count <= kKeptMax);
    int bits = directory_bits(count);
    header.version = kFrequenciesVersion;
    header.directory_bits = static_cast<std::uint8_t>(bits);
    header.count = count;
    header.zero = 0;
    char *at = store(static_cast<char *>(to), header);
    for (std::uint32_t i = 0; i < count; i++)
        at = store(at, kept[i].hash);
    std::uint32_t next = 0;
    for (std::size_t place = 0; place <= std::size_t{1} << bits; place++) {
        while (next < count && directory_place(kept[next].hash, bits) < place)
            next++;
        at = store(at, next);
    }
    for (std::uint32_t i = 0; i < count; i++)
        at = store(at, kept[i].documents);
    for (std::uint32_t i = 0; i < count; i++)
        at = store(at, static_cast<std::uint16_t>(feature_rarity(header, kept[i].documents)));
}

std::uint32_t keep_frequent(FeatureFrequency *features, std::size_t count, std::uint32_t most,
                            std::uint32_t *missed)
{
    std::size_t kept = std::min<std::size_t>(count, most);
    if (kept < count) {
        std::nth_element(features, features + kept, features + count, more_frequent);
        *missed = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(kDocumentsMax, std::uint64_t{*missed} + features[kept].documents));
    }
    std::sort(features, features + kept,
              [](const FeatureFrequency &a, const FeatureFrequency &b) { return a.hash < b.hash; });
    return static_cast<std::uint32_t>(kept);
}

} // namespace simhash
