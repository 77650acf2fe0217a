#include "core/features/feature_vector.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/features/feature_batch.hpp"

namespace simhash
{

namespace
{

constexpr std::size_t kHeader = 4;

std::size_t feature_size(bool weighted)
{
    return sizeof(std::uint64_t) + (weighted ? sizeof(Weight) : sizeof(std::uint32_t));
}

// What is stored of a feature's count, and back. Counts from 2^32 on weigh as 2^32 - 1.
void store(const FeatureCount &row, std::uint32_t *number) { *number = term_frequency(row.count); }
void store(const FeatureCount &row, Weight *number) { *number = slot_weight(row); }
std::uint64_t slot_count(std::uint32_t number) { return number; }
std::uint64_t slot_count(Weight number) { return static_cast<std::uint64_t>(number) + kWeightZero; }

// Writes the hashes in ascending order, and behind them the numbers. Hashes are evenly distributed, unless somebody chose
// them: so the first bits put most of them into place.
template <typename Number>
void write_sorted(FeatureCount *rows, std::size_t count, std::uint64_t *hashes, void (*between)())
{
    constexpr int kBitsMax = 12;
    constexpr std::uint32_t kFew = 16;
    auto *numbers = reinterpret_cast<Number *>(hashes + count);
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < count; i++)
        any |= rows[i].hash;
    const int bits = std::clamp(static_cast<int>(std::bit_width(count)), 1, kBitsMax);
    const int shift = std::max(static_cast<int>(std::bit_width(any)) - bits, 0);
    const std::size_t parts = std::size_t{1} << bits;
    // Where each part begins, and when all features have been written, where it ends.
    std::uint32_t end[(1 << kBitsMax) + 1];
    std::fill_n(end, parts + 1, 0);
    for (std::size_t i = 0; i < count; i++)
        end[(rows[i].hash >> shift) + 1]++;
    const std::uint32_t largest = *std::max_element(end, end + parts + 1);
    for (std::size_t i = 1; i < parts; i++)
        end[i] += end[i - 1];
    auto write = [&](std::size_t at, const FeatureCount &row) {
        hashes[at] = row.hash;
        store(row, &numbers[at]);
    };
    for (std::size_t i = 0; i < count; i++)
        write(end[rows[i].hash >> shift]++, rows[i]);
    if (largest <= kFew) {
        for (std::size_t i = 1; i < count; i++) {
            const std::uint64_t hash = hashes[i];
            if (hashes[i - 1] < hash)
                continue;
            const Number number = numbers[i];
            std::size_t at = i;
            for (; at > 0 && hashes[at - 1] > hash; at--) {
                hashes[at] = hashes[at - 1];
                numbers[at] = numbers[at - 1];
            }
            hashes[at] = hash;
            numbers[at] = number;
        }
        return;
    }
    for (std::size_t part = 0, begin = 0; part < parts; begin = end[part++]) {
        between();
        for (std::size_t i = begin; i < end[part]; i++)
            rows[i] = {hashes[i], slot_count(numbers[i])};
        std::sort(rows + begin, rows + end[part],
                  [](const FeatureCount &a, const FeatureCount &b) { return a.hash < b.hash; });
        for (std::size_t i = begin; i < end[part]; i++)
            write(i, rows[i]);
    }
}

// Calls found(i, j) for each feature i of `a` that is feature j of `b`.
template <typename Found> void merge(const FeatureVector &a, const FeatureVector &b, Found found)
{
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const std::uint64_t x = a.hash(i), y = b.hash(j);
        if (x == y)
            found(i, j);
        i += x <= y;
        j += y <= x;
    }
}

} // namespace

bool FeatureVector::open(const void *stored, std::size_t bytes)
{
    const auto *from = static_cast<const std::uint8_t *>(stored);
    if (bytes < kHeader || from[0] != kVectorVersion || from[1] > 1 || from[2] != 0 || from[3] != 0)
        return false;
    weighted_ = from[1] != 0;
    size_ = (bytes - kHeader) / feature_size(weighted_);
    hashes_ = static_cast<const char *>(stored) + kHeader;
    numbers_ = hashes_ + size_ * sizeof(std::uint64_t);
    return bytes == vector_size(weighted_, size_);
}

std::size_t vector_size(bool weighted, std::size_t count) { return kHeader + count * feature_size(weighted); }

void write_vector(bool weighted, FeatureCount *rows, std::size_t count, void *to, void (*between)())
{
    const std::uint8_t header[kHeader] = {kVectorVersion, weighted};
    std::memcpy(to, header, sizeof(header));
    auto *hashes = reinterpret_cast<std::uint64_t *>(static_cast<char *>(to) + kHeader);
    if (weighted)
        write_sorted<Weight>(rows, count, hashes, between);
    else
        write_sorted<std::uint32_t>(rows, count, hashes, between);
}

bool small_weights(const FeatureVector &features)
{
    for (std::size_t i = 0; i < features.size(); i++)
        if (!WeightBatch::fits(features.weight(i)))
            return false;
    return true;
}

bool add_features(const FeatureVector &features, std::size_t from, std::size_t to, bool small,
                  SignatureSums sums)
{
    if (!features.weighted()) {
        FeatureBatch batch;
        for (std::size_t i = from; i < to; i++) {
            batch.put_if(true, features.hash(i), features.count(i));
            if (batch.full())
                batch.add_to(sums);
        }
        batch.add_to(sums);
    } else if (small) {
        WeightBatch batch;
        for (std::size_t i = from; i < to; i++) {
            batch.put(features.hash(i), features.weight(i));
            if (batch.full())
                batch.add_to(sums);
        }
        batch.add_to(sums);
    } else {
        for (std::size_t i = from; i < to; i++)
            if (!add_feature(sums, features.hash(i), features.weight(i)))
                return false;
    }
    return true;
}

bool rare_weight(Weight weight, std::uint32_t rarity, Weight *out)
{
    __extension__ typedef __int128 Wide;
    const Wide product = (static_cast<Wide>(weight) * rarity + (1 << (kLogarithmicFractionBits - 1))) >>
                         kLogarithmicFractionBits;
    *out = static_cast<Weight>(product);
    return *out == product && *out != INT64_MIN;
}

std::size_t count_common(const FeatureVector &a, const FeatureVector &b)
{
    std::size_t common = 0;
    merge(a, b, [&](std::size_t, std::size_t) { common++; });
    return common;
}

ProductSum sum_products(const FeatureVector &a, const FeatureVector &b)
{
    ProductSum sum;
    merge(a, b, [&](std::size_t i, std::size_t j) { sum.add(a.weight(i), b.weight(j)); });
    return sum;
}

double ProductSum::value() const
{
    Wide high = high_ + (low_ >> 64);
    std::uint64_t low = static_cast<std::uint64_t>(low_);
    // The magnitude is converted: in the sum of a negative high part and the low part, digits would cancel out.
    bool negative = high < 0;
    if (negative) {
        high = -high - (low != 0);
        low = -low;
    }
    double magnitude = static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
    return negative ? -magnitude : magnitude;
}

bool cosine(const ProductSum &ab, const ProductSum &aa, const ProductSum &bb, double *out)
{
    double squares = aa.value() * bb.value();
    if (squares == 0)
        return false;
    // The square root of x * x is x, so the cosine of a vector with itself is exactly 1.
    *out = std::clamp(ab.value() / std::sqrt(squares), -1.0, 1.0);
    return true;
}

bool weights_cosine(const Weights &a, const Weights &b, double *out)
{
    ProductSum ab, aa, bb;
    for (int j = 0; j < kBits; j++) {
        ab.add(a.sum[j], b.sum[j]);
        aa.add(a.sum[j], a.sum[j]);
        bb.add(b.sum[j], b.sum[j]);
    }
    return cosine(ab, aa, bb, out);
}

bool weights_cosine(const Weights &a, Fingerprint b, double *out)
{
    const Fingerprint differing = weights_fingerprint(a) ^ b;
    ProductSum all, opposite;
    for (int j = 0; j < kBits; j++) {
        all.add(a.sum[j], a.sum[j]);
        if ((differing >> j & 1) != 0)
            opposite.add(a.sum[j], a.sum[j]);
    }
    if (all.value() == 0)
        return false;
    *out = 1 - 2 * (opposite.value() / all.value());
    return true;
}

} // namespace simhash
