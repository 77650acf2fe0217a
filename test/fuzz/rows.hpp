// Rows of a join, made from an input.
#pragma once

#include "targets.hpp"

#include "core/kernels/pair_match.hpp"

#include <memory>

namespace simhash
{

// Fingerprints that are near each other, far, or equal, at the end of their allocation.
struct Rows {
    std::unique_ptr<Fingerprint[]> row;
    std::uint32_t count;

    Rows(Bytes *bytes, std::uint32_t most) : count(bytes->take<std::uint8_t>() % (most + 1))
    {
        row.reset(new Fingerprint[count]);
        auto center = bytes->take<Fingerprint>();
        for (std::uint32_t i = 0; i < count; i++) {
            auto how = bytes->take<std::uint8_t>();
            row[i] = how % 4 == 0 ? bytes->take<Fingerprint>() : center;
            for (int flips = how / 4 % 8; flips > 0; flips--)
                row[i] ^= Fingerprint{1} << bytes->take<std::uint8_t>() % kBits;
        }
    }
    RowRun run(Bytes *bytes) const
    {
        auto begin = bytes->take<std::uint8_t>() % (count + 1);
        return {begin, begin + bytes->take<std::uint8_t>() % (count - begin + 1)};
    }
};

} // namespace simhash
