#include "core/features/weights_format.hpp"

#include <bit>
#include <cstring>

namespace simhash
{

namespace
{

template <typename Stored> void write_all(const Weights &weights, int shift, void *to)
{
    Stored stored[kBits];
    for (int j = 0; j < kBits; j++)
        stored[j] = static_cast<Stored>(weights.sum[j] >> shift);
    std::memcpy(to, stored, sizeof(stored));
}

template <typename Stored> Weight shift_left(Stored stored, int shift)
{
    return static_cast<Weight>(static_cast<std::uint64_t>(stored) << shift);
}

// Whether the shift keeps all bits.
template <typename Stored> bool fits(const Stored stored[kBits], int shift)
{
    if (shift + 8 * static_cast<int>(sizeof(Stored)) <= kBits)
        return true;
    for (int j = 0; j < kBits; j++) {
        if (shift_left(stored[j], shift) >> shift != stored[j])
            return false;
    }
    return true;
}

template <typename Stored> bool read_all(const void *from, int shift, Weights *out)
{
    Stored stored[kBits];
    std::memcpy(stored, from, sizeof(stored));
    if (!fits(stored, shift))
        return false;
    for (int j = 0; j < kBits; j++)
        out->sum[j] = shift_left(stored[j], shift);
    return true;
}

} // namespace

std::size_t pack_weights(const Weights &weights, void *to)
{
    std::uint64_t used = 0;
    for (Weight weight : weights.sum)
        used |= static_cast<std::uint64_t>(weight);
    int shift = used == 0 ? 0 : std::countr_zero(used);

    // Magnitude bits: those of the weight, or of its complement if it is negative.
    std::uint64_t magnitude = 0;
    for (Weight weight : weights.sum)
        magnitude |= static_cast<std::uint64_t>((weight >> shift) ^ (weight >> 63));
    int bits = bit_width(magnitude) + 1;
    int width = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;

    StoredWeightsHeader header = {kWeightsVersion, static_cast<std::uint8_t>(shift),
                                  static_cast<std::uint8_t>(width), 0};
    std::memcpy(to, &header, sizeof(header));
    void *body = static_cast<std::uint8_t *>(to) + sizeof(header);
    switch (width) {
    case 1:
        write_all<std::int8_t>(weights, shift, body);
        break;
    case 2:
        write_all<std::int16_t>(weights, shift, body);
        break;
    case 4:
        write_all<std::int32_t>(weights, shift, body);
        break;
    default:
        write_all<std::int64_t>(weights, shift, body);
        break;
    }
    return sizeof(header) + static_cast<std::size_t>(width) * kBits;
}

bool unpack_weights(const void *from, std::size_t size, Weights *out)
{
    StoredWeightsHeader header;
    if (size < sizeof(header))
        return false;
    std::memcpy(&header, from, sizeof(header));
    if (header.version != kWeightsVersion || header.shift > 63 || header.zero != 0 ||
        size != sizeof(header) + static_cast<std::size_t>(header.width) * kBits)
        return false;
    const void *body = static_cast<const std::uint8_t *>(from) + sizeof(header);
    switch (header.width) {
    case 1:
        return read_all<std::int8_t>(body, header.shift, out);
    case 2:
        return read_all<std::int16_t>(body, header.shift, out);
    case 4:
        return read_all<std::int32_t>(body, header.shift, out);
    case 8:
        return read_all<std::int64_t>(body, header.shift, out);
    default:
        return false;
    }
}

void write_external_weights(const Weights &weights, std::uint8_t to[kExternalWeightsSize])
{
    *to++ = kWeightsVersion;
    for (Weight weight : weights.sum)
        for (int shift = 56; shift >= 0; shift -= 8)
            *to++ = static_cast<std::uint8_t>(static_cast<std::uint64_t>(weight) >> shift);
}

bool read_external_weights(const std::uint8_t from[kExternalWeightsSize], Weights *out)
{
    if (*from++ != kWeightsVersion)
        return false;
    for (Weight &weight : out->sum) {
        std::uint64_t value = 0;
        for (int i = 0; i < 8; i++)
            value = value << 8 | *from++;
        weight = static_cast<Weight>(value);
    }
    return true;
}

} // namespace simhash
