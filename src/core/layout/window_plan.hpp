// How the join finds all pairs of signatures within a radius r: by which of their words.
//
// Word w of a signature is its bits 64 w to 64 w + 63. Some words are chosen as windows, each with a budget of
// errors such that sum (budget + 1) = r + 1, so two signatures that differ in at most r bits meet the budget of at
// least one window. There is a pass for each: the pairs of words within the budget are found like those of
// fingerprints (pair_plan.hpp), and their signatures are compared. A pair is returned by the first pass that finds
// it. Where passes do not help, the signatures are compared all with all.
#pragma once

#include "core/layout/pair_plan.hpp"

namespace simhash
{

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
