#include "core/likely/volatility_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

namespace simhash
{

namespace
{

// A lookup table of the odds Q(z) / (1 - Q(z)), of which a query needs about three hundred. Computed without
// library functions, so that a query reads the same places on every machine.
//
// A line runs straight through the odds at its two ends, half a step on each side of a multiple of the
// step; so z is rounded to find its line. The resulting probabilities have an absolute error of at most 10^-4
// and a relative one of at most 1 %. The last line ends at 0.
constexpr int kOddsSteps = 32; // for 1
constexpr int kOddsEnd = 261;  // the number of lines, a little more than z = 8 needs

struct OddsLine {
    double middle; // the odds at the multiple of the step
    double slope;  // by the step
};

constexpr double exponential(double x)
{
    int halvings = 0;
    for (; x < -0.25; halvings++)
        x /= 2;
    double sum = 1, term = 1;
    for (int i = 1; i < 14; i++)
        sum += term *= x / i;
    for (; halvings > 0; halvings--)
        sum *= sum;
    return sum;
}

constexpr double normal_density(double z) { return exponential(-z * z / 2) * 0.39894228040143268; }

// The last is 0, for everything beyond.
constexpr auto kOdds = [] {
    std::array<OddsLine, kOddsEnd + 1> lines{};
    constexpr double kStep = 1.0 / kOddsSteps;
    // The tail from the right, by Simpson's rule; beyond the end by the asymptotic series.
    double end[kOddsEnd] = {}; // the odds at a line's right end
    double z = (kOddsEnd - 0.5) * kStep;
    double tail =
        normal_density(z) / z * (1 - 1 / (z * z) + 3 / (z * z * z * z) - 15 / (z * z * z * z * z * z));
    for (int i = kOddsEnd - 2; i >= 0; i--) {
        z = (i + 0.5) * kStep;
        tail +=
            (normal_density(z) + 4 * normal_density(z + kStep / 2) + normal_density(z + kStep)) * kStep / 6;
        end[i] = tail / (1 - tail);
    }
    lines[0] = {1, 2 * (end[0] - 1)};
    for (std::size_t i = 1; i < kOddsEnd; i++) {
        // Slightly below the end of the last line: rounding must not make the odds rise.
        double begin = end[i - 1] * (1 - 0x1p-20);
        lines[i] = {(begin + end[i]) / 2, end[i] - begin};
    }
    return lines;
}();

using FourFloats = float __attribute__((vector_size(16)));
using FourIntegers = std::uint32_t __attribute__((vector_size(16)));

FourFloats four_of(float number) { return FourFloats{number, number, number, number}; }

// Finds the odds at z = at / kOddsSteps in the table: the line, and the distance from its middle.
void find_odds(FourFloats at, std::uint32_t line[4], float offset[4])
{
    // Adding it rounds to an integer, and leaves that in the low bits.
    const FourFloats rounder = four_of(0x1p23f), end = four_of(kOddsEnd);
    at = at < end ? at : end;
    FourFloats sum = at + rounder, rest = at - (sum - rounder);
    FourIntegers number = std::bit_cast<FourIntegers>(sum) - std::bit_cast<FourIntegers>(rounder);
    std::memcpy(line, &number, sizeof(number));
    std::memcpy(offset, &rest, sizeof(rest));
}

LevelPair odds_at(const std::uint32_t line[2], const float offset[2])
{
    const OddsLine &a = kOdds[line[0]], &b = kOdds[line[1]];
    return LevelPair{a.middle, b.middle} + LevelPair{a.slope, b.slope} * LevelPair{offset[0], offset[1]};
}

double odds_at(std::uint32_t line, float offset) { return kOdds[line].middle + kOdds[line].slope * offset; }

// |W| / s with the low bits cleared for a bit's number. As an integer, it orders bits by size.
std::uint32_t relative_size(double size, double per_norm)
{
    return std::bit_cast<std::uint32_t>(static_cast<float>(size * per_norm)) & ~63u;
}

double sum_squares(const double size[kBits])
{
    double sum[4] = {};
    for (int j = 0; j < kBits; j += 4)
        for (int i = 0; i < 4; i++)
            sum[i] += size[j + i] * size[j + i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

std::uint64_t difference(Weight a, Weight b)
{
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    return a > b ? x - y : y - x;
}

// Where sums change their bit: in the middle between the greatest one below 0 and the least other one that the features can
// have. All sums of a document are the same modulo a step: twice the weight of a feature if all weigh the same.
double flip_point(const Weights &weights)
{
    std::uint64_t step = 0;
    for (int j = 1; j < kBits && step != 1; j++)
        step = std::gcd(step, difference(weights.sum[j], weights.sum[0]));
    if (step <= 1)
        return 0;
    const std::uint64_t rest = difference(weights.sum[0], 0) % step;
    const std::uint64_t least = weights.sum[0] < 0 && rest > 0 ? step - rest : rest;
    return static_cast<double>(least) - static_cast<double>(step) / 2;
}

// A lower bound of likelihoods, so that flips that no level explains do not decide.
constexpr double kLeastLikelihood = 1e-30;

} // namespace

bool is_volatility_model(const VolatilityModel &model)
{
    double sum = 0;
    for (double share : model.share) {
        if (!(share >= 0 && share <= 1))
            return false;
        sum += share;
    }
    return std::fabs(sum - 1) < 1e-6;
}

double flip_sizes(const Weights &weights, double size[kBits])
{
    const double point = flip_point(weights);
    for (int j = 0; j < kBits; j++)
        size[j] = std::fabs(static_cast<double>(weights.sum[j]) - point);
    return std::sqrt(sum_squares(size) / kBits);
}

double flip_probability(double size, double norm, double scale)
{
    // If all sums are 0, every bit is as likely to flip.
    double per_norm = norm > 0 ? 1 / norm : 0;
    float relative = std::bit_cast<float>(relative_size(size, per_norm));
    std::uint32_t line[4];
    float offset[4];
    find_odds(four_of(relative * static_cast<float>(kOddsSteps / scale)), line, offset);
    double odds = odds_at(line[0], offset[0]);
    return odds / (1 + odds);
}

double flip_probability(const Volatility &volatility, int bit)
{
    const Levels &odds = volatility.odds[bit];
    return sum_of(volatility.share * odds / (levels_of(1) + odds));
}

void set_volatility(const VolatilityModel &model, const Weights &weights, int radius, Volatility *out)
{
    out->radius = std::min(radius, kBits);
    double size[kBits];
    double norm = flip_sizes(weights, size);
    double per_norm = norm > 0 ? 1 / norm : 0;

    out->share = levels_of(0);
    for (int level = 0; level < kVolatilityLevels; level++)
        out->share.set(level, model.share[level]);

    float relative[kBits];
    for (int j = 0; j < kBits; j++) {
        std::uint32_t rounded = relative_size(size[j], per_norm);
        out->stability[j] = static_cast<std::int32_t>(rounded | static_cast<std::uint32_t>(j));
        relative[j] = std::bit_cast<float>(rounded);
    }
    // Four levels of one bit at a time, then the fifth level of four bits at a time.
    static_assert(kVolatilityLevels == 5);
    constexpr auto kSteps = [] {
        std::array<float, kVolatilityLevels> steps{};
        for (std::size_t level = 0; level < steps.size(); level++)
            steps[level] = static_cast<float>(kOddsSteps / kVolatilityScale[level]);
        return steps;
    }();
    const FourFloats steps = {kSteps[0], kSteps[1], kSteps[2], kSteps[3]};
    std::uint32_t line[kBits][4], fifth_line[kBits];
    float offset[kBits][4], fifth_offset[kBits];
    for (int j = 0; j < kBits; j++)
        find_odds(four_of(relative[j]) * steps, line[j], offset[j]);
    for (int j = 0; j < kBits; j += 4)
        find_odds(FourFloats{relative[j], relative[j + 1], relative[j + 2], relative[j + 3]} *
                      four_of(kSteps[4]),
                  fifth_line + j, fifth_offset + j);
    for (int j = 0; j < kBits; j++)
        out->odds[j] = {odds_at(line[j], offset[j]), odds_at(line[j] + 2, offset[j] + 2),
                        LevelPair{odds_at(fifth_line[j], fifth_offset[j]), 0}};
}

void VolatilityFit::begin()
{
    for (int level = 0; level < kVolatilityLevels; level++) {
        model_.share[level] = 1.0 / kVolatilityLevels;
        sum_[level] = 0;
    }
    log_likelihood_ = 0;
    pairs_ = 0;
}

void VolatilityFit::likelihood(const Weights &weights, Fingerprint partner, double out[kVolatilityLevels])
{
    double size[kBits];
    double norm = flip_sizes(weights, size);
    Fingerprint flips = weights_fingerprint(weights) ^ partner;
    double logs[kVolatilityLevels], best = -HUGE_VAL;
    for (int level = 0; level < kVolatilityLevels; level++) {
        logs[level] = 0;
        for (int j = 0; j < kBits; j++) {
            double p = flip_probability(size[j], norm, kVolatilityScale[level]);
            logs[level] += (flips >> j & 1) != 0 ? std::log(std::max(p, kLeastLikelihood)) : std::log1p(-p);
        }
        best = std::max(best, logs[level]);
    }
    for (int level = 0; level < kVolatilityLevels; level++)
        out[level] = std::exp(logs[level] - best);
}

void VolatilityFit::add(const double likelihood[kVolatilityLevels], double weight)
{
    double all = 0;
    for (int level = 0; level < kVolatilityLevels; level++)
        all += model_.share[level] * likelihood[level];
    if (!(all > 0))
        return;
    for (int level = 0; level < kVolatilityLevels; level++)
        sum_[level] += weight * model_.share[level] * likelihood[level] / all;
    log_likelihood_ += weight * std::log(all);
    pairs_ += weight;
}

double VolatilityFit::finish_round()
{
    if (pairs_ == 0)
        return 0;
    double mean = log_likelihood_ / pairs_;
    for (int level = 0; level < kVolatilityLevels; level++) {
        model_.share[level] = sum_[level] / pairs_;
        sum_[level] = 0;
    }
    log_likelihood_ = 0;
    pairs_ = 0;
    return mean;
}

} // namespace simhash
