#include "core/volatility/step_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace simhash
{

namespace
{

// The scale of volatility_model.hpp that most near-duplicates have.
constexpr float kScale = 0.3F;

// Q(z) is about (1 - z / 4)^4 / 2, to within 0.01.
void estimate_flips(const Weights &weights, float flips[kBits])
{
    constexpr int kTogether = 4;
    float size[kBits], square[kTogether] = {};
    for (int j = 0; j < kBits; j += kTogether) {
        for (int i = 0; i < kTogether; i++) {
            size[j + i] = std::fabs(static_cast<float>(weights.sum[j + i]));
            square[i] += size[j + i] * size[j + i];
        }
    }
    const float squares = (square[0] + square[1]) + (square[2] + square[3]);
    const float per_size = squares > 0 ? 1 / (4 * kScale * std::sqrt(squares / kBits)) : 0;
    for (int j = 0; j < kBits; j++) {
        const float rest = std::max(0.0F, 1 - size[j] * per_size), part = rest * rest;
        flips[j] = part * part;
    }
}

} // namespace

void order_steps(const Weights &weights, const KeyOrder &order, SearchPlan *plan)
{
    if (plan->steps == 1)
        return;
    float flips[kBits], expected[kMaxTables];
    estimate_flips(weights, flips);
    for (int i = 0; i < plan->steps; i++) {
        const SearchStep &step = plan->step[i];
        float sum = 0;
        for (Fingerprint header = order.table[step.table].header_mask; header != 0; header &= header - 1)
            sum += flips[std::countr_zero(header)];
        expected[step.table] = sum;
    }
    std::sort(plan->step, plan->step + plan->steps, [&](const SearchStep &a, const SearchStep &b) {
        return expected[a.table] != expected[b.table] ? expected[a.table] < expected[b.table]
                                                      : a.table < b.table;
    });
}

} // namespace simhash
