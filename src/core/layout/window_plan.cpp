#include "core/layout/window_plan.hpp"

#include <algorithm>
#include <limits>

namespace simhash
{

namespace
{

constexpr int kUnused = -1; // the budget of a word that is not a window

// The chance that two rows differ in at most `most` bits of the word.
double chance_within(const WordModel &word, int most)
{
    double errors[kBits + 1] = {1};
    for (double differ : word.differ) {
        for (int i = most; i >= 0; i--)
            errors[i] = errors[i] * (1 - differ) + (i > 0 ? errors[i - 1] * differ : 0);
    }
    double chance = 0;
    for (int i = 0; i <= most; i++)
        chance += errors[i];
    return chance;
}

double pass_cost(const WindowTask &task, const WordModel &word, int budget)
{
    if (budget == kUnused)
        return 0;
    if (budget >= word.bits)
        return std::numeric_limits<double>::infinity();
    PairTask pairs = task.pairs;
    pairs.radius = budget;
    pairs.usable = ~Fingerprint{0};
    std::copy(word.differ, word.differ + kBits, pairs.differ);
    PairPlan plan;
    plan_pairs(pairs, &plan);
    return plan.cost + task.verify_cost * pairs.all_pairs() * chance_within(word, budget);
}

// The words, the ones in which rows differ most first.
void rank_words(const WindowTask &task, int *ranked)
{
    double sum[kMostWords] = {};
    for (int i = 0; i < task.words; i++) {
        ranked[i] = i;
        for (double differ : task.word[i].differ)
            sum[i] += differ;
    }
    std::sort(ranked, ranked + task.words,
              [&sum](int a, int b) { return sum[a] != sum[b] ? sum[a] > sum[b] : a < b; });
}

// Divides the radius among these words, an error at a time, where it costs least. Gives up beyond `most`.
double divide_radius(const WindowTask &task, const int *word, int words, double most, int *budget)
{
    double cost[kMostWords] = {}, next[kMostWords], sum = 0;
    for (int i = 0; i < words; i++) {
        budget[i] = kUnused;
        next[i] = pass_cost(task, task.word[word[i]], 0);
    }
    for (int error = 0; error <= task.radius && sum < most; error++) {
        int cheapest = 0;
        for (int i = 1; i < words; i++) {
            if (next[i] - cost[i] < next[cheapest] - cost[cheapest])
                cheapest = i;
        }
        int i = cheapest;
        sum += next[i] - cost[i];
        cost[i] = next[i];
        budget[i]++;
        if (sum < most)
            next[i] = pass_cost(task, task.word[word[i]], budget[i] + 1);
    }
    return sum;
}

} // namespace

void plan_windows(const WindowTask &task, WindowPlan *plan)
{
    plan->windows = 0;
    plan->cost = task.compare_cost * task.pairs.all_pairs();
    int ranked[kMostWords], budget[kMostWords];
    rank_words(task, ranked);
    // The first error in a window costs a pass, so few windows may be better than what division chooses.
    for (int words = task.words; words > 0; words /= 2) {
        double cost = divide_radius(task, ranked, words, plan->cost, budget);
        if (cost >= plan->cost)
            continue;
        plan->cost = cost;
        plan->windows = 0;
        for (int i = 0; i < words; i++) {
            if (budget[i] != kUnused)
                plan->window[plan->windows++] = {ranked[i], budget[i]};
        }
    }
}

} // namespace simhash
