// Vectors of any finite numbers: the same weights whether they come whole or in pieces, and the negated ones
// for the negated vector.
#include "targets.hpp"

#include "core/features/random_projection.hpp"

#include <cmath>
#include <vector>

namespace simhash
{

void fuzz_projection(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    auto seed = bytes.take<std::uint64_t>();
    auto cut = bytes.take<std::uint16_t>();
    std::vector<float> vector, opposite;
    bool zero = true;
    while (!bytes.empty()) {
        auto value = bytes.take<float>();
        if (!std::isfinite(value))
            continue;
        vector.push_back(value);
        opposite.push_back(-value);
        zero = zero && value == 0;
    }
    std::uint64_t block = cut >> 10;
    RandomProjection whole(seed, block), pieces(seed, block), other_side(seed, block);
    std::size_t first = vector.empty() ? 0 : cut % (vector.size() + 1);
    whole.add(vector.data(), vector.size());
    pieces.add(vector.data(), first);
    pieces.add(vector.data() + first, vector.size() - first);
    other_side.add(opposite.data(), opposite.size());
    Weights a, b, c;
    FUZZ_EXPECT(whole.finish(&a) == !zero);
    FUZZ_EXPECT(pieces.finish(&b) == !zero);
    FUZZ_EXPECT(other_side.finish(&c) == !zero);
    for (int i = 0; i < kBits && !zero; i++)
        FUZZ_EXPECT(a.sum[i] == b.sum[i] && a.sum[i] == -c.sum[i]);
}

} // namespace simhash
