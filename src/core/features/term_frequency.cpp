#include "core/features/term_frequency.hpp"

#include <array>
#include <bit>

namespace simhash
{

namespace
{

__extension__ typedef unsigned __int128 Wide;

// ln 2 in units of 2^-64.
constexpr std::uint64_t kLn2 = 0xB17217F7D1CF79AB;

// The base-2 logarithm by repeated squaring: each square yields one more binary digit. Truncation errors sum
// to less than 2^-50, and no weight lies that close to a tie, which was verified at every step of the result.
constexpr std::uint32_t compute_weight(std::uint32_t tf)
{
    constexpr int kDigits = 54;
    int exponent = 31 - std::countl_zero(tf);
    std::uint64_t mantissa = static_cast<std::uint64_t>(tf)
                             << (63 - exponent); // 1.0 to 2.0 in units of 2^-63
    std::uint64_t logarithm = static_cast<std::uint64_t>(exponent);
    for (int i = 0; i < kDigits; i++) {
        Wide square = static_cast<Wide>(mantissa) * mantissa; // 1.0 to 4.0 in units of 2^-126
        std::uint64_t digit = static_cast<std::uint64_t>(square >> 127);
        mantissa = static_cast<std::uint64_t>(square >> (63 + digit));
        logarithm = logarithm << 1 | digit;
    }
    // In units of 2^-(64 + 54).
    Wide natural = static_cast<Wide>(logarithm) * kLn2;
    constexpr int kShift = 64 + kDigits - kLogarithmicFractionBits;
    std::uint32_t rounded =
        static_cast<std::uint32_t>((natural + (static_cast<Wide>(1) << (kShift - 1))) >> kShift);
    return (1U << kLogarithmicFractionBits) + rounded;
}

constexpr auto kTable = [] {
    std::array<std::uint16_t, 64> table{};
    for (std::uint32_t tf = 1; tf < table.size(); tf++)
        table[tf] = static_cast<std::uint16_t>(compute_weight(tf));
    return table;
}();

static_assert(compute_weight(1) == 256);
static_assert(compute_weight(2) == 433);
static_assert(compute_weight(3) == 537);
static_assert(compute_weight(0xFFFFFFFF) == 5934);

} // namespace

std::uint32_t logarithmic_weight(std::uint32_t tf)
{
    return tf < kTable.size() ? kTable[tf] : compute_weight(tf);
}

} // namespace simhash
