// A bounded sample of a sequence of unknown length, spread evenly over it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/bits/contract.hpp"

namespace simhash
{

// Keeps every n-th item, of `size` elements each. When there is no more room, it drops every other one and doubles n.
template <typename T> class EveryNth
{
public:
    // `kept` has room for `most` items.
    EveryNth(T *kept, std::size_t most, std::size_t size = 1) : kept_(kept), most_(most), size_(size)
    {
        SIMHASH_ASSERT(most % 2 == 0);
    }

    // Where to put the next item; null if it is left out.
    T *next()
    {
        if (seen_++ % n_ != 0)
            return nullptr;
        if (count_ == most_) {
            for (std::size_t i = 0; i < most_ / 2; i++)
                std::copy_n(item(2 * i), size_, item(i));
            count_ = most_ / 2;
            n_ *= 2;
            if ((seen_ - 1) % n_ != 0)
                return nullptr;
        }
        return item(count_++);
    }

    std::size_t count() const { return count_; }
    std::uint64_t seen() const { return seen_; }

private:
    T *item(std::size_t i) { return kept_ + i * size_; }

    T *kept_;
    std::size_t most_;
    std::size_t size_;
    std::size_t count_ = 0;
    std::uint64_t seen_ = 0;
    std::uint64_t n_ = 1;
};

} // namespace simhash
