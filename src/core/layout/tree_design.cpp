#include "core/layout/tree_design.hpp"

#include "core/bits/contract.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace simhash
{

namespace
{

struct Shape {
    int regions;
    int blocks[kMaxBlocks];
    int spared[kMaxBlocks];
    double header; // ideal header length in bits
};

int choose(int n, int k)
{
    long result = 1;
    k = k < n - k ? k : n - k; // the product then never exceeds the result
    for (int i = 0; i < k; i++) {
        result = result * (n - i) / (i + 1);
        if (result > kMaxTrees)
            return kMaxTrees + 1;
    }
    return static_cast<int>(result);
}

// If region m has a_m of the 64 bits, its headers have a_m (b - c) / b bits. All headers are equally long if
// that is 64 / sum (b / (b - c)).
double ideal_header(const Shape &shape)
{
    double sum = 0;
    for (int i = 0; i < shape.regions; i++)
        sum += static_cast<double>(shape.blocks[i]) / (shape.blocks[i] - shape.spared[i]);
    return 64 / sum;
}

int total_blocks(const Shape &shape)
{
    int total = 0;
    for (int i = 0; i < shape.regions; i++)
        total += shape.blocks[i];
    return total;
}

// Tries every multiset of regions with sum (c + 1) == units and sum C(b, c) == trees, spared non-increasing.
void search_shapes(Shape *current, int units, int trees, int max_spared, Shape *best)
{
    if (units == 0) {
        if (trees != 0)
            return;
        current->header = ideal_header(*current);
        if (current->header > best->header + 1e-9 ||
            (current->header > best->header - 1e-9 && total_blocks(*current) < total_blocks(*best)))
            *best = *current;
        return;
    }
    if (trees < units || current->regions == kMaxBlocks)
        return; // a unit costs at least one tree
    for (int spared = max_spared < units - 1 ? max_spared : units - 1; spared >= 0; spared--) {
        // With one block in each header (b = c + 1) the region is as good as c + 1 regions of one block.
        for (int blocks = spared == 0 ? 1 : spared + 2; total_blocks(*current) + blocks <= kMaxBlocks;
             blocks++) {
            int region_trees = choose(blocks, spared);
            if (region_trees > trees)
                break;
            int at = current->regions++;
            current->blocks[at] = blocks;
            current->spared[at] = spared;
            search_shapes(current, units - spared - 1, trees - region_trees, spared, best);
            current->regions--;
            if (spared == 0)
                break; // more blocks in every header are one block
        }
    }
}

// The fewest bits of a region whose shortest header has `length` bits.
int region_bits(int blocks, int spared, int length)
{
    int bits = blocks;
    while ((blocks - spared) * (bits / blocks) + (bits % blocks > spared ? bits % blocks - spared : 0) <
           length)
        bits++;
    return bits;
}

// Cuts 64 bits into the shape's blocks so that the shortest header is as long as it can be.
void set_widths(const Shape &shape, TreeDesign *out)
{
    int bits[kMaxBlocks], used = 0;
    for (int length = 64;; length--) {
        used = 0;
        for (int i = 0; i < shape.regions; i++) {
            bits[i] = region_bits(shape.blocks[i], shape.spared[i], length);
            used += bits[i];
        }
        if (used <= 64)
            break;
    }
    for (int i = 0; used < 64; used++, i = (i + 1) % shape.regions)
        bits[i]++;
    int block = 0;
    for (int i = 0; i < shape.regions; i++)
        for (int j = 0; j < shape.blocks[i]; j++)
            out->width[block++] =
                static_cast<std::uint8_t>(bits[i] / shape.blocks[i] + (j < bits[i] % shape.blocks[i]));
}

// One tree for each set of `blocks - spared` blocks of the region. The first block of a header is the one
// that has come first in the fewest trees, so that as many blocks as possible come first in one.
void add_trees(TreeDesign *out, const DesignRegion &region, int *led)
{
    int header = region.blocks - region.spared;
    for (std::uint32_t set = 0; set < 1u << region.blocks; set++) {
        if (std::popcount(set) != header)
            continue;
        DesignTree *tree = &out->tree[out->trees++];
        tree->header_blocks = static_cast<std::uint8_t>(header);
        int lead = -1, at = 0;
        for (int b = 0; b < region.blocks; b++) {
            int block = region.first_block + b;
            if ((set >> b & 1) && (lead < 0 || led[block] < led[lead]))
                lead = block;
        }
        led[lead]++;
        tree->order[at++] = static_cast<std::uint8_t>(lead);
        for (int pass = 0; pass < 2; pass++) { // the header's other blocks, then the rest, both cyclically
            for (int i = 1; i < out->blocks; i++) {
                int block = (lead + i) % out->blocks;
                int b = block - region.first_block;
                bool in_header = b >= 0 && b < region.blocks && (set >> b & 1);
                if (in_header == (pass == 0))
                    tree->order[at++] = static_cast<std::uint8_t>(block);
            }
        }
        for (int i = 0; i < header; i++)
            tree->header_bits = static_cast<std::uint8_t>(tree->header_bits + out->width[tree->order[i]]);
    }
}

constexpr int kMostDistanceByRows = 3;

// The bits of the shortest header; 0 if there is no such design.
int shortest_header(int distance, int trees)
{
    TreeDesign design;
    if (!make_design(distance, trees, &design))
        return 0;
    int bits = design.tree[0].header_bits;
    for (int i = 1; i < trees; i++)
        bits = std::min<int>(bits, design.tree[i].header_bits);
    return bits;
}

} // namespace

std::uint32_t header_blocks(const DesignTree &tree)
{
    std::uint32_t set = 0;
    for (int i = 0; i < tree.header_blocks; i++)
        set |= 1u << tree.order[i];
    return set;
}

bool make_design(int distance, int trees, TreeDesign *out)
{
    if (distance < kMinDistance || distance > kMaxDistance || trees < 1 || trees > kMaxTrees)
        return false;

    Shape current = {}, best = {};
    search_shapes(&current, trees <= distance ? trees : distance + 1, trees, distance, &best);
    if (best.regions == 0)
        return false;

    std::memset(out, 0, sizeof(*out));
    out->distance = static_cast<std::uint8_t>(distance);
    out->blocks = static_cast<std::uint8_t>(total_blocks(best));
    out->regions = static_cast<std::uint8_t>(best.regions);
    set_widths(best, out);

    int led[kMaxBlocks] = {};
    int block = 0;
    for (int i = 0; i < best.regions; i++) {
        DesignRegion *region = &out->region[i];
        region->first_block = static_cast<std::uint8_t>(block);
        region->blocks = static_cast<std::uint8_t>(best.blocks[i]);
        region->spared = static_cast<std::uint8_t>(best.spared[i]);
        region->first_tree = out->trees;
        add_trees(out, *region, led);
        region->trees = static_cast<std::uint8_t>(out->trees - region->first_tree);
        block += best.blocks[i];
    }
    return true;
}

bool check_design(const TreeDesign &design)
{
    TreeDesign made;
    return make_design(design.distance, design.trees, &made) &&
           std::memcmp(&design, &made, sizeof(made)) == 0;
}

int default_trees(int distance, double rows)
{
    SIMHASH_ASSERT(distance >= kMinDistance && distance <= kMaxDistance);
    const int fewest = default_trees(distance);
    if (distance > kMostDistanceByRows)
        return fewest;
    int best = fewest, longest = shortest_header(distance, fewest);
    for (int trees = fewest + 1; trees <= 2 * fewest && rows > std::ldexp(kMostRowsOfHeader, longest);
         trees++) {
        int header = shortest_header(distance, trees);
        if (header > longest) {
            best = trees;
            longest = header;
        }
    }
    return best;
}

} // namespace simhash
