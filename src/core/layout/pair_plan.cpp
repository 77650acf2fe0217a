#include "core/layout/pair_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simhash
{

namespace
{

// Measured nanoseconds; only their ratios matter.
constexpr double kVisitRun = 4.0; // to visit a cell
constexpr double kVisitRow = 2.5; // to start on one of its rows, before any comparison

constexpr int kMostBudget = kBits;

// A block while bits are dealt to it.
struct Block {
    int budget;
    int dealt;
    bool full; // the last bits did not help
    // errors[i]: the chance that two rows differ in i of its bits. More than the budget are left out.
    double errors[kMostBudget + 1];
    double sets;    // of at most `budget` bits
    double loading; // the cost of bringing the rows together
    double binomial[kMostBudget + 1];
    int best; // the cheapest number of bits
    double cost;
    std::uint8_t bit[kMostCellBits];
};

// The number of sets of at most `most` of `bits` things.
double count_sets(double bits, int most)
{
    double sets = 1, binomial = 1;
    for (int i = 1; i <= most && i <= bits; i++) {
        binomial *= (bits - i + 1) / i;
        sets += binomial;
    }
    return sets;
}

// How many times all rows of y are read into memory to be compared with those of x.
double count_loads(const PairTask &task, int budget)
{
    bool within = task.y_rows == 0;
    double parts = (within ? task.x_rows : std::max(task.x_rows, task.y_rows)) / task.part_rows;
    double met = parts <= 1 ? 1 : count_sets(std::ceil(std::log2(parts)), budget);
    return within ? (met + 1) / 2 : met;
}

double block_cost(const PairTask &task, const Block &block)
{
    double near = 0;
    for (int i = 0; i <= std::min(block.budget, block.dealt); i++)
        near += block.errors[i];
    double cells = static_cast<double>(std::uint64_t{1} << block.dealt);
    bool within = task.y_rows == 0;
    double runs = cells * (within ? (block.sets + 1) / 2 : block.sets);
    double y_rows = within ? task.x_rows : task.y_rows;
    double visits = task.x_rows * (runs / cells) * std::min(1.0, y_rows / cells);
    return block.loading + kVisitRun * runs + kVisitRow * visits +
           task.compare_cost * task.all_pairs() * near;
}

void begin_block(const PairTask &task, int budget, Block *block)
{
    *block = {};
    block->budget = budget;
    block->errors[0] = 1;
    block->sets = block->binomial[0] = 1;
    double y_rows = task.y_rows == 0 ? task.x_rows : task.y_rows;
    block->loading = task.row_cost * (task.x_rows + task.y_rows) +
                     task.load_cost * y_rows * (count_loads(task, budget) - 1);
    block->cost = block_cost(task, *block);
}

void deal(const PairTask &task, Block *block, std::uint8_t bit)
{
    double differ = task.differ[bit];
    block->bit[block->dealt++] = bit;
    for (int i = std::min(block->budget, block->dealt); i >= 0; i--) {
        block->errors[i] = block->errors[i] * (1 - differ) + (i > 0 ? block->errors[i - 1] * differ : 0);
        block->binomial[i] += i > 0 ? block->binomial[i - 1] : 0;
    }
    block->sets = 0;
    for (int i = 0; i <= std::min(block->budget, block->dealt); i++)
        block->sets += block->binomial[i];
    double cost = block_cost(task, *block);
    if (cost < block->cost) {
        block->cost = cost;
        block->best = block->dealt;
    }
    // A block with a budget gains nothing from its first bits.
    block->full = block->dealt == std::min(task.most_bits, kMostCellBits) ||
                  block->dealt > block->best + 3 + 2 * block->budget;
}

// Deals the bits, most informative first, each to the currently most expensive block.
double deal_all(const PairTask &task, const std::uint8_t *ranked, int bits, int blocks, Block *block)
{
    for (int i = 0; i < blocks; i++) {
        int spare = task.radius + 1 - blocks;
        begin_block(task, spare / blocks + (i < spare % blocks), &block[i]);
    }
    for (int at = 0; at < bits; at++) {
        int dearest = -1;
        for (int i = 0; i < blocks; i++) {
            if (!block[i].full && (dearest < 0 || block[i].cost > block[dearest].cost))
                dearest = i;
        }
        if (dearest < 0)
            break;
        deal(task, &block[dearest], ranked[at]);
    }
    double cost = 0;
    for (int i = 0; i < blocks; i++)
        cost += block[i].cost;
    return cost;
}

void use_block(const Block &block, PairStep *step)
{
    *step = {block.best, block.budget, {}, 0};
    for (int i = 0; i < block.best; i++) {
        step->bit[i] = block.bit[i];
        step->mask |= Fingerprint{1} << block.bit[i];
    }
}

// Adds the number of rows with each bit set to ones. Eight sums of a byte each are kept in a word.
void count_ones(const Fingerprint *row, std::size_t count, std::size_t ones[kBits])
{
    constexpr std::uint64_t kEach = 0x0101010101010101;
    while (count > 0) {
        std::size_t rows = std::min<std::size_t>(count, 255);
        std::uint64_t sum[8] = {};
        for (std::size_t i = 0; i < rows; i++) {
            for (int bit = 0; bit < 8; bit++)
                sum[bit] += row[i] >> bit & kEach;
        }
        for (int bit = 0; bit < kBits; bit++)
            ones[bit] += sum[bit % 8] >> (bit - bit % 8) & 255;
        row += rows;
        count -= rows;
    }
}

} // namespace

double cost_of_all(const PairTask &task)
{
    Block block;
    begin_block(task, task.radius, &block);
    return block.cost;
}

void plan_pairs(const PairTask &task, PairPlan *plan)
{
    *plan = {};
    plan->steps = 1;
    plan->step[0].budget = task.radius;
    plan->cost = cost_of_all(task);

    std::uint8_t ranked[kBits];
    int bits = 0;
    for (int i = 0; i < kBits; i++) {
        if ((task.usable >> i & 1) && task.differ[i] > 0)
            ranked[bits++] = static_cast<std::uint8_t>(i);
    }
    if (task.radius >= kBits || task.most_bits < 1)
        return;
    std::sort(ranked, ranked + bits, [&task](std::uint8_t a, std::uint8_t b) {
        return task.differ[a] != task.differ[b] ? task.differ[a] > task.differ[b] : a < b;
    });

    Block block[kMostPairSteps];
    int most = std::min(task.radius + 1, kMostPairSteps);
    for (int blocks = 1; blocks <= most; blocks++) {
        double cost = deal_all(task, ranked, bits, blocks, block);
        if (cost >= plan->cost)
            continue;
        plan->steps = blocks;
        plan->cost = cost;
        for (int i = 0; i < blocks; i++)
            use_block(block[i], &plan->step[i]);
    }
}

double cut_step(const PairTask &task, const std::uint8_t *bit, int bits, int budget, PairStep *step)
{
    Block block;
    begin_block(task, budget, &block);
    for (int i = 0; i < bits && block.dealt < std::min(task.most_bits, kMostCellBits); i++)
        deal(task, &block, bit[i]);
    use_block(block, step);
    return block.cost;
}

void measure_bits(const Fingerprint *x, std::size_t x_count, const Fingerprint *y, std::size_t y_count,
                  double differ[kBits])
{
    std::size_t ones[2][kBits] = {};
    count_ones(x, x_count, ones[0]);
    count_ones(y, y_count, ones[1]);
    for (int bit = 0; bit < kBits; bit++) {
        double p = x_count == 0 ? 0.5 : static_cast<double>(ones[0][bit]) / static_cast<double>(x_count);
        double q = y_count == 0 ? 0.5 : static_cast<double>(ones[1][bit]) / static_cast<double>(y_count);
        differ[bit] = p * (1 - q) + q * (1 - p);
    }
}

void CellMap::set(const std::uint8_t *bit, int bits)
{
    for (auto &part : part_)
        part[0] = 0;
    for (int i = 0; i < kBits; i++)
        part_[i / 8][1 << i % 8] = 0;
    for (int i = 0; i < bits; i++)
        part_[bit[i] / 8][1 << bit[i] % 8] = std::uint32_t{1} << (bits - 1 - i);
    for (auto &part : part_) {
        for (int value = 3; value < 256; value++)
            part[value] = part[value & (value - 1)] | part[value & -value];
    }
}

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

bool alike(const WordModel &a, const WordModel &b)
{
    return a.bits == b.bits && std::equal(a.differ, a.differ + kBits, b.differ);
}

// The costs of passes. Each is computed once: an estimate takes all words to be alike, and a plan asks again for fewer
// windows.
class PassCosts
{
public:
    explicit PassCosts(const WindowTask &task) : task_(task)
    {
        for (int i = 0; i < task.words; i++) {
            like_[i] = i > 0 && alike(task.word[i], task.word[like_[i - 1]]) ? like_[i - 1] : i;
            std::fill(known_[i], known_[i] + kBits, -1.0);
        }
    }
    double of(int word, int budget)
    {
        if (budget >= task_.word[word].bits)
            return std::numeric_limits<double>::infinity();
        double &cost = known_[like_[word]][budget];
        if (cost < 0)
            cost = compute(task_.word[word], budget);
        return cost;
    }

private:
    double compute(const WordModel &word, int budget) const
    {
        PairTask pairs = task_.pairs;
        pairs.radius = budget;
        pairs.usable = ~Fingerprint{0};
        std::copy(word.differ, word.differ + kBits, pairs.differ);
        PairPlan plan;
        plan_pairs(pairs, &plan);
        return plan.cost + task_.verify_cost * pairs.all_pairs() * chance_within(word, budget);
    }

    const WindowTask &task_;
    int like_[kMostWords]; // the first of the words that are alike
    double known_[kMostWords][kBits];
};

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
double divide_radius(int radius, PassCosts *costs, const int *word, int words, double most, int *budget)
{
    double cost[kMostWords] = {}, next[kMostWords], sum = 0;
    for (int i = 0; i < words; i++) {
        budget[i] = kUnused;
        next[i] = costs->of(word[i], 0);
    }
    for (int error = 0; error <= radius && sum < most; error++) {
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
            next[i] = costs->of(word[i], budget[i] + 1);
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
    PassCosts costs(task);
    // The first error in a window costs a pass, so few windows may be better than what division chooses.
    for (int words = task.words; words > 0; words /= 2) {
        double cost = divide_radius(task.radius, &costs, ranked, words, plan->cost, budget);
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
