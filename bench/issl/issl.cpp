// Searches by inverted signature slice lists, compared with exhaustive search.
//
//   issl measure FILE QUERIES ROWS WIDTH ROUNDS I:J[:positions] ...    time, lists and quality
//   issl curve   FILE QUERIES ROWS WIDTH I ...                         CDR(p) for p = 1 .. 30
//   issl bounds  FILE QUERIES ROWS WIDTH I ...                         what optimistic and pessimistic distances decide
//   issl check   FILE QUERIES ROWS WIDTH I:J[:positions] ...           compares scores with their definition
//   issl truth   FILE QUERIES ROWS                                     the nearest rows: query, row, distance
//
// FILE is written by `signatures`: QUERIES signatures, then at least ROWS. Writes CSV with a header line.
//
// A search returns the k = 30 rows with the highest scores, ordered by their distance. Times are processor times of one
// thread, in milliseconds: the mean over the queries of the least of ROUNDS. All queries are run once in each round.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "scan.hpp"
#include "signature.hpp"
#include "slice_lists.hpp"

namespace
{

constexpr std::size_t kNearest = 30; // k

double processor_seconds()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

[[noreturn]] void fail(const char *message)
{
    std::fprintf(stderr, "issl: %s\n", message);
    std::exit(1);
}

Memory<Signature> read_file(const char *name, std::size_t count)
{
    FILE *file = std::fopen(name, "rb");
    if (file == nullptr)
        fail("cannot open the file of signatures");
    Memory<Signature> signatures(count);
    if (std::fread(signatures.data(), sizeof(Signature), count, file) != count)
        fail("the file has too few signatures");
    std::fclose(file);
    return signatures;
}

SearchOptions parse_options(const char *argument)
{
    SearchOptions options = {};
    char order[16] = "";
    int read = std::sscanf(argument, "%d:%d:%15s", &options.expansion, &options.threshold, order);
    if (read == 1)
        options.threshold = options.expansion;
    if (read < 1 || options.expansion < 0 || options.threshold < 0 || options.threshold > options.expansion)
        fail("options are I, I:J or I:J:positions");
    if (read == 3)
        options.order = std::strcmp(order, "positions") == 0 ? ListOrder::kPositions : ListOrder::kDistances;
    return options;
}

struct Collection {
    Memory<Signature> signatures;
    std::span<const Signature> queries, rows;
    std::vector<std::vector<Found>> nearest; // of each query

    Collection(const char *file, std::size_t query_count, std::size_t row_count)
        : signatures(read_file(file, query_count + row_count)), queries(signatures.data(), query_count),
          rows(signatures.data() + query_count, row_count)
    {
        for (const Signature &query : queries)
            nearest.push_back(scan(query, rows, kNearest));
    }
};

// The time of a search for each query, in milliseconds: the least of the rounds, then the mean.
double mean_time(std::size_t queries, int rounds, const std::function<void(std::size_t)> &search)
{
    std::vector<double> least(queries, 1e9);
    for (int round = 0; round < rounds; round++) {
        for (std::size_t q = 0; q < queries; q++) {
            double begun = processor_seconds();
            search(q);
            least[q] = std::min(least[q], processor_seconds() - begun);
        }
    }
    double sum = 0;
    for (double seconds : least)
        sum += seconds;
    return 1000 * sum / static_cast<double>(queries);
}

// CDR(p) of section 6 for p = 1 to k, at [p - 1]. A row that is missing counts as if all of its bits differed.
std::vector<double> cumulative_distance_ratios(const std::vector<Found> &found,
                                               const std::vector<Found> &nearest)
{
    std::vector<double> ratios;
    double sum = 0;
    long expected = 0, returned = 0;
    for (std::size_t i = 0; i < nearest.size(); i++) {
        expected += nearest[i].distance;
        returned += i < found.size() ? found[i].distance : kSignatureBits;
        sum += returned == 0 ? 1 : static_cast<double>(expected) / static_cast<double>(returned);
        ratios.push_back(sum / static_cast<double>(i + 1));
    }
    return ratios;
}

// The share of the n nearest distances that were found. Of equally near rows any counts.
double recall(const std::vector<Found> &found, const std::vector<Found> &nearest, std::size_t n)
{
    std::size_t hits = 0;
    for (std::size_t i = 0; i < std::min(n, found.size()); i++)
        hits += found[i].distance <= nearest[n - 1].distance;
    return static_cast<double>(hits) / static_cast<double>(n);
}

// The means over all queries.
struct Quality {
    std::vector<double> cdr = std::vector<double>(kNearest);
    double recall10 = 0;

    void add(const std::vector<Found> &found, const std::vector<Found> &nearest, std::size_t queries)
    {
        std::vector<double> ratios = cumulative_distance_ratios(found, nearest);
        for (std::size_t p = 0; p < ratios.size(); p++)
            cdr[p] += ratios[p] / static_cast<double>(queries);
        recall10 += recall(found, nearest, 10) / static_cast<double>(queries);
    }
};

template <typename Score>
std::vector<Found> nearest_by_lists(Search<Score> *search, const Collection &collection, std::size_t query,
                                    const SearchOptions &options)
{
    search->run(collection.queries[query], options);
    return rank(collection.queries[query], collection.rows, search->best(kNearest));
}

std::uint64_t lists_read(const SliceLists &lists, int expansion)
{
    std::uint64_t count = 0;
    for (const Slice &slice : lists.slices()) {
        std::uint64_t choose = 1;
        for (int d = 0; d <= expansion; d++) {
            count += choose;
            choose = choose * static_cast<std::uint64_t>(slice.width - d) / static_cast<std::uint64_t>(d + 1);
        }
    }
    return count;
}

int most_flips(const std::vector<SearchOptions> &all)
{
    int most = 0;
    for (const SearchOptions &options : all)
        most = std::max(most, options.expansion);
    return most;
}

void measure(const Collection &collection, int width, int rounds, const std::vector<SearchOptions> &all)
{
    std::size_t queries = collection.queries.size(), rows = collection.rows.size();
    // It takes the same time for every query.
    double scan_time = mean_time(std::min<std::size_t>(queries, 50), rounds, [&](std::size_t q) {
        scan(collection.queries[q], collection.rows, kNearest);
    });
    double begun = processor_seconds();
    SliceLists lists(collection.rows, width);
    double build = processor_seconds() - begun;
    Search<ScoreOnly> search(lists, rows, most_flips(all));
    for (const SearchOptions &options : all) {
        Quality quality;
        double candidates = 0;
        std::uint64_t postings = search.postings();
        for (std::size_t q = 0; q < queries; q++) {
            quality.add(nearest_by_lists(&search, collection, q, options), collection.nearest[q], queries);
            candidates += static_cast<double>(search.candidates().size()) / static_cast<double>(queries);
        }
        postings = (search.postings() - postings) / queries;
        double time = mean_time(queries, rounds,
                                [&](std::size_t q) { nearest_by_lists(&search, collection, q, options); });
        std::printf("%zu,%d,%zu,%d,%d,%s,%llu,%llu,%.0f,%.4f,%.4f,%.2f,%.4f,%.4f,%.4f,%.4f,%.0f,%.0f,%.1f\n",
                    rows, width, lists.slices().size(), options.expansion, options.threshold,
                    options.order == ListOrder::kDistances ? "distances" : "positions",
                    static_cast<unsigned long long>(lists_read(lists, options.expansion)),
                    static_cast<unsigned long long>(postings), candidates, time, scan_time, scan_time / time,
                    quality.cdr[0], quality.cdr[9], quality.cdr[29], quality.recall10,
                    static_cast<double>(lists.bytes()) * 1e-6,
                    static_cast<double>(rows * sizeof(Signature)) * 1e-6, build);
        std::fflush(stdout);
    }
}

void curve(const Collection &collection, int width, const std::vector<SearchOptions> &all)
{
    SliceLists lists(collection.rows, width);
    Search<ScoreOnly> search(lists, collection.rows.size(), most_flips(all));
    for (const SearchOptions &options : all) {
        Quality quality;
        for (std::size_t q = 0; q < collection.queries.size(); q++)
            quality.add(nearest_by_lists(&search, collection, q, options), collection.nearest[q],
                        collection.queries.size());
        for (std::size_t p = 0; p < kNearest; p++)
            std::printf("%d,%zu,%.5f\n", options.expansion, p + 1, quality.cdr[p]);
    }
}

// -- optimistic and pessimistic distances -----------------------------------------------------------------------

// A slice in which a row was not seen differs by more than the expansion at best, and in all its bits at worst.
struct Bounds {
    int optimistic, pessimistic;

    Bounds(ScoreAndLists::Entry entry, int slices, int expansion)
        : optimistic(ScoreAndLists::distances(entry) +
                     (slices - ScoreAndLists::lists(entry)) * (expansion + 1)),
          pessimistic(kSignatureBits - ScoreAndLists::score(entry))
    {
    }
};

void bounds(const Collection &collection, int width, const std::vector<SearchOptions> &all)
{
    SliceLists lists(collection.rows, width);
    int slices = static_cast<int>(lists.slices().size());
    Search<ScoreAndLists> search(lists, collection.rows.size(), most_flips(all));
    auto queries = static_cast<double>(collection.queries.size());
    for (const SearchOptions &options : all) {
        double candidates = 0, by_pessimistic = 0, by_distance = 0, proven = 0, wrong = 0;
        for (std::size_t q = 0; q < collection.queries.size(); q++) {
            std::vector<Found> best = nearest_by_lists(&search, collection, q, options);
            std::vector<int> pessimistic;
            for (std::uint32_t row : search.candidates())
                pessimistic.push_back(Bounds(search.entry(row), slices, options.expansion).pessimistic);
            // Without enough candidates nothing is ruled out.
            pessimistic.resize(std::max(pessimistic.size(), kNearest), kSignatureBits);
            std::nth_element(pessimistic.begin(), pessimistic.begin() + (kNearest - 1), pessimistic.end());
            int farthest = best.size() < kNearest ? kSignatureBits : best.back().distance;
            std::vector<std::uint32_t> left;
            for (std::uint32_t row : search.candidates()) {
                int optimistic = Bounds(search.entry(row), slices, options.expansion).optimistic;
                by_pessimistic += optimistic <= pessimistic[kNearest - 1];
                if (optimistic <= farthest)
                    left.push_back(row);
            }
            candidates += static_cast<double>(search.candidates().size());
            by_distance += static_cast<double>(left.size());
            // A row in no list is at least this far away.
            bool all_seen = slices * (options.expansion + 1) > farthest;
            proven += all_seen;
            if (all_seen) {
                std::vector<Found> exact = rank(collection.queries[q], collection.rows, left);
                for (std::size_t i = 0; i < kNearest; i++)
                    wrong += exact[i].distance != collection.nearest[q][i].distance;
            }
        }
        std::printf("%zu,%d,%d,%.0f,%.0f,%.0f,%.3f,%.0f\n", collection.rows.size(), width, options.expansion,
                    candidates / queries, by_pessimistic / queries, by_distance / queries, proven / queries,
                    wrong);
    }
}

// -- check ------------------------------------------------------------------------------------------------------

// The score of a row from its definition. Rows below the threshold must be candidates when a list beyond it is read.
int defined_score(const std::vector<Slice> &slices, const Signature &query, const Signature &row,
                  const SearchOptions &options)
{
    std::vector<std::pair<int, int>> occurrences; // of the row in lists: distance, width
    for (const Slice &slice : slices) {
        int distance = std::popcount(slice.value(query) ^ slice.value(row));
        if (distance <= options.expansion)
            occurrences.emplace_back(distance, slice.width);
    }
    if (options.order == ListOrder::kDistances)
        std::stable_sort(occurrences.begin(), occurrences.end(),
                         [](auto &a, auto &b) { return a.first < b.first; });
    int score = 0;
    for (auto [distance, width] : occurrences) {
        if (distance <= options.threshold || score > 0)
            score += width - distance;
    }
    return score;
}

// Slices follow each other, are as wide as asked for or one bit narrower, and cover all bits.
void check_slices(const std::vector<Slice> &slices, int width, const Signature &signature)
{
    int bit = 0;
    for (const Slice &slice : slices) {
        if (slice.first != bit || slice.width > width || slice.width < width - 1)
            fail("a slice is wrong");
        std::uint32_t value = slice.value(signature);
        for (int i = 0; i < slice.width; i++, bit++) {
            if ((value >> i & 1) != (signature[bit / 64] >> bit % 64 & 1))
                fail("the value of a slice is wrong");
        }
        if (value >> slice.width != 0)
            fail("the value of a slice is too large");
    }
    if (bit != kSignatureBits)
        fail("the slices do not cover the signature");
}

void check(const Collection &collection, int width, const std::vector<SearchOptions> &all)
{
    SliceLists lists(collection.rows, width);
    check_slices(lists.slices(), width, collection.queries[0]);
    Search<ScoreAndLists> search(lists, collection.rows.size(), most_flips(all));
    Search<ScoreOnly> scores(lists, collection.rows.size(), most_flips(all));
    for (const SearchOptions &options : all) {
        for (const Signature &query : collection.queries) {
            search.run(query, options);
            scores.run(query, options);
            for (std::uint32_t row = 0; row < collection.rows.size(); row++) {
                int score = defined_score(lists.slices(), query, collection.rows[row], options);
                if (ScoreAndLists::score(search.entry(row)) != score ||
                    ScoreOnly::score(scores.entry(row)) != score)
                    fail("a score is wrong");
                int distance = 0;
                for (int w = 0; w < kSignatureWords; w++)
                    distance += std::popcount(query[w] ^ collection.rows[row][w]);
                Bounds bounds(search.entry(row), static_cast<int>(lists.slices().size()), options.expansion);
                if (options.threshold == options.expansion &&
                    (bounds.optimistic > distance || bounds.pessimistic < distance))
                    fail("a distance is outside its bounds");
            }
        }
    }
    std::fprintf(stderr, "%zu rows, width %d: all scores and bounds are right\n", collection.rows.size(),
                 width);
}

std::size_t number(const char *argument) { return std::strtoull(argument, nullptr, 10); }

} // namespace

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    std::string what = argv[1];
    Collection collection(argv[2], number(argv[3]), number(argv[4]));
    if (what == "truth") {
        std::puts("query,row,distance");
        for (std::size_t q = 0; q < collection.queries.size(); q++)
            for (const Found &found : collection.nearest[q])
                std::printf("%zu,%u,%d\n", q, found.row, found.distance);
        return 0;
    }
    int width = argc > 5 ? std::atoi(argv[5]) : 0;
    int first = what == "measure" ? 7 : 6;
    if (width < 2 || width > 28 || argc <= first)
        return 2;
    std::vector<SearchOptions> options;
    for (int i = first; i < argc; i++)
        options.push_back(parse_options(argv[i]));
    if (what == "measure") {
        std::puts("rows,width,slices,i,j,order,lists,postings,candidates,ms,scan_ms,ratio,cdr1,cdr10,cdr30,"
                  "recall10,"
                  "lists_mb,signatures_mb,build_s");
        measure(collection, width, std::atoi(argv[6]), options);
    } else if (what == "curve") {
        std::puts("i,p,cdr");
        curve(collection, width, options);
    } else if (what == "bounds") {
        std::puts("rows,width,i,candidates,left_by_pessimistic,left_by_distance,proven,wrong");
        bounds(collection, width, options);
    } else if (what == "check") {
        check(collection, width, options);
    } else {
        return 2;
    }
    return 0;
}
