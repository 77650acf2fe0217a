#include "core/likely/list_centers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/bits/contract.hpp"
#include "core/bits/split_mix.hpp"

namespace simhash
{

namespace
{

// The groups in which the list of a row is searched.
constexpr int kNearGroups = 3;

std::size_t place(int bytes, std::size_t number) { return static_cast<std::size_t>(bytes) * number; }

// The numbers of the smallest distances, the first of equal ones.
struct Nearest {
    int count = 0;
    std::uint32_t number[kNearGroups];
    std::uint16_t distance[kNearGroups];

    void add(std::uint32_t n, std::uint16_t d)
    {
        if (count == kNearGroups && d >= distance[count - 1])
            return;
        int at = count < kNearGroups ? count++ : count - 1;
        for (; at > 0 && distance[at - 1] > d; at--) {
            distance[at] = distance[at - 1];
            number[at] = number[at - 1];
        }
        distance[at] = d;
        number[at] = n;
    }
};

constexpr std::uint32_t kPauseRows = 256; // between two pauses

// Counts each row's bits for its center. Returns whether a row has another center than before.
bool assign_rows(const CenterSample &sample, const std::uint32_t *row, std::uint32_t rows,
                 const std::uint8_t *center, std::uint32_t centers, std::uint32_t *center_of)
{
    bool changed = false;
    std::fill(sample.size, sample.size + centers, 0);
    for (std::uint32_t i = 0; i < rows; i++) {
        if (i % kPauseRows == 0)
            sample.pause();
        sample.distances(sample.row + place(sample.bytes, row[i]), sample.bytes, center,
                         static_cast<std::size_t>(sample.bytes), static_cast<int>(centers), sample.distance);
        const std::uint32_t nearest = static_cast<std::uint32_t>(
            std::min_element(sample.distance, sample.distance + centers) - sample.distance);
        changed = changed || center_of[i] != nearest;
        center_of[i] = nearest;
        sample.size[nearest]++;
    }
    return changed;
}

void count_bits(const std::uint8_t *signature, int bytes, std::uint32_t *sum)
{
    for (int i = 0; i < bytes; i++) {
        for (int bit = 0; bit < 8; bit++)
            sum[8 * i + bit] += signature[i] >> bit & 1;
    }
}

void set_majority(const std::uint32_t *sum, std::uint32_t rows, int bytes, std::uint8_t *center)
{
    for (int i = 0; i < bytes; i++) {
        int byte = 0;
        for (int bit = 0; bit < 8; bit++)
            byte |= (2 * sum[8 * i + bit] > rows) << bit;
        center[i] = static_cast<std::uint8_t>(byte);
    }
}

// Moves each center to the majority of its rows, and one without rows to some row.
void move_centers(const CenterSample &sample, const std::uint32_t *row, std::uint32_t rows,
                  const std::uint32_t *center_of, std::uint8_t *center, std::uint32_t centers,
                  std::uint64_t seed)
{
    const std::size_t bits = place(sample.bytes, 8);
    std::fill(sample.sum, sample.sum + bits * centers, 0);
    for (std::uint32_t i = 0; i < rows; i++) {
        if (i % kPauseRows == 0)
            sample.pause();
        count_bits(sample.row + place(sample.bytes, row[i]), sample.bytes, sample.sum + bits * center_of[i]);
    }
    for (std::uint32_t c = 0; c < centers; c++) {
        std::uint8_t *at = center + place(sample.bytes, c);
        if (sample.size[c] > 0)
            set_majority(sample.sum + bits * c, sample.size[c], sample.bytes, at);
        else
            std::memcpy(at, sample.row + place(sample.bytes, row[split_mix(seed + c) % rows]),
                        static_cast<std::size_t>(sample.bytes));
    }
}

// Chooses centers of some rows, and sets the center of each. Returns how many centers there are: those that no row is
// nearest to are dropped.
std::uint32_t choose_majorities(const CenterSample &sample, const std::uint32_t *row, std::uint32_t rows,
                                std::uint32_t centers, std::uint8_t *center, std::uint32_t *center_of)
{
    constexpr int kMoves = 4;
    centers = std::min(centers, rows);
    for (std::uint32_t c = 0; c < centers; c++)
        std::memcpy(center + place(sample.bytes, c),
                    sample.row + place(sample.bytes, row[std::uint64_t{rows} * c / centers]),
                    static_cast<std::size_t>(sample.bytes));
    std::fill(center_of, center_of + rows, centers);
    for (int move = 0; assign_rows(sample, row, rows, center, centers, center_of) && move < kMoves; move++)
        move_centers(sample, row, rows, center_of, center, centers,
                     std::uint64_t{rows} + static_cast<std::uint64_t>(move));
    std::uint32_t kept = 0;
    for (std::uint32_t c = 0; c < centers; c++) {
        if (sample.size[c] == 0)
            continue;
        std::memmove(center + place(sample.bytes, kept), center + place(sample.bytes, c),
                     static_cast<std::size_t>(sample.bytes));
        sample.size[c] = kept++; // the new number of the center
    }
    for (std::uint32_t i = 0; i < rows; i++)
        center_of[i] = sample.size[center_of[i]];
    return kept;
}

// Puts the rows of each group together. Sets where they begin.
void divide_rows(const CenterSample &sample, std::uint32_t groups, std::uint32_t *begin)
{
    std::fill(begin, begin + groups + 1, 0);
    for (std::uint32_t i = 0; i < sample.count; i++)
        begin[sample.center_of[i] + 1]++;
    for (std::uint32_t g = 0; g < groups; g++)
        begin[g + 1] += begin[g];
    for (std::uint32_t i = 0; i < sample.count; i++)
        sample.moved[begin[sample.center_of[i]]++] = sample.chosen[i];
    std::copy(sample.moved, sample.moved + sample.count, sample.chosen);
    std::copy_backward(begin, begin + groups, begin + groups + 1);
    begin[0] = 0;
}

} // namespace

const char *check_groups(const CenterSet &set)
{
    bool valid = set.first[0] == 0 && set.first[set.groups] == set.lists;
    for (std::uint32_t i = 0; i < set.groups && valid; i++)
        valid = set.first[i] < set.first[i + 1] && set.first[i + 1] <= set.lists;
    return valid ? nullptr : "The groups of lists are not valid.";
}

std::uint32_t nearest_list(const CenterSet &set, SignatureDistances distances, const std::uint8_t *signature,
                           std::uint16_t *distance)
{
    const std::size_t stride = static_cast<std::size_t>(set.bytes);
    Nearest near;
    distances(signature, set.bytes, set.group, stride, static_cast<int>(set.groups), distance);
    for (std::uint32_t i = 0; i < set.groups; i++)
        near.add(i, distance[i]);
    std::uint32_t best = 0;
    int least = INT32_MAX;
    for (int g = 0; g < near.count; g++) {
        const std::uint32_t first = set.first[near.number[g]], count = set.first[near.number[g] + 1] - first;
        distances(signature, set.bytes, set.list_center(first), stride, static_cast<int>(count), distance);
        const std::uint32_t at =
            static_cast<std::uint32_t>(std::min_element(distance, distance + count) - distance);
        if (distance[at] < least) {
            least = distance[at];
            best = first + at;
        }
    }
    return best;
}

void nearest_lists(const CenterSet &set, SignatureDistances distances, const std::uint8_t *signature,
                   std::uint32_t wanted, std::uint16_t *distance, std::uint32_t *list)
{
    SIMHASH_ASSERT(wanted <= set.lists);
    distances(signature, set.bytes, set.center, static_cast<std::size_t>(set.bytes),
              static_cast<int>(set.lists), distance);
    // How many centers are nearer than each distance: there the lists at that distance begin.
    std::uint32_t begin[kMostSignatureBits + 2] = {};
    for (std::uint32_t i = 0; i < set.lists; i++)
        begin[distance[i] + 1]++;
    for (int d = 1; d <= set.bytes * 8; d++)
        begin[d] += begin[d - 1];
    for (std::uint32_t i = 0; i < set.lists; i++) {
        std::uint32_t at = begin[distance[i]]++;
        if (at < wanted)
            list[at] = i;
    }
}

std::uint32_t groups_for(std::uint32_t lists)
{
    return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::lround(std::sqrt(lists))));
}

std::uint32_t most_centers(std::uint32_t lists)
{
    constexpr std::uint32_t kMostInGroup = 4; // times as many as on average
    return kMostInGroup * (groups_for(lists) + 1);
}

CenterSet choose_centers(const CenterSample &sample, std::uint32_t lists, std::uint8_t *group,
                         std::uint32_t *first, std::uint8_t *center)
{
    SIMHASH_ASSERT(lists >= 1 && sample.count >= 1);
    const std::uint32_t groups =
        choose_majorities(sample, sample.chosen, sample.count, groups_for(lists), group, sample.center_of);
    divide_rows(sample, groups, first);
    // `first` has the groups' first rows, until it gets their first lists.
    std::uint32_t row = 0, list = 0;
    for (std::uint32_t g = 0; g < groups; g++) {
        const std::uint32_t end = first[g + 1], rows = end - row;
        const double share = static_cast<double>(lists) * rows / sample.count;
        const std::uint32_t wanted =
            std::clamp(static_cast<std::uint32_t>(std::lround(share)), std::uint32_t{1}, most_centers(lists));
        first[g] = list;
        list += choose_majorities(sample, sample.chosen + row, rows, wanted,
                                  center + place(sample.bytes, list), sample.center_of);
        row = end;
    }
    first[groups] = list;
    SIMHASH_ASSERT(list <= most_lists(lists));
    return {sample.bytes, groups, list, group, first, center};
}

} // namespace simhash
