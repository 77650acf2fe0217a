#include "core/features/weights_format.hpp"

#include <array>
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

namespace
{

__extension__ typedef unsigned __int128 Wide;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t format_integer(std::uint64_t value, char *out)
{
    char digits[20];
    std::size_t count = 0;
    do
        digits[count++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    for (std::size_t i = 0; i < count; i++)
        out[i] = digits[count - 1 - i];
    return count;
}

bool equals_ignoring_case(const char *text, std::size_t length, const char *word)
{
    std::size_t i = 0;
    for (; i < length && word[i] != 0; i++)
        if ((text[i] | 0x20) != word[i])
            return false;
    return i == length && word[i] == 0;
}

// (digits + d) * 10^exponent, where d is at least 0 and below 1, and above 0 if `more`.
struct Decimal {
    Wide digits;
    std::int64_t exponent;
    bool more;
    bool negative;
};

// A number half-way between two weights has at most 12 digits before the point and 25 behind it. So these decide, and
// whether another digit than 0 follows.
constexpr int kPlaces = 25;
constexpr int kDigits = 12 + kPlaces;

constexpr auto kPowersOfTen = [] {
    std::array<Wide, kDigits> powers = {1};
    for (std::size_t i = 1; i < kDigits; i++)
        powers[i] = powers[i - 1] * 10;
    return powers;
}();

// A larger exponent than the zeros of any text can compensate.
constexpr std::int64_t kExponentMax = std::int64_t{1} << 40;

// Reads "e", a sign and digits. A number without an "e" has the exponent 0.
bool scan_exponent(const char *at, const char *end, std::int64_t *exponent)
{
    *exponent = 0;
    if (at == end)
        return true;
    if (*at != 'e' && *at != 'E')
        return false;
    at++;
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *first = at;
    for (; at < end && is_digit(*at); at++)
        if (*exponent < kExponentMax)
            *exponent = *exponent * 10 + (*at - '0');
    if (negative)
        *exponent = -*exponent;
    return at == end && at != first;
}

bool scan_decimal(const char *text, std::size_t length, Decimal *out)
{
    const char *at = text, *end = text + length;
    *out = {};
    out->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    bool pointed = false, any = false;
    for (; at < end && (is_digit(*at) || (*at == '.' && !pointed)); at++) {
        if (*at == '.') {
            pointed = true;
            continue;
        }
        any = true;
        if (out->digits < kPowersOfTen.back()) {
            out->digits = out->digits * 10 + static_cast<unsigned>(*at - '0');
            out->exponent -= pointed ? 1 : 0;
        } else {
            out->more |= *at != '0';
            out->exponent += pointed ? 0 : 1;
        }
    }
    std::int64_t exponent;
    if (!any || !scan_exponent(at, end, &exponent))
        return false;
    out->exponent += exponent;
    return true;
}

// Rounds to the nearest weight, ties to even. Returns false beyond the range.
bool round_decimal(Decimal decimal, Weight *out)
{
    constexpr Wide kWholeMax = Wide{1} << 40;
    for (; decimal.exponent < -kPlaces && decimal.digits != 0; decimal.exponent++, decimal.digits /= 10)
        decimal.more |= decimal.digits % 10 != 0;
    for (; decimal.exponent > 0 && decimal.digits != 0 && decimal.digits <= kWholeMax; decimal.exponent--)
        decimal.digits *= 10;
    const Wide unit = kPowersOfTen[static_cast<std::size_t>(
        decimal.digits != 0 && decimal.exponent < 0 ? -decimal.exponent : 0)];
    const Wide whole = decimal.digits / unit;
    if (whole > kWholeMax)
        return false;
    const Wide fraction = (decimal.digits % unit) << kWeightFractionBits;
    const Wide units = fraction / unit, twice_rest = 2 * (fraction % unit);
    const bool up = twice_rest > unit || (twice_rest == unit && (decimal.more || (units & 1) != 0));
    const Wide total = (whole << kWeightFractionBits) + units + (up ? 1 : 0);
    if (total > (Wide{1} << 63) - (decimal.negative ? 0 : 1))
        return false;
    const auto magnitude = static_cast<std::uint64_t>(total);
    *out = static_cast<Weight>(decimal.negative ? 0 - magnitude : magnitude);
    return true;
}

// Reads a number and rounds it.
WeightsTextError read_decimal(const char *text, std::size_t length, Decimal *decimal, Weight *out)
{
    std::size_t sign = length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const char *word = text + sign;
    if (equals_ignoring_case(word, length - sign, "nan") ||
        equals_ignoring_case(word, length - sign, "inf") ||
        equals_ignoring_case(word, length - sign, "infinity"))
        return WeightsTextError::kNotFinite;

    if (!scan_decimal(text, length, decimal))
        return WeightsTextError::kSyntax;

    return round_decimal(*decimal, out) ? WeightsTextError::kNone : WeightsTextError::kOutOfRange;
}

} // namespace

std::size_t format_weight(Weight weight, char out[kWeightTextMax])
{
    char *at = out;
    std::uint64_t magnitude = static_cast<std::uint64_t>(weight);
    if (weight < 0) {
        magnitude = 0 - magnitude;
        *at++ = '-';
    }
    at += format_integer(magnitude >> kWeightFractionBits, at);
    std::uint64_t fraction = magnitude & (static_cast<std::uint64_t>(kWeightOne) - 1);
    if (fraction != 0) {
        // The first number of decimals whose nearest value lies within half a unit: 8 always do.
        std::uint64_t power = 10;
        int decimals = 1;
        std::uint64_t digits;
        for (;; power *= 10, decimals++) {
            std::uint64_t exact = fraction * power;
            digits = (exact + kWeightOne / 2) >> kWeightFractionBits;
            std::uint64_t near = digits << kWeightFractionBits;
            std::uint64_t error = near > exact ? near - exact : exact - near;
            if (2 * error < power)
                break;
        }
        *at++ = '.';
        for (int i = decimals - 1; i >= 0; i--, digits /= 10)
            at[i] = static_cast<char>('0' + digits % 10);
        at += decimals;
    }
    return static_cast<std::size_t>(at - out);
}

std::size_t format_weights(const Weights &weights, char out[kWeightsTextMax])
{
    char *at = out;
    for (int j = 0; j < kBits; j++) {
        *at++ = j == 0 ? '[' : ',';
        at += format_weight(weights.sum[j], at);
    }
    *at++ = ']';
    return static_cast<std::size_t>(at - out);
}

WeightsTextError parse_weight(const char *text, std::size_t length, Weight *out)
{
    Decimal decimal;
    return read_decimal(text, length, &decimal, out);
}

WeightsTextError parse_weights(const char *text, std::size_t length, Weights *out, WeightsTextFault *fault)
{
    std::size_t at = 0;
    auto skip_space = [&] {
        while (at < length && is_space(text[at]))
            at++;
    };
    auto fail = [&](WeightsTextError error, std::size_t from, std::size_t size, std::size_t count) {
        *fault = {from, size, count};
        return error;
    };

    skip_space();
    if (at == length || text[at] != '[')
        return fail(WeightsTextError::kSyntax, at, length - at, 0);
    at++;
    std::size_t count = 0;
    for (bool more = true; more;) {
        skip_space();
        std::size_t start = at;
        while (at < length && text[at] != ',' && text[at] != ']' && text[at] != '[')
            at++;
        std::size_t end = at;
        while (end > start && is_space(text[end - 1]))
            end--;
        if (at == length || text[at] == '[')
            return fail(WeightsTextError::kSyntax, start, length - start, count);
        more = text[at++] == ',';
        if (end == start && !more && count == 0)
            break; // an empty list
        Weight weight = 0;
        Decimal decimal;
        WeightsTextError error = read_decimal(text + start, end - start, &decimal, &weight);
        if (error != WeightsTextError::kNone)
            return fail(error, start, end - start, count);
        // A small negative number, too, has its sign's bit.
        if (weight == 0 && decimal.negative && (decimal.digits != 0 || decimal.more))
            weight = -1;
        if (count < kBits)
            out->sum[count] = weight;
        count++;
    }
    skip_space();
    if (at != length)
        return fail(WeightsTextError::kSyntax, at, length - at, count);
    if (count != kBits)
        return fail(WeightsTextError::kCount, 0, length, count);
    return WeightsTextError::kNone;
}

} // namespace simhash
