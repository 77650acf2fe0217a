// Exhaustive search: the distances of all rows, by the extension's kernel for the processor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels/signature_match.hpp"
#include "signature.hpp"
#include "slice_lists.hpp"

inline void distances(const Signature &query, std::span<const Signature> rows, std::uint16_t *distance)
{
    static const auto kernel = simhash::signature_distances(simhash::best_simd_level());
    kernel(reinterpret_cast<const std::uint8_t *>(&query), sizeof(Signature),
           reinterpret_cast<const std::uint8_t *>(rows.data()), sizeof(Signature),
           static_cast<int>(rows.size()), distance);
}

// The k nearest of some rows given by number, nearest first.
inline std::vector<Found> rank(const Signature &query, std::span<const Signature> rows,
                               std::span<const std::uint32_t> of)
{
    std::vector<Found> found;
    for (std::uint32_t row : of) {
        std::uint16_t distance;
        distances(query, rows.subspan(row, 1), &distance);
        found.push_back({row, distance});
    }
    std::sort(found.begin(), found.end());
    return found;
}

// The k nearest of all rows, nearest first; of equally near ones those with the lowest numbers.
inline std::vector<Found> scan(const Signature &query, std::span<const Signature> rows, std::size_t k)
{
    constexpr std::size_t kBlock = 64;
    std::vector<Found> heap;
    std::uint16_t distance[kBlock];
    for (std::size_t first = 0; first < rows.size(); first += kBlock) {
        std::size_t count = std::min(kBlock, rows.size() - first);
        // Memory is read a sixth faster if asked for a block ahead.
        for (std::size_t i = 0; i < 2 * count; i++)
            __builtin_prefetch(reinterpret_cast<const char *>(&rows[first]) + 64 * (2 * kBlock + i));
        distances(query, rows.subspan(first, count), distance);
        if (heap.size() == k && *std::min_element(distance, distance + count) >= heap.front().distance)
            continue;
        for (std::size_t i = 0; i < count; i++) {
            Found next = {static_cast<std::uint32_t>(first + i), distance[i]};
            if (heap.size() == k && !(next < heap.front()))
                continue;
            heap.push_back(next);
            std::push_heap(heap.begin(), heap.end());
            if (heap.size() > k) {
                std::pop_heap(heap.begin(), heap.end());
                heap.pop_back();
            }
        }
    }
    std::sort_heap(heap.begin(), heap.end());
    return heap;
}
