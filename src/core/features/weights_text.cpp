#include "core/features/weights_text.hpp"

namespace simhash
{

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

// The digits of a decimal number without its point, which comes after `point` digits. An exponent may move it
// before the first or behind the last.
struct Decimal {
    const char *text; // digits, with at most one point among them
    std::size_t length;
    std::int64_t point;
    std::int64_t count;
    bool negative;
};

// A larger exponent than the zeros of any text can compensate.
constexpr std::int64_t kExponentMax = std::int64_t{1} << 40;

bool scan_decimal(const char *text, std::size_t length, Decimal *out)
{
    const char *at = text;
    const char *end = text + length;
    out->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    out->text = at;
    out->count = 0;
    bool pointed = false;
    for (; at < end && (is_digit(*at) || (*at == '.' && !pointed)); at++) {
        if (*at == '.') {
            pointed = true;
            out->point = out->count;
        } else {
            out->count++;
        }
    }
    out->length = static_cast<std::size_t>(at - out->text);
    if (!pointed)
        out->point = out->count;
    if (out->count == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        bool negative = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        if (at == end)
            return false;
        std::int64_t exponent = 0;
        for (; at < end && is_digit(*at); at++)
            if (exponent < kExponentMax)
                exponent = exponent * 10 + (*at - '0');
        out->point += negative ? -exponent : exponent;
    }
    return at == end;
}

// A number half-way between two weights has 25 decimals. So these decide, and whether a digit but 0 follows.
constexpr std::int64_t kFractionDigits = 25;

constexpr Wide power_of_ten(std::int64_t exponent)
{
    Wide power = 1;
    for (; exponent > 0; exponent--)
        power *= 10;
    return power;
}

// Rounds whole.fraction, where fraction has kFractionDigits and `more` says that something follows it.
bool round_decimal(std::uint64_t whole, Wide fraction, bool more, bool negative, Weight *out)
{
    constexpr Wide kUnit = power_of_ten(kFractionDigits);
    Wide scaled = fraction << kWeightFractionBits;
    std::uint64_t units = static_cast<std::uint64_t>(scaled / kUnit);
    Wide rest = scaled % kUnit;
    bool up = rest > kUnit / 2 || (rest == kUnit / 2 && (more || (units & 1) != 0));
    Wide total = (static_cast<Wide>(whole) << kWeightFractionBits) + units + (up ? 1 : 0);
    if (total > (static_cast<Wide>(1) << 63) - (negative ? 0 : 1))
        return false;
    std::uint64_t magnitude = static_cast<std::uint64_t>(total);
    *out = static_cast<Weight>(negative ? 0 - magnitude : magnitude);
    return true;
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
    std::size_t sign = length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const char *word = text + sign;
    if (equals_ignoring_case(word, length - sign, "nan") ||
        equals_ignoring_case(word, length - sign, "inf") ||
        equals_ignoring_case(word, length - sign, "infinity"))
        return WeightsTextError::kNotFinite;

    Decimal decimal;
    if (!scan_decimal(text, length, &decimal))
        return WeightsTextError::kSyntax;

    constexpr std::uint64_t kWholeMax = std::uint64_t{1} << 40;
    std::uint64_t whole = 0;
    Wide fraction = 0;
    std::int64_t fraction_digits = 0;
    bool more = false;
    // Zeros between the point and the first digit.
    for (std::int64_t place = decimal.point; place < 0 && fraction_digits < kFractionDigits; place++)
        fraction_digits++;
    std::int64_t index = 0;
    for (std::size_t i = 0; i < decimal.length; i++) {
        if (decimal.text[i] == '.')
            continue;
        unsigned digit = static_cast<unsigned>(decimal.text[i] - '0');
        if (index++ < decimal.point) {
            whole = whole * 10 + digit;
            if (whole > kWholeMax)
                return WeightsTextError::kOutOfRange;
        } else if (fraction_digits < kFractionDigits) {
            fraction = fraction * 10 + digit;
            fraction_digits++;
        } else {
            more |= digit != 0;
        }
    }
    for (; index < decimal.point && whole != 0; index++) {
        whole *= 10;
        if (whole > kWholeMax)
            return WeightsTextError::kOutOfRange;
    }
    for (; fraction_digits < kFractionDigits && fraction != 0; fraction_digits++)
        fraction *= 10;
    return round_decimal(whole, fraction, more, decimal.negative, out) ? WeightsTextError::kNone
                                                                       : WeightsTextError::kOutOfRange;
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
    for (;;) {
        skip_space();
        std::size_t start = at;
        while (at < length && text[at] != ',' && text[at] != ']' && text[at] != '[')
            at++;
        std::size_t end = at;
        while (end > start && is_space(text[end - 1]))
            end--;
        if (at == length || text[at] == '[')
            return fail(WeightsTextError::kSyntax, start, length - start, count);
        if (end == start && text[at] == ']' && count == 0)
            break;
        Weight weight = 0;
        WeightsTextError error = parse_weight(text + start, end - start, &weight);
        if (error != WeightsTextError::kNone)
            return fail(error, start, end - start, count);
        if (count < kBits)
            out->sum[count] = weight;
        count++;
        if (text[at++] == ']')
            break;
        // The separator was a comma: another number must follow.
    }
    if (count == 0 && at < length && text[at] == ']')
        at++;
    skip_space();
    if (at != length)
        return fail(WeightsTextError::kSyntax, at, length - at, count);
    if (count != kBits)
        return fail(WeightsTextError::kCount, 0, length, count);
    return WeightsTextError::kNone;
}

} // namespace simhash
