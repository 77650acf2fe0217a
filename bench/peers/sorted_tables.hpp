// The index's design without a database: four copies of the fingerprints, each sorted by another block of 16
// bits, with an offset for every value of the block. The cost of a search here is a lower bound for the
// server's index.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/kernels/leaf_match.hpp"
#include "core/layout/key_order.hpp"
#include "core/layout/tree_design.hpp"

namespace peers
{

using simhash::Fingerprint;

constexpr int kTables = 4, kBlockBits = 16;
constexpr std::uint32_t kValues = 1u << kBlockBits;
constexpr int kBucketPart = 1024; // fingerprints compared at once

struct Neighbor {
    int distance;
    std::uint32_t row;
    friend bool operator<(const Neighbor &a, const Neighbor &b) { return a.distance < b.distance; }
};

class SortedTables
{
public:
    explicit SortedTables(const std::vector<Fingerprint> &rows)
        : match_(simhash::leaf_match(simhash::best_simd_level()))
    {
        spread_bits(rows);
        std::vector<Fingerprint> words(rows.size());
        for (std::size_t i = 0; i < rows.size(); i++)
            words[i] = permutation_(rows[i]);
        for (int t = 0; t < kTables; t++)
            fill(t, words);
        for (std::uint32_t mask = 0; mask < kValues; mask++)
            masks_.push_back(static_cast<std::uint16_t>(mask));
        std::stable_sort(masks_.begin(), masks_.end(),
                         [](unsigned a, unsigned b) { return std::popcount(a) < std::popcount(b); });
        for (int weight = 0; weight <= kBlockBits + 1; weight++)
            first_mask_[weight] = static_cast<std::uint32_t>(
                std::partition_point(masks_.begin(), masks_.end(),
                                     [weight](unsigned m) { return std::popcount(m) < weight; }) -
                masks_.begin());
    }

    std::size_t bytes() const
    {
        std::size_t sum = 0;
        for (const Table &table : table_)
            sum += table.words.size() * sizeof(Fingerprint) + table.rows.size() * sizeof(std::uint32_t) +
                   table.first.size() * sizeof(std::uint32_t);
        return sum;
    }

    // Calls found(row, distance) once for each row within the radius.
    template <typename Found> void search(Fingerprint query, int radius, Found &&found) const
    {
        Fingerprint center = permutation_(query);
        int budget[kTables];
        for (int t = 0; t < kTables; t++)
            budget[t] = (radius + 1) / kTables - 1 + (t < (radius + 1) % kTables);
        for (int t = 0; t < kTables; t++) {
            if (budget[t] == 0)
                prefetch(t, block(t, center));
        }
        for (int t = 0; t < kTables; t++) {
            for (std::uint32_t m = 0; m < first_mask_[budget[t] + 1]; m++)
                scan(t, block(t, center) ^ masks_[m], center, radius,
                     [&](Fingerprint word, std::uint32_t row) {
                         for (int earlier = 0; earlier < t; earlier++) {
                             if (std::popcount(block(earlier, word ^ center)) <= budget[earlier])
                                 return;
                         }
                         found(row, simhash::hamming_distance(word, center));
                     });
        }
    }

    // The k nearest rows, nearest first: every block with 0 flips, then with 1, …, until no nearer row can
    // remain.
    void nearest(Fingerprint query, std::size_t k, std::vector<Neighbor> *best) const
    {
        Fingerprint center = permutation_(query);
        best->clear();
        for (int step = 0; step < kTables * (kBlockBits + 1); step++) {
            int flips = step / kTables, t = step % kTables;
            // Rows that earlier steps have not met differ in at least this many bits.
            if (best->size() == k && best->front().distance <= step)
                break;
            for (std::uint32_t m = first_mask_[flips]; m < first_mask_[flips + 1]; m++) {
                int radius = best->size() < k ? simhash::kBits : best->front().distance - 1;
                scan(t, block(t, center) ^ masks_[m], center, radius,
                     [&](Fingerprint word, std::uint32_t row) {
                         for (int other = 0; other < kTables; other++) {
                             if (other != t &&
                                 std::popcount(block(other, word ^ center)) < flips + (other < t))
                                 return;
                         }
                         Neighbor neighbor{simhash::hamming_distance(word, center), row};
                         if (best->size() == k) {
                             if (!(neighbor < best->front()))
                                 return;
                             std::pop_heap(best->begin(), best->end());
                             best->pop_back();
                         }
                         best->push_back(neighbor);
                         std::push_heap(best->begin(), best->end());
                     });
            }
        }
        std::sort_heap(best->begin(), best->end());
    }

    // The number of pairs of rows within the radius, which is less than the number of tables.
    std::uint64_t pairs(int radius) const
    {
        std::uint64_t count = 0;
        std::uint16_t matches[kBucketPart];
        for (int t = 0; t < kTables; t++) {
            const Table &table = table_[t];
            for (std::uint32_t value = 0; value < kValues; value++) {
                for (std::uint32_t i = table.first[value]; i < table.first[value + 1]; i++) {
                    for (std::uint32_t from = i + 1; from < table.first[value + 1]; from += kBucketPart) {
                        int part = static_cast<int>(
                            std::min<std::uint32_t>(kBucketPart, table.first[value + 1] - from));
                        int n = match_(&table.words[from], part, table.words[i], radius, matches);
                        for (int j = 0; j < n; j++) {
                            Fingerprint difference = table.words[i] ^ table.words[from + matches[j]];
                            bool earlier = false;
                            for (int other = 0; other < t; other++)
                                earlier |= block(other, difference) == 0;
                            count += !earlier;
                        }
                    }
                }
            }
        }
        return count;
    }

private:
    struct Table {
        std::vector<std::uint32_t> first; // of the rows with each value of the block
        std::vector<Fingerprint> words;
        std::vector<std::uint32_t> rows;
    };

    static std::uint32_t block(int t, Fingerprint word)
    {
        return static_cast<std::uint32_t>(word >> (64 - kBlockBits * (t + 1))) & (kValues - 1);
    }

    // Like the index, so that skewed fingerprints are not at a disadvantage.
    void spread_bits(const std::vector<Fingerprint> &rows)
    {
        constexpr std::size_t kSample = 30000;
        std::vector<Fingerprint> sample;
        std::size_t step = std::max<std::size_t>(1, rows.size() / kSample);
        for (std::size_t i = 0; i < rows.size(); i += step)
            sample.push_back(rows[i]);
        simhash::TreeDesign design;
        simhash::make_design(kTables - 1, kTables, &design);
        std::uint8_t order[simhash::kBits];
        simhash::choose_bit_order(design, sample.data(), sample.size(), order);
        permutation_.set(order);
    }

    void fill(int t, const std::vector<Fingerprint> &words)
    {
        Table &table = table_[t];
        table.first.assign(kValues + 1, 0);
        table.words.resize(words.size());
        table.rows.resize(words.size());
        for (Fingerprint word : words)
            table.first[block(t, word) + 1]++;
        for (std::uint32_t value = 0; value < kValues; value++)
            table.first[value + 1] += table.first[value];
        std::vector<std::uint32_t> next(table.first.begin(), table.first.end() - 1);
        for (std::size_t i = 0; i < words.size(); i++) {
            std::uint32_t at = next[block(t, words[i])]++;
            table.words[at] = words[i];
            table.rows[at] = static_cast<std::uint32_t>(i);
        }
    }

    void prefetch(int t, std::uint32_t value) const
    {
        const Table &table = table_[t];
        __builtin_prefetch(&table.words[table.first[value]]);
    }

    template <typename Found>
    void scan(int t, std::uint32_t value, Fingerprint center, int radius, Found &&found) const
    {
        const Table &table = table_[t];
        std::uint16_t matches[kBucketPart];
        for (std::uint32_t from = table.first[value]; from < table.first[value + 1]; from += kBucketPart) {
            int part = static_cast<int>(std::min<std::uint32_t>(kBucketPart, table.first[value + 1] - from));
            int n = match_(&table.words[from], part, center, radius, matches);
            for (int i = 0; i < n; i++)
                found(table.words[from + matches[i]], table.rows[from + matches[i]]);
        }
    }

    simhash::LeafMatch match_;
    simhash::BitPermutation permutation_;
    Table table_[kTables];
    std::vector<std::uint16_t> masks_; // of a block, by the number of bits
    std::uint32_t first_mask_[kBlockBits + 2];
};

} // namespace peers
