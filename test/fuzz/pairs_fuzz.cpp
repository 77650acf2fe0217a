// The kernels of the join: each finds the pairs that two plain loops find, for any runs and any room.
#include "rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace simhash
{

namespace
{

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Calls a kernel until it is done, with exactly this much room.
template <typename Kernel> Pairs collect(std::size_t runs, std::size_t room, Kernel kernel)
{
    Pairs pairs;
    MatchCursor cursor = {};
    do {
        std::unique_ptr<RowPair[]> found(new RowPair[room]);
        std::size_t count = kernel(&cursor, found.get());
        FUZZ_EXPECT(count <= room);
        FUZZ_EXPECT(cursor.run >= runs || count + kLeastRoom > room); // it stops only for lack of room
        for (std::size_t i = 0; i < count; i++)
            pairs.emplace_back(found[i].x, found[i].y);
    } while (cursor.run < runs);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

} // namespace

void fuzz_pairs(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    int radius = bytes.take<std::uint8_t>() % (kBits + 1);
    std::size_t room = kLeastRoom + bytes.take<std::uint8_t>();
    Rows x(&bytes, 60), y(&bytes, 60);
    std::vector<RowRun> within;
    std::vector<RunPair> between;
    Pairs all_within, all_between;
    for (int runs = bytes.take<std::uint8_t>() % 6; runs > 0; runs--) {
        RowRun run = x.run(&bytes);
        within.push_back(run);
        between.push_back({run, y.run(&bytes)});
        for (std::uint32_t i = run.begin; i < run.end; i++) {
            for (std::uint32_t j = i + 1; j < run.end; j++) {
                if (std::popcount(x.row[i] ^ x.row[j]) <= radius)
                    all_within.emplace_back(i, j);
            }
            for (std::uint32_t j = between.back().y.begin; j < between.back().y.end; j++) {
                if (std::popcount(x.row[i] ^ y.row[j]) <= radius)
                    all_between.emplace_back(i, j);
            }
        }
    }
    std::sort(all_within.begin(), all_within.end());
    std::sort(all_between.begin(), all_between.end());
    for (SimdLevel level : kSimdLevels) {
        if (!has_simd_level(level))
            continue;
        const PairMatch &match = pair_match(level);
        FUZZ_EXPECT(collect(within.size(), room, [&](MatchCursor *cursor, RowPair *found) {
                        return match.within(x.row.get(), within.data(), within.size(), radius, cursor, found,
                                            room);
                    }) == all_within);
        FUZZ_EXPECT(collect(between.size(), room, [&](MatchCursor *cursor, RowPair *found) {
                        return match.between(x.row.get(), y.row.get(), between.data(), between.size(), radius,
                                             cursor, found, room);
                    }) == all_between);
    }
}

} // namespace simhash
