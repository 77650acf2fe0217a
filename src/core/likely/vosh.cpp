#include "core/likely/vosh.hpp"

#include <algorithm>
#include <bit>

namespace simhash
{

namespace
{

bool comes_later(const VoshNode &a, const VoshNode &b)
{
    if (a.value != b.value)
        return a.value < b.value;
    int a_size = std::popcount(a.ranks), b_size = std::popcount(b.ranks);
    return a_size != b_size ? a_size > b_size : a.ranks > b.ranks;
}

std::uint64_t lowest_ranks(int count)
{
    return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

} // namespace

void Vosh::begin(const FlipValue *flip_value, VoshNode *nodes, std::size_t capacity)
{
    flip_value_ = flip_value;
    nodes_ = nodes;
    capacity_ = capacity;
    size_ = 0;
    lost_ = 0;
    for (int size = 0; size <= std::min(flip_value->most, flip_value->bits); size++)
        push(lowest_ranks(size));
}

bool Vosh::next(std::uint64_t *flips, double *value)
{
    // A set with no more value than a lost one might be its descendant, or belong after it.
    if (size_ == 0 || nodes_[0].value <= lost_)
        return false;
    VoshNode node = pop();

    if (node.ranks != 0) {
        int last = 63 - std::countl_zero(node.ranks);
        if (last + 1 < flip_value_->bits)
            push(node.ranks + (std::uint64_t{1} << last));
        // The run of consecutive ranks that ends the set, and the gap before it.
        int run = std::countl_one(node.ranks << (63 - last));
        int left = last - run - 1; // the bit whose move would close the gap
        if (left >= 0 && (node.ranks >> left & 1) != 0)
            push(node.ranks + (std::uint64_t{1} << left));
    }

    std::uint64_t mask = 0;
    for (std::uint64_t rest = node.ranks; rest != 0; rest &= rest - 1)
        mask |= std::uint64_t{1} << flip_value_->position[std::countr_zero(rest)];
    *flips = mask;
    *value = node.value;
    return true;
}

double Vosh::value_of(std::uint64_t ranks) const
{
    Levels product = flip_value_->weight[std::popcount(ranks)];
    for (std::uint64_t rest = ranks; rest != 0; rest &= rest - 1)
        product = product * flip_value_->odds[std::countr_zero(rest)];
    return sum_of(product);
}

void Vosh::push(std::uint64_t ranks)
{
    VoshNode node = {value_of(ranks), ranks};
    if (!(node.value > 0))
        return;
    if (size_ == capacity_) {
        lost_ = std::max(lost_, node.value);
        return;
    }
    nodes_[size_++] = node;
    std::push_heap(nodes_, nodes_ + size_, comes_later);
}

VoshNode Vosh::pop()
{
    std::pop_heap(nodes_, nodes_ + size_, comes_later);
    return nodes_[--size_];
}

} // namespace simhash
