// Binary search by a condition.
#pragma once

namespace simhash
{

// The first number from `low` on that is `enough`, if all larger ones are then, too; `high` if no smaller one is.
template <typename Number, typename Enough>
constexpr Number first_enough(Number low, Number high, Enough enough)
{
    while (low < high) {
        const Number middle = low + (high - low) / 2;
        if (enough(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

} // namespace simhash
