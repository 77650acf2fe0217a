// Weights in stored and external form, and their sums.
#include "targets.hpp"

#include "core/features/weights_format.hpp"

#include <memory>

namespace simhash
{

void fuzz_weights(const std::uint8_t *data, std::size_t size)
{
    auto weights = std::make_unique<Weights[]>(3);
    std::unique_ptr<std::uint8_t[]> stored(new std::uint8_t[size]);
    if (size > 0)
        std::memcpy(stored.get(), data, size);
    if (unpack_weights(stored.get(), size, &weights[0])) {
        std::unique_ptr<char[]> packed(new char[kStoredWeightsMax]);
        std::size_t length = pack_weights(weights[0], packed.get());
        FUZZ_EXPECT(length <= kStoredWeightsMax && length <= size);
        FUZZ_EXPECT(unpack_weights(packed.get(), length, &weights[1]));
        FUZZ_EXPECT(std::memcmp(&weights[0], &weights[1], sizeof(Weights)) == 0);
        weights_fingerprint(weights[0]);
        if (add_weights(&weights[1], weights[0]))
            FUZZ_EXPECT(weights[1].sum[0] == 2 * weights[0].sum[0]);
    }
    if (size == kExternalWeightsSize && read_external_weights(stored.get(), &weights[2])) {
        std::unique_ptr<std::uint8_t[]> sent(new std::uint8_t[kExternalWeightsSize]);
        write_external_weights(weights[2], sent.get());
        FUZZ_EXPECT(std::memcmp(sent.get(), stored.get(), size) == 0);
    }
    Bytes bytes(data, size);
    Weight weight;
    auto number = bytes.take<double>();
    auto hash = bytes.take<std::uint64_t>();
    if (weight_from_double(number, &weight) && add_feature(&weights[2], hash, weight))
        weights_fingerprint(weights[2]);
}

} // namespace simhash
