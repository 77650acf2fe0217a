// Sums of any features: the same whether equal weights are combined or not, and the signature has their signs.
#include "targets.hpp"

#include "core/bits/signature.hpp"
#include "core/features/feature_counts.hpp"
#include "core/features/term_frequency.hpp"

#include <vector>

namespace simhash
{

void fuzz_signature_sums(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    int bits = kSignatureBitsMin + bytes.take<std::uint16_t>() % 400;
    auto most = std::uint32_t{1} << bytes.take<std::uint8_t>() % 32;
    std::vector<Weights> combined(static_cast<std::size_t>(signature_words(bits))),
        one_by_one(combined.size());
    SignatureSums sums = {combined.data(), combined.size()},
                  expected = {one_by_one.data(), one_by_one.size()};
    clear_sums(sums);
    clear_sums(expected);

    std::vector<FeatureCount> slots(4096);
    FeatureCounts counts;
    TableSalts salts(1);
    counts.init(slots.data(), slots.size(), &salts);
    while (!bytes.empty() && !counts.full()) {
        auto tf = 1 + bytes.take<std::uint32_t>() % most;
        counts.add(bytes.take<std::uint64_t>(), tf);
    }
    for (const FeatureCount &slot : slots) {
        auto tf = static_cast<std::uint32_t>(slot.count < 0xFFFFFFFF ? slot.count : 0xFFFFFFFF);
        FUZZ_EXPECT(tf == 0 ||
                    add_feature(expected, slot.hash, Weight{logarithmic_weight(tf)} << kLogarithmicShift));
    }
    counts.add_logarithmic(0, slots.size(), sums);
    std::unique_ptr<std::uint8_t[]> signature(new std::uint8_t[static_cast<std::size_t>(bits + 7) / 8]);
    write_signature(sums, bits, signature.get());
    for (int j = 0; j < bits; j++) {
        FUZZ_EXPECT(signature_sum(sums, j) == signature_sum(expected, j));
        FUZZ_EXPECT(((signature[static_cast<std::size_t>(j) / 8] & 0x80 >> j % 8) != 0) ==
                    (signature_sum(sums, j) >= 0));
    }
    for (int j = bits; j % 8 != 0; j++)
        FUZZ_EXPECT((signature[static_cast<std::size_t>(j) / 8] & 0x80 >> j % 8) == 0);
}

} // namespace simhash
