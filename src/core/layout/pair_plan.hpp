// How the join finds all pairs of rows within a radius r: by which bits it brings rows together.
//
// Some bits are dealt to blocks, each with a budget of errors such that sum (budget + 1) = r + 1. By the
// pigeonhole principle two rows that differ in at most r bits differ, in some block, in no more bits than its
// budget. So a plan has a step for each block: rows go into cells by the block's bits, and each cell is
// compared with the cells within its budget. A pair is returned by the first step that can find it. The bits
// in which its rows differ tell which step that is, so no pair has to be remembered.
//
// The bits, their number and the number of blocks are chosen by estimated cost, given how often two rows
// differ in each bit. Where cells do not help, the plan is one step with one cell: all rows against all.
#pragma once

#include "core/bits/fingerprint.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace simhash
{

inline constexpr int kMostCellBits = 24;
inline constexpr int kMostPairSteps = 32;

struct PairStep {
    int bits;                        // of a cell's number
    int budget;                      // errors in them
    std::uint8_t bit[kMostCellBits]; // bits of the fingerprint, from the number's highest bit on
    Fingerprint mask;                // the same
};

struct PairPlan {
    int steps;   // at least 1
    double cost; // estimated nanoseconds
    PairStep step[kMostPairSteps];
};

struct PairTask {
    double x_rows;
    double y_rows; // 0: pairs of the rows of x
    int radius;    // 0 to 64
    Fingerprint usable;
    double differ[kBits]; // the chance that a row of x and one of y differ in the bit
    int most_bits;        // of a cell's number
    double row_cost;      // nanoseconds to bring a row to its cell, in one step
    double compare_cost;  // to compare two rows
    // How many rows fit in memory at a time, and the cost of reading one again: the cells that a cell is
    // compared with may not be in memory with it.
    double part_rows;
    double load_cost;

    double all_pairs() const { return y_rows == 0 ? x_rows * x_rows / 2 : x_rows * y_rows; }
};

void plan_pairs(const PairTask &task, PairPlan *plan);

// Makes a step whose cells use the first of these bits, as many as are cheapest. Returns its cost.
double cut_step(const PairTask &task, const std::uint8_t *bit, int bits, int budget, PairStep *step);

// The cost of the task without cells.
double cost_of_all(const PairTask &task);

// Estimates from samples how often a row of x and one of y differ in each bit. An empty sample counts as
// uniform.
void measure_bits(const Fingerprint *x, std::size_t x_count, const Fingerprint *y, std::size_t y_count,
                  double differ[kBits]);

// Whether step number `step` is the one that returns a pair, given the bits in which its rows differ.
inline bool returns_pair(const PairPlan &plan, int step, Fingerprint errors)
{
    for (int i = 0; i < step; i++) {
        if (std::popcount(errors & plan.step[i].mask) <= plan.step[i].budget)
            return false;
    }
    return std::popcount(errors & plan.step[step].mask) <= plan.step[step].budget;
}

// From fingerprints to numbers of cells, by a table for each byte: 8 KB.
class CellMap
{
public:
    // The number's bits are these bits of the fingerprint, the highest first.
    void set(const std::uint8_t *bit, int bits);

    std::uint32_t operator()(Fingerprint x) const
    {
        std::uint32_t cell = 0;
        for (int i = 0; i < 8; i++)
            cell |= part_[i][x >> (8 * i) & 255];
        return cell;
    }

private:
    std::uint32_t part_[8][256];
};

// The sets of at most `most` of `bits` bits, fewest first: for (Flips f(bits, most); !f.done(); f.next()).
class Flips
{
public:
    Flips(int bits, int most) : bits_(bits), most_(most < bits ? most : bits) {}

    bool done() const { return count_ > most_; }
    std::uint32_t mask() const { return mask_; }
    int count() const { return count_; }
    void next()
    {
        if (mask_ != 0) { // the next larger number with as many bits
            std::uint32_t low = mask_ & -mask_, ripple = mask_ + low;
            mask_ = ripple | ((mask_ ^ ripple) / low >> 2);
        }
        if (mask_ == 0 || mask_ >> bits_ != 0)
            mask_ = (std::uint32_t{1} << ++count_) - 1;
    }

private:
    int bits_; // below 32
    int most_;
    int count_ = 0;
    std::uint32_t mask_ = 0;
};

// How the join finds all pairs of signatures within a radius r: by which of their words.
//
// Word w of a signature is its bits 64 w to 64 w + 63. Some words are chosen as windows, each with a budget of
// errors such that sum (budget + 1) = r + 1, so two signatures that differ in at most r bits meet the budget of at
// least one window. There is a pass for each: the pairs of words within the budget are found like those of
// fingerprints, and their signatures are compared. A pair is returned by the first pass that finds
// it. Where passes do not help, the signatures are compared all with all.

inline constexpr int kMostWords = 64;

struct Window {
    int word;
    int budget;
};

struct WindowPlan {
    int windows; // 0: compare all with all
    double cost; // estimated nanoseconds
    Window window[kMostWords];
};

// A word of the signatures.
struct WordModel {
    int bits;             // 64, or fewer in the last word
    double differ[kBits]; // the chance that a row of x and one of y differ in the bit
};

struct WindowTask {
    PairTask pairs; // of the rows; radius, usable and differ are not used
    int radius;
    int words;
    const WordModel *word;
    double verify_cost;  // nanoseconds to compare the signatures of a pair whose words are near
    double compare_cost; // to compare two signatures where all are compared
};

void plan_windows(const WindowTask &task, WindowPlan *plan);

} // namespace simhash
