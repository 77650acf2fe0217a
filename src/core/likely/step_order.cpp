#include "core/likely/step_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace simhash
{

float z_per_size(float square)
{
    constexpr float kScale = 0.3F; // of volatility_model.hpp; most near-duplicates have it
    return 1 / (kScale * std::sqrt(square));
}

namespace
{

constexpr float kUnknown = 0.5F; // z if all weights are 0

using FourFloats = float __attribute__((vector_size(16)));
using FourIntegers = std::int32_t __attribute__((vector_size(16)));

constexpr int kTogether = 4;
struct Sizes {
    FourFloats four[kBits / kTogether];
};

FourFloats four_of(float number) { return FourFloats{number, number, number, number}; }

// z, the absolute values of the weights in units of the standard deviation of their changes.
void relative_sizes(const Weights &weights, Sizes *out)
{
    constexpr float kUnit = 0x1p-32F; // so that no sum of squares overflows
    FourFloats squares = four_of(0);
    for (int i = 0; i < kBits / kTogether; i++) {
        const Weight *sum = weights.sum + i * kTogether;
        FourFloats size = {static_cast<float>(sum[0]), static_cast<float>(sum[1]), static_cast<float>(sum[2]),
                           static_cast<float>(sum[3])};
        size = (size < 0 ? -size : size) * kUnit;
        squares += size * size;
        out->four[i] = size;
    }
    const float all = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    const FourFloats per_size = four_of(all > 0 ? z_per_size(all / kBits) : 0);
    const FourFloats unknown = four_of(all > 0 ? 0 : kUnknown);
    for (FourFloats &size : out->four)
        size = size * per_size + unknown;
}

// The probabilities of flips, in units of 2^-16: Q(z) is about (1 - z / 4)^4 / 2, to within 0.017.
void estimate_flips(const Weights &weights, std::int32_t flips[kBits])
{
    constexpr float kUnit = 32768; // 1 / 2 in units of 2^-16
    Sizes z;
    relative_sizes(weights, &z);
    for (int i = 0; i < kBits / kTogether; i++) {
        FourFloats rest = 1 - z.four[i] / 4;
        rest = rest > 0 ? rest : 0;
        const FourFloats part = rest * rest;
        const auto units = __builtin_convertvector(part * part * kUnit, FourIntegers);
        std::memcpy(flips + i * kTogether, &units, sizeof(units));
    }
}

// The sum of the flips in each block of the design.
void sum_blocks(const KeyOrder &order, const std::int32_t flips[kBits], std::int32_t sum[kMaxBlocks])
{
    const std::uint8_t *bit = order.bit_order;
    for (int block = 0; block < order.design.blocks; block++) {
        const std::uint8_t *end = bit + order.design.width[block];
        for (sum[block] = 0; bit < end; bit++)
            sum[block] += flips[*bit];
    }
}

} // namespace

std::uint8_t flip_cost(float z)
{
    constexpr float kLinear = 1.4F, kSquare = 0.267F, kMost = 255;
    return static_cast<std::uint8_t>(std::min(1 + kFlipCost * (kLinear + kSquare * z) * z, kMost));
}

void flip_costs(const Weights &weights, std::uint8_t cost[kBits])
{
    Sizes z;
    relative_sizes(weights, &z);
    for (int j = 0; j < kBits; j++)
        cost[j] = flip_cost(z.four[j / kTogether][j % kTogether]);
}

void order_steps(const Weights &weights, const KeyOrder &order, SearchPlan *plan)
{
    if (plan->steps == 1)
        return;
    std::int32_t flips[kBits], in_block[kMaxBlocks], expected[kMaxTrees];
    estimate_flips(weights, flips);
    sum_blocks(order, flips, in_block);
    for (int i = 0; i < plan->steps; i++) {
        const int number = plan->step[i].tree;
        const DesignTree &tree = order.design.tree[number];
        expected[number] = 0;
        for (int k = 0; k < tree.header_blocks; k++)
            expected[number] += in_block[tree.order[k]];
    }
    const auto comes_before = [&expected](const SearchStep &a, const SearchStep &b) {
        return expected[a.tree] != expected[b.tree] ? expected[a.tree] < expected[b.tree] : a.tree < b.tree;
    };
    for (int i = 1; i < plan->steps; i++) {
        const SearchStep step = plan->step[i];
        int to = i;
        for (; to > 0 && comes_before(step, plan->step[to - 1]); to--)
            plan->step[to] = plan->step[to - 1];
        plan->step[to] = step;
    }
}

} // namespace simhash
