// Which model predicts the recall of unlike kinds of near-duplicates, and what does a wrong one cost? See volatility.md.
//
//   kinds TEXTS PAIRS [TABLES]
//
// The files are those of bench/texts. Searches use the extension's own plan.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/layout/key_ball.hpp"
#include "core/likely/guided_plan.hpp"
#include "corpus.hpp"

using namespace simhash;

namespace
{

struct Model {
    const char *fitted_to; // a kind of pairs, perhaps with a note in brackets
    VolatilityModel shares;
};

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
    std::vector<Weights> a = weigh_texts(queries), b = weigh_texts(partners);
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
Model fit(const PairKind &kind, const char *name, double copies = 1, int most = kBits)
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
    return {name, fit_shares(likelihoods, counts)};
}

// --- Searches ---------------------------------------------------------------------------------------------

struct Result {
    double leaves[kTargetCount] = {}, found[kTargetCount] = {};
    double pairs = 0;
};

Result measure(const Model &model, const WeightsPairs &pairs, int tables, int radius)
{
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
            plan->begin({&pair.query, &model.shares, radius, kTargets[target], true}, nodes.data(),
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

void print_searches(const std::vector<Model> &models, const std::vector<PairKind> &kinds, int tables)
{
    for (int radius : kRadii) {
        std::printf("\n## r = %d, %d tables: recall in %%, and leaves read, at 90, 95 and 99 %%\n\n", radius,
                    tables);
        std::printf("| kind | pairs | fitted to | 90 | 95 | 99 | leaves |\n|---|---|---|---|---|---|---|\n");
        for (const PairKind &kind : kinds)
            for (const Model &model : models) {
                Result result = measure(model, kind.half[1], tables, radius);
                std::printf("| %s | %.0f | %s |", kind.name, result.pairs,
                            model.fitted_to == kind.name ? "this kind" : model.fitted_to);
                for (double found : result.found)
                    std::printf(" %.1f |", 100 * found / result.pairs);
                for (double leaves : result.leaves)
                    std::printf(" %.2f", leaves / result.pairs);
                std::printf(" |\n");
                std::fflush(stdout);
            }
    }
}

void print_model(const Model &model)
{
    std::printf("| %s |", model.fitted_to);
    for (double share : model.shares.share)
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
    std::vector<Weights> weights = weigh_texts(corpus.texts);
    std::vector<PairKind> kinds = make_kinds(corpus, weights);

    std::vector<Model> models = {{"default", kDefaultVolatility}};
    for (const PairKind &kind : kinds)
        models.push_back(fit(kind, kind.name));
    models.push_back(fit(kinds[0], "revisions (copies count half)", 0.5));
    models.push_back(fit(kinds[0], "revisions (up to 8 flips)", 1, 8));
    std::printf("| fitted to |");
    for (double scale : kVolatilityScale)
        std::printf(" %.2f |", scale);
    std::printf("\n|---|---|---|---|---|---|\n");
    for (const Model &model : models)
        print_model(model);
    print_searches(models, kinds, tables);
}
