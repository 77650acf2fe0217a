#include "core/bits/components.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace
{

using namespace simhash;
using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Edges random_edges(std::mt19937 &random, std::uint32_t vertices, int edges)
{
    Edges result;
    for (int i = 0; i < edges; i++) {
        std::uint32_t a = random() % vertices, b = random() % vertices;
        if (a != b)
            result.emplace_back(std::min(a, b), std::max(a, b));
    }
    return result;
}

// The smallest vertex that each can reach, by propagation until nothing changes.
std::vector<std::uint32_t> smallest_reached(std::uint32_t vertices, const Edges &edges)
{
    std::vector<std::uint32_t> smallest(vertices);
    std::iota(smallest.begin(), smallest.end(), 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (auto [a, b] : edges) {
            std::uint32_t least = std::min(smallest[a], smallest[b]);
            changed |= smallest[a] != least || smallest[b] != least;
            smallest[a] = smallest[b] = least;
        }
    }
    return smallest;
}

TEST(Components, RootIsTheSmallestVertexReached)
{
    std::mt19937 random(1);
    for (int round = 0; round < 200; round++) {
        std::uint32_t vertices = 1 + random() % 60;
        Edges edges = random_edges(random, vertices, static_cast<int>(random() % 80));
        std::vector<std::uint32_t> parent(vertices), expected = smallest_reached(vertices, edges);
        Components components(parent.data(), vertices);
        for (auto [a, b] : edges)
            random() % 2 ? components.unite(a, b) : components.unite(b, a);
        for (std::uint32_t i = 0; i < vertices; i++)
            ASSERT_EQ(components.root(i), expected[i]) << "round " << round;
    }
}

TEST(Components, LongChainsStayShallow)
{
    constexpr std::uint32_t count = 1000000;
    std::vector<std::uint32_t> parent(count);
    Components components(parent.data(), count);
    for (std::uint32_t i = count - 1; i > 0; i--)
        components.unite(i, i - 1);
    for (std::uint32_t i = 0; i < count; i++)
        ASSERT_EQ(components.root(i), 0u);
}

TEST(Stars, AreThoseOfTheGreedyOrder)
{
    std::mt19937 random(2);
    for (int round = 0; round < 200; round++) {
        std::uint32_t vertices = 1 + random() % 60;
        Edges edges = random_edges(random, vertices, static_cast<int>(random() % 120));
        std::sort(edges.begin(), edges.end());
        std::vector<std::uint32_t> leader(vertices);
        Stars stars(leader.data(), vertices);
        for (auto [a, b] : edges)
            stars.add(a, b);
        for (auto [a, b] : edges)
            ASSERT_FALSE(stars.leaders()[a] == a && stars.leaders()[b] == b) << "two leaders are neighbors";
        for (std::uint32_t i = 0; i < vertices; i++) {
            std::uint32_t first = i; // the smallest neighbor that leads
            for (auto [a, b] : edges) {
                if (b == i && stars.leaders()[a] == a)
                    first = std::min(first, a);
            }
            ASSERT_EQ(stars.leaders()[i], first) << "round " << round;
        }
    }
}

} // namespace
