// Connected components of a graph whose vertices are numbered from 0: union-find.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bits/contract.hpp"

namespace simhash
{

// The root of a component is its smallest vertex, whatever the order of the edges.
class Components
{
public:
    // Each vertex starts as its own component. `parent` has room for `count` numbers.
    Components(std::uint32_t *parent, std::uint32_t count) : parent_(parent)
    {
        for (std::uint32_t i = 0; i < count; i++)
            parent_[i] = i;
    }

    std::uint32_t root(std::uint32_t vertex)
    {
        while (parent_[vertex] != vertex)
            vertex = parent_[vertex] = parent_[parent_[vertex]]; // halves the path
        return vertex;
    }

    void unite(std::uint32_t a, std::uint32_t b)
    {
        a = root(a);
        b = root(b);
        if (a < b)
            parent_[b] = a;
        else
            parent_[a] = b;
    }

private:
    std::uint32_t *parent_;
};

// Greedy stars: in ascending order, each vertex without a leader leads itself and those of its neighbors
// that have no leader yet. So no two leaders are neighbors, and each other vertex is a neighbor of its
// leader.
class Stars
{
public:
    Stars(std::uint32_t *leader, std::uint32_t count) : leader_(leader)
    {
        for (std::uint32_t i = 0; i < count; i++)
            leader_[i] = i;
    }

    // Edges come in ascending order.
    void add(std::uint32_t a, std::uint32_t b)
    {
        SIMHASH_ASSERT(a < b);
        // Every edge that could give a another leader came before.
        if (leader_[a] == a && leader_[b] == b)
            leader_[b] = a;
    }

    // The leader of each vertex.
    std::uint32_t *leaders() const { return leader_; }

private:
    std::uint32_t *leader_;
};

} // namespace simhash
