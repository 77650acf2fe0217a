// Which model predicts the recall of unlike kinds of near-duplicates, and what does a wrong one cost? See README.md.
//
//   kinds TEXTS PAIRS [TABLES]
//
// The files are those of measure.cpp. Searches use the extension's own plan, with the volatilities of the model that
// is measured.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/tables/key_ball.hpp"
#include "core/volatility/guided_plan.hpp"
#include "corpus.hpp"

namespace simhash
{

// The tail of the volatilities of a level: the chance of a flip by |W| / s, in steps of 1 / kTailSteps.
using Tail = std::vector<double>;
constexpr int kTailSteps = 64, kTailEnd = 8;

struct Model {
    std::string name;
    std::string fitted_to;   // a kind of pairs, perhaps with a note in brackets
    VolatilityModel mixture; // the levels' shares
    std::vector<Tail> tail;  // by level; empty for the normal tails of the extension
};

namespace
{

const Model *searched_model;

double tail_at(const Tail &tail, double size)
{
    double at = size * kTailSteps;
    auto cell = static_cast<std::size_t>(at);
    if (cell + 1 >= tail.size())
        return tail.back();
    double part = at - std::floor(at);
    return tail[cell] * (1 - part) + tail[cell + 1] * part;
}

} // namespace

// What GuidedPlan calls instead of set_volatility, which it is compiled with below.
void set_searched_volatility(const VolatilityModel &, const Weights &weights, int radius, Volatility *out)
{
    const Model &model = *searched_model;
    set_volatility(model.mixture, weights, radius, out);
    for (int j = 0; j < kBits && !model.tail.empty(); j++) {
        // The size by which the bits are ranked: odds must not rise with it.
        double size = std::bit_cast<float>(out->stability[j] & ~63);
        out->odds[j] = levels_of(0);
        for (std::size_t level = 0; level < model.tail.size(); level++) {
            double p = std::min(0.5, tail_at(model.tail[level], size));
            out->odds[j].set(static_cast<int>(level), p / (1 - p));
        }
    }
}

} // namespace simhash

#define set_volatility set_searched_volatility
#include "core/volatility/guided_plan.cpp"
#undef set_volatility

using namespace simhash;

namespace
{

constexpr double kTargets[] = {0.90, 0.95, 0.99};
constexpr int kTargetCount = 3;
constexpr int kRadii[] = {3, 8};
constexpr int kPrefixBits = 14; // leaves are cells: 8 million rows
constexpr std::size_t kProbes = 8192;
constexpr int kMostPairs = 8000; // of a kind and half
constexpr int kKindCount = 6;

struct WeightsPair {
    Weights query, partner;
    Fingerprint flips() const { return weights_fingerprint(query) ^ weights_fingerprint(partner); }
};
using WeightsPairs = std::vector<WeightsPair>;

struct PairKind {
    const char *name;
    WeightsPairs half[2]; // to fit, to test
};

using Words = std::vector<std::string>;

std::mt19937_64 random_numbers(7);
std::size_t below(std::size_t end) { return random_numbers() % end; }
double fraction() { return static_cast<double>(random_numbers() >> 11) * 0x1p-53; }

Words words_of(const std::string &text)
{
    Words words;
    for (std::size_t from = 0; from < text.size();) {
        std::size_t to = std::min(text.find_first_of(" \t\n\r", from), text.size());
        if (to > from)
            words.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return words;
}

std::string text_of(const Words &words)
{
    std::string text;
    for (const std::string &word : words)
        text += word + ' ';
    return text;
}

// Each word is removed, replaced by another text's, or followed by one, with this chance.
std::string edit(const Words &words, double chance, const Words &others)
{
    Words edited;
    for (const std::string &word : words) {
        std::size_t kind = fraction() < chance ? below(3) : 3;
        if (kind == 1 || kind == 3)
            edited.push_back(word);
        if (kind < 2)
            edited.push_back(others[below(others.size())]);
    }
    return text_of(edited);
}

Words excerpt(const Words &words, std::size_t length)
{
    length = std::min(length, words.size());
    auto from = words.begin() + static_cast<std::ptrdiff_t>(below(words.size() - length + 1));
    return Words(from, from + static_cast<std::ptrdiff_t>(length));
}

template <class Item> void thin(std::vector<Item> *items)
{
    for (std::size_t i = items->size(); i > 1; i--)
        std::swap((*items)[i - 1], (*items)[below(i)]);
    items->resize(std::min<std::size_t>(items->size(), kMostPairs));
}

WeightsPairs weigh_pairs(const std::vector<std::string> &queries, const std::vector<std::string> &partners)
{
    std::vector<Weights> a = weigh_texts(queries, kKinds[0]), b = weigh_texts(partners, kKinds[0]);
    WeightsPairs pairs;
    for (std::size_t i = 0; i < a.size(); i++)
        pairs.push_back({a[i], b[i]});
    return pairs;
}

// Made-up near-duplicates of one half of the texts.
void make_pairs(const std::vector<Words> &texts, int half, PairKind *mild, PairKind *hard, PairKind *excerpts,
                PairKind *frames)
{
    constexpr std::size_t kSites = 150, kShortest = 40, kLongest = 200;
    constexpr int kPages = 3; // of a text
    Words others;
    for (int i = 0; i < 100000; i++) {
        const Words &text = texts[below(texts.size())];
        others.push_back(text[below(text.size())]);
    }
    std::vector<Words> site;
    while (site.size() < kSites)
        site.push_back(excerpt(texts[below(texts.size())], kShortest + below(kLongest - kShortest)));
    std::vector<std::string> original, few, many, cut, page, framed;
    for (const Words &words : texts) {
        std::string text = text_of(words);
        original.push_back(text);
        few.push_back(edit(words, 0.005, others));
        many.push_back(edit(words, 0.05, others));
        auto kept = static_cast<std::ptrdiff_t>(words.size() * (80 + below(20)) / 100);
        cut.push_back(text_of(Words(words.begin(), words.begin() + kept)));
        for (int i = 0; i < kPages; i++) {
            std::size_t one = below(kSites), other = (one + 1 + below(kSites - 1)) % kSites;
            page.push_back(text_of(site[one]) + text);
            framed.push_back(text_of(site[other]) + text);
        }
    }
    mild->half[half] = weigh_pairs(original, few);
    hard->half[half] = weigh_pairs(original, many);
    excerpts->half[half] = weigh_pairs(original, cut);
    frames->half[half] = weigh_pairs(page, framed);
}

std::vector<PairKind> make_kinds(const Corpus &corpus, const std::vector<Weights> &weights)
{
    std::vector<PairKind> kinds(kKindCount);
    const char *const names[kKindCount] = {
        "revisions", "revisions, no copies", "mild edits", "hard edits", "excerpts", "frames"};
    for (int half = 0; half < 2; half++) {
        for (const Pair &pair : corpus.pairs[half])
            kinds[0].half[half].push_back({weights[pair.query], weights[pair.partner]});
        for (const WeightsPair &pair : kinds[0].half[half])
            if (pair.flips() != 0)
                kinds[1].half[half].push_back(pair);
        std::vector<Words> texts;
        for (std::size_t i = 0; i < corpus.texts.size(); i++)
            if (corpus.half[i] == static_cast<std::uint32_t>(half) && !words_of(corpus.texts[i]).empty())
                texts.push_back(words_of(corpus.texts[i]));
        make_pairs(texts, half, &kinds[2], &kinds[3], &kinds[4], &kinds[5]);
    }
    for (int i = 0; i < kKindCount; i++) {
        kinds[static_cast<std::size_t>(i)].name = names[i];
        for (WeightsPairs &half : kinds[static_cast<std::size_t>(i)].half)
            thin(&half);
    }
    return kinds;
}

// --- Models -----------------------------------------------------------------------------------------------

// Pairs of equal fingerprints count as `copies` each; simhash_index_calibrate counts them like others. Pairs of more than
// `most` flips do not count.
Model fit_mixture(const PairKind &kind, const std::string &name, double copies = 1, int most = kBits)
{
    std::vector<double> likelihoods, counts;
    for (const WeightsPair &pair : kind.half[0]) {
        if (std::popcount(pair.flips()) > most)
            continue;
        double one[kVolatilityLevels];
        VolatilityFit::likelihood(pair.query, weights_fingerprint(pair.partner), one);
        likelihoods.insert(likelihoods.end(), one, one + kVolatilityLevels);
        counts.push_back(pair.flips() == 0 ? copies : 1);
    }
    return {"mixture", name, fit_shares(likelihoods, counts), {}};
}

void add_changes(const WeightsPair &pair, std::vector<double> *changes)
{
    double norm = weights_norm(pair.query);
    for (int j = 0; j < kBits && norm > 0; j++)
        changes->push_back(
            std::fabs(static_cast<double>(pair.query.sum[j]) - static_cast<double>(pair.partner.sum[j])) /
            norm);
}

// P(Y > size) = P(|Y| > size) / 2, of the changes of W.
Tail make_tail(std::vector<double> changes)
{
    std::sort(changes.begin(), changes.end());
    Tail tail;
    for (int i = 0; i <= kTailEnd * kTailSteps; i++) {
        double size = static_cast<double>(i) / kTailSteps;
        auto beyond = changes.end() - std::upper_bound(changes.begin(), changes.end(), size);
        tail.push_back(0.5 * static_cast<double>(beyond) / static_cast<double>(changes.size()) + 1e-9);
    }
    return tail;
}

// The distribution of Y as it is: of all pairs together, or for fifths of them by the size of the change, as levels.
Model sample_changes(const char *name, const char *fitted_to, const WeightsPairs &pairs, std::size_t levels)
{
    std::vector<std::pair<double, const WeightsPair *>> sorted;
    for (const WeightsPair &pair : pairs) {
        std::vector<double> changes;
        double size = 0;
        add_changes(pair, &changes);
        for (double change : changes)
            size += change * change;
        sorted.emplace_back(size, &pair);
    }
    std::sort(sorted.begin(), sorted.end());
    Model model{name, fitted_to, {}, {}};
    for (std::size_t level = 0; level < levels; level++) {
        std::vector<double> changes;
        std::size_t from = sorted.size() * level / levels, to = sorted.size() * (level + 1) / levels;
        for (std::size_t i = from; i < to; i++)
            add_changes(*sorted[i].second, &changes);
        model.mixture.share[level] = static_cast<double>(to - from) / static_cast<double>(sorted.size());
        model.tail.push_back(make_tail(changes));
    }
    return model;
}

// --- Searches ---------------------------------------------------------------------------------------------

struct Result {
    double leaves[kTargetCount] = {}, found[kTargetCount] = {};
    double pairs = 0;
};

Result measure(const Model &model, const WeightsPairs &pairs, int tables, int radius)
{
    searched_model = &model;
    TableDesign design;
    if (!make_design(3, tables, &design))
        std::abort();
    std::uint8_t bit_order[kBits];
    for (int i = 0; i < kBits; i++)
        bit_order[i] = static_cast<std::uint8_t>(63 - i);
    auto order = std::make_unique<KeyOrder>();
    order->set(design, bit_order);
    auto plan = std::make_unique<GuidedPlan>();
    plan->set_tables(order.get(), kPrefixBits);
    std::vector<VoshNode> nodes(16 * kProbes);
    std::vector<GuidedRange> ranges(kProbes);
    Result result;
    for (const WeightsPair &pair : pairs) {
        if (std::popcount(pair.flips()) > radius)
            continue;
        result.pairs++;
        for (int target = 0; target < kTargetCount; target++) {
            plan->begin({&pair.query, &model.mixture, radius, kTargets[target], true}, nodes.data(),
                        nodes.size(), ranges.data(), ranges.size());
            GuidedProbe probe;
            while (plan->next(&probe))
                plan->cover(probe.first_key, probe.last_key | ~leading_bits(kPrefixBits));
            result.leaves[target] += static_cast<double>(plan->probes());
            result.found[target] += plan->seen(weights_fingerprint(pair.partner));
        }
    }
    return result;
}

// Whether a model is measured with a kind of pairs: the mixtures with all kinds, others with those that they were
// fitted to.
bool compared(const Model &model, const PairKind &kind)
{
    bool own = model.fitted_to.substr(0, model.fitted_to.find(" (")) == kind.name;
    bool variant = model.fitted_to.ends_with("flips)") || model.name == "Y by fifths" ||
                   (model.name == "Y" && model.fitted_to != "any two texts");
    return own || !variant;
}

void print_searches(const std::vector<Model> &models, const std::vector<PairKind> &kinds, int tables)
{
    for (int radius : kRadii) {
        std::printf("\n## r = %d, %d tables: recall in %%, and leaves read, at 90, 95 and 99 %%\n\n", radius,
                    tables);
        std::printf("| kind | pairs | model | fitted to | 90 | 95 | 99 | leaves "
                    "|\n|---|---|---|---|---|---|---|---|\n");
        for (const PairKind &kind : kinds)
            for (const Model &model : models) {
                if (!compared(model, kind))
                    continue;
                Result result = measure(model, kind.half[1], tables, radius);
                std::printf("| %s | %.0f | %s | %s |", kind.name, result.pairs, model.name.c_str(),
                            model.fitted_to == kind.name ? "this kind" : model.fitted_to.c_str());
                for (double found : result.found)
                    std::printf(" %.1f |", 100 * found / result.pairs);
                for (double leaves : result.leaves)
                    std::printf(" %.2f", leaves / result.pairs);
                std::printf(" |\n");
                std::fflush(stdout);
            }
    }
}

// --- Figure 1 of Sood and Loguinov ------------------------------------------------------------------------

void print_quantiles(const char *what, std::vector<double> sizes)
{
    std::sort(sizes.begin(), sizes.end());
    double squares = 0;
    for (double size : sizes)
        squares += size * size;
    std::printf("| %s | %.4f |", what, squares / static_cast<double>(sizes.size()));
    for (double part : {0.5, 0.9, 0.99, 0.999})
        std::printf(" %.3f |", sizes[static_cast<std::size_t>(part * static_cast<double>(sizes.size() - 1))] /
                                   std::sqrt(squares / static_cast<double>(sizes.size())));
    std::printf("\n");
}

// W and Y over the norm of W, and how far their distributions reach.
void print_distributions(const std::vector<Weights> &weights, const std::vector<PairKind> *kinds)
{
    std::vector<double> sizes;
    WeightsPairs any;
    for (const Weights &one : weights) {
        double norm = weights_norm(one);
        for (Weight weight : one.sum)
            sizes.push_back(norm > 0 ? std::fabs(static_cast<double>(weight)) / norm : 0);
        any.push_back({one, weights[below(weights.size())]});
    }
    print_quantiles("W", sizes);
    auto print_changes = [](const char *what, const WeightsPairs &pairs) {
        std::vector<double> changes;
        for (const WeightsPair &pair : pairs)
            add_changes(pair, &changes);
        print_quantiles(what, changes);
    };
    print_changes("Y, any two texts", any);
    if (kinds != nullptr)
        for (const PairKind &kind : *kinds)
            print_changes((std::string("Y, ") + kind.name).c_str(), kind.half[0]);
}

void print_model(const Model &model)
{
    std::printf("| %s | %s |", model.name.c_str(), model.fitted_to.c_str());
    for (double share : model.mixture.share)
        std::printf(" %.3f |", share);
    std::printf("\n");
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s TEXTS PAIRS [TABLES]\n", argv[0]);
        return 2;
    }
    int tables = argc > 3 ? std::atoi(argv[3]) : 4;
    Corpus corpus = read_corpus(argv[1], argv[2]);
    std::vector<Weights> weights = weigh_texts(corpus.texts, kKinds[0]);
    std::vector<PairKind> kinds = make_kinds(corpus, weights);

    std::vector<Model> models = {{"mixture", "default", kDefaultVolatility, {}}};
    for (const PairKind &kind : kinds)
        models.push_back(fit_mixture(kind, kind.name));
    models.push_back(fit_mixture(kinds[0], "revisions (copies count half)", 0.5));
    std::printf("| model | fitted to |");
    for (double scale : kVolatilityScale)
        std::printf(" %.2f |", scale);
    std::printf("\n|---|---|---|---|---|---|---|\n");
    for (const Model &model : models)
        print_model(model);
    for (const PairKind &kind : kinds) {
        models.push_back(fit_mixture(kind, std::string(kind.name) + " (up to 8 flips)", 1, 8));
        models.push_back(sample_changes("Y", kind.name, kind.half[0], 1));
        models.push_back(sample_changes("Y by fifths", kind.name, kind.half[0], 5));
    }
    WeightsPairs any;
    for (const Weights &one : weights)
        any.push_back({one, weights[below(weights.size())]});
    models.push_back(sample_changes("Y", "any two texts", any, 1));

    std::printf("\n## Distributions: the mean square, and quantiles over its root\n\n");
    std::printf("| | mean square | 50 %% | 90 %% | 99 %% | 99.9 %% |\n|---|---|---|---|---|---|\n");
    std::printf(
        "| normal | | 0.674 | 1.645 | 2.576 | 3.291 |\n| Laplace | | 0.490 | 1.628 | 3.256 | 4.885 |\n");
    std::printf("| words | | | | | |\n");
    print_distributions(weights, &kinds);
    std::printf("| words, idf | | | | | |\n");
    print_distributions(weigh_texts(corpus.texts, kKinds[1]), nullptr);
    print_searches(models, kinds, tables);
}
