// The same rows and queries without a database, in memory, in one thread.
// Libraries: -fopenmp -lfaiss -lblas -llapack
//
//   memory expected DIRECTORY
//       writes the expected answers to DIRECTORY/expected.csv, lines set,radius,id,found
//   memory measure DIRECTORY DATA ROUNDS PART...
//       prints lines part,data,method,variant,measure,value
//
// DIRECTORY has the files of generate.cpp. PART is "memory" (all within 1, 3, 5, 7), "faiss" (the same for
// FAISS, radius 3), "knn" (ten nearest), "pairs" (all pairs within 3).
//
// Sets of expected.csv: all (rows of page within the radius of a query), after (within 3, of page and fresh,
// the first 500 queries), probe (within 3), random and ten (radius 64: the sum of the distances of the ten
// nearest), pairs (within 3). All come from scans of all rows, except probe and pairs, which come from the
// sorted tables, whose other answers have been compared with those of the scans.
#include <faiss/IndexBinaryHash.h>
#include <faiss/impl/AuxIndexStructures.h>

#include "../memory_methods.hpp"
#include "sorted_tables.hpp"

using peers::Fingerprint;
using peers::Neighbor;
using peers::SortedTables;
using namespace memory_methods;

namespace
{

constexpr int kRadii[] = {1, 3, 5, 7};
constexpr int kBlock = 2048; // rows that stay in the first-level cache
constexpr std::size_t kTen = 10, kAfter = 500;
constexpr std::size_t kScans = 100'000'000'000; // comparisons
constexpr double kRoundSeconds = 0.3;

using Fingerprints = std::vector<Fingerprint>;

Fingerprints read(const std::string &directory, const char *name)
{
    std::string path = directory + "/" + name + ".bin";
    std::FILE *file = std::fopen(path.c_str(), "rb");
    if (file == nullptr)
        fail("cannot read " + path);
    std::fseek(file, 0, SEEK_END);
    Fingerprints rows(static_cast<std::size_t>(std::ftell(file)) / sizeof(Fingerprint));
    std::rewind(file);
    if (std::fread(rows.data(), sizeof(Fingerprint), rows.size(), file) != rows.size())
        fail("cannot read " + path);
    std::fclose(file);
    return rows;
}

// -- scans --------------------------------------------------------------------------------------------------

const simhash::LeafMatch match = simhash::leaf_match(simhash::best_simd_level());

// Calls found(query number, row number, distance), all queries for each block of rows.
template <typename Found>
void scan(const Fingerprints &rows, const Fingerprint *queries, std::size_t count, int radius, Found &&found)
{
    std::uint16_t matches[kBlock];
    for (std::size_t from = 0; from < rows.size(); from += kBlock) {
        int part = static_cast<int>(std::min<std::size_t>(kBlock, rows.size() - from));
        for (std::size_t q = 0; q < count; q++) {
            int n = match(&rows[from], part, queries[q], radius, matches);
            for (int i = 0; i < n; i++)
                found(q, from + matches[i], simhash::hamming_distance(rows[from + matches[i]], queries[q]));
        }
    }
}

void scan_nearest(const Fingerprints &rows, Fingerprint query, std::size_t k, std::vector<Neighbor> *best)
{
    std::uint16_t matches[kBlock];
    best->clear();
    for (std::size_t from = 0; from < rows.size(); from += kBlock) {
        int part = static_cast<int>(std::min<std::size_t>(kBlock, rows.size() - from));
        int radius = best->size() < k ? simhash::kBits : best->front().distance - 1;
        int n = radius < 0 ? 0 : match(&rows[from], part, query, radius, matches);
        for (int i = 0; i < n; i++) {
            auto row = static_cast<std::uint32_t>(from + matches[i]);
            best->push_back({simhash::hamming_distance(rows[row], query), row});
            std::push_heap(best->begin(), best->end());
            if (best->size() > k) {
                std::pop_heap(best->begin(), best->end());
                best->pop_back();
            }
        }
    }
}

std::uint64_t sum_of_distances(const std::vector<Neighbor> &neighbors)
{
    std::uint64_t sum = 0;
    for (const Neighbor &neighbor : neighbors)
        sum += static_cast<std::uint64_t>(neighbor.distance);
    return sum;
}

// -- expected -----------------------------------------------------------------------------------------------

void write_expected(const std::string &directory)
{
    Fingerprints rows = read(directory, "page"), queries = read(directory, "query");
    SortedTables tables(rows);
    std::string path = directory + "/expected.csv";
    std::FILE *file = std::fopen(path.c_str(), "w");
    if (file == nullptr)
        fail("cannot write " + path);

    // Scans of many rows take long: then the sorted tables answer the later queries.
    std::size_t scanned_queries =
        std::min(queries.size(), std::max<std::size_t>(kAfter, kScans / rows.size()));
    std::vector<std::uint64_t> within(queries.size() * 65);
    scan(rows, queries.data(), scanned_queries, kRadii[3], [&](std::size_t q, std::size_t, int distance) {
        within[q * 65 + static_cast<std::size_t>(distance)]++;
    });
    std::vector<std::uint64_t> after(queries.size());
    for (std::size_t q = 0; q < queries.size(); q++) {
        std::uint64_t found[kRadii[3] + 1] = {}, in_tables[kRadii[3] + 1] = {};
        for (int radius : kRadii) {
            for (int distance = 0; distance <= radius; distance++)
                found[radius] += within[q * 65 + static_cast<std::size_t>(distance)];
            if (q < kAfter || q >= scanned_queries)
                tables.search(queries[q], radius, [&](std::uint32_t, int) { in_tables[radius]++; });
            if (q >= scanned_queries)
                found[radius] = in_tables[radius];
            else if (q < kAfter && in_tables[radius] != found[radius])
                fail("the sorted tables and the scan disagree");
            // "First": the radius is negative.
            std::fprintf(file, "all,%d,%zu,%llu\nall,-%d,%zu,%d\n", radius, q + 1,
                         static_cast<unsigned long long>(found[radius]), radius, q + 1, found[radius] > 0);
        }
        after[q] = found[3];
    }
    scan(read(directory, "fresh"), queries.data(), kAfter, 3,
         [&](std::size_t q, std::size_t, int) { after[q]++; });
    for (std::size_t q = 0; q < kAfter; q++)
        std::fprintf(file, "after,3,%zu,%llu\n", q + 1, static_cast<unsigned long long>(after[q]));

    for (const char *set : {"random", "ten"}) {
        Fingerprints centers = read(directory, set);
        std::vector<Neighbor> scanned, in_tables;
        for (std::size_t q = 0; q < centers.size(); q++) {
            scan_nearest(rows, centers[q], kTen, &scanned);
            if (q < 20) {
                tables.nearest(centers[q], kTen, &in_tables);
                if (sum_of_distances(in_tables) != sum_of_distances(scanned))
                    fail("the sorted tables and the scan disagree on neighbors");
            }
            std::fprintf(file, "%s,64,%zu,%llu\n", set, q + 1,
                         static_cast<unsigned long long>(sum_of_distances(scanned)));
        }
    }

    Fingerprints probes = read(directory, "probe");
    for (std::size_t q = 0; q < probes.size(); q++) {
        unsigned long long found = 0;
        tables.search(probes[q], 3, [&](std::uint32_t, int) { found++; });
        std::fprintf(file, "probe,3,%zu,%llu\nprobe,-3,%zu,%d\n", q + 1, found, q + 1, found > 0);
    }
    std::fprintf(file, "pairs,3,1,%llu\n", static_cast<unsigned long long>(tables.pairs(3)));
    if (std::fclose(file) != 0)
        fail("cannot write " + path);
}

// -- measure ------------------------------------------------------------------------------------------------

struct Expected {
    explicit Expected(const std::string &directory)
    {
        std::FILE *file = std::fopen((directory + "/expected.csv").c_str(), "r");
        if (file == nullptr)
            fail("run memory expected first");
        char set[16];
        int radius;
        unsigned long long id, found;
        while (std::fscanf(file, "%15[^,],%d,%llu,%llu\n", set, &radius, &id, &found) == 4) {
            std::vector<std::uint64_t> &list = (*this)(set, radius);
            list.resize(id);
            list[id - 1] = found;
        }
        std::fclose(file);
    }

    std::vector<std::uint64_t> &operator()(const std::string &set, int radius)
    {
        for (List &list : lists) {
            if (list.set == set && list.radius == radius)
                return list.found;
        }
        lists.push_back({set, radius, {}});
        return lists.back().found;
    }

    struct List {
        std::string set;
        int radius;
        std::vector<std::uint64_t> found;
    };
    std::vector<List> lists;
};

std::uint64_t faiss_search(const faiss::IndexBinary &index, const Fingerprint *queries, std::size_t count,
                           int radius)
{
    faiss::RangeSearchResult result(count);
    // The radius of FAISS is exclusive.
    index.range_search(static_cast<std::int64_t>(count), reinterpret_cast<const std::uint8_t *>(queries),
                       radius + 1, &result);
    return result.lims[count];
}

template <typename Index> void add_to(Index *index, const Fingerprints &rows, const char *name)
{
    std::size_t before = allocated_bytes();
    double begun = processor_seconds();
    index->add(static_cast<std::int64_t>(rows.size()), reinterpret_cast<const std::uint8_t *>(rows.data()));
    note("memory", name, "", "build s", processor_seconds() - begun);
    note("memory", name, "", "bytes per row",
         static_cast<double>(allocated_bytes() - before) / static_cast<double>(rows.size()));
}

void measure(const std::string &directory, int rounds, const std::vector<std::string> &parts)
{
    auto asked = [&](const char *part) { return std::find(parts.begin(), parts.end(), part) != parts.end(); };
    Fingerprints rows = read(directory, "page"), queries = read(directory, "query");
    Fingerprints random = read(directory, "random"), ten = read(directory, "ten");
    Expected expected(directory);
    std::vector<Method> methods;

    const char *tables_name = "memory: sorted tables, T = 4";
    double begun = processor_seconds();
    SortedTables tables(rows);
    note("memory", tables_name, "", "build s", processor_seconds() - begun);
    note("memory", tables_name, "", "bytes per row",
         static_cast<double>(tables.bytes()) / static_cast<double>(rows.size()));

    faiss::IndexBinaryMultiHash multi(64, 2, 32);
    faiss::IndexBinaryHash hash(64, 24);
    if (asked("faiss")) {
        multi.nflip = 1;
        hash.nflip = 3;
        add_to(&multi, rows, "memory: FAISS MultiHash 2 x 32, 1 flip");
        add_to(&hash, rows, "memory: FAISS Hash 24, 3 flips");
    }

    auto add = [&](const char *part, const std::string &name, const std::string &variant, const Fingerprints &centers,
                   auto run, auto truth) {
        methods.push_back({part, name, variant, centers.size(),
                           [&centers, run](std::size_t first, std::size_t n) { return run(&centers[first], n); },
                           truth});
    };
    for (int radius : kRadii) {
        std::string variant = "r = " + std::to_string(radius);
        auto truth = [list = expected("all", radius)](std::size_t q) { return list[q]; };
        auto add_method = [&](const char *name, auto run) { add("memory", name, variant, queries, run, truth); };
        if (asked("memory"))
            add_method(tables_name, [&tables, radius](const Fingerprint *q, std::size_t n) {
                std::uint64_t found = 0;
                for (std::size_t i = 0; i < n; i++)
                    tables.search(q[i], radius, [&](std::uint32_t, int) { found++; });
                return found;
            });
        if (radius != 3)
            continue;
        if (asked("memory")) {
            auto scanned = [&rows](const Fingerprint *q, std::size_t n) {
                std::uint64_t found = 0;
                scan(rows, q, n, 3, [&](std::size_t, std::size_t, int) { found++; });
                return found;
            };
            const char *one = "memory: scan", *batches = "memory: scan, queries in batches";
            add_method(one, [scanned](const Fingerprint *q, std::size_t n) {
                std::uint64_t found = 0;
                for (std::size_t i = 0; i < n; i++)
                    found += scanned(q + i, 1);
                return found;
            });
            add_method(batches, scanned);
            note("memory", one, "", "bytes per row", sizeof(Fingerprint));
            note("memory", batches, "", "bytes per row", sizeof(Fingerprint));
        }
        if (asked("faiss")) {
            add_method("memory: FAISS MultiHash 2 x 32, 1 flip", [&multi](const Fingerprint *q, std::size_t n) {
                return faiss_search(multi, q, n, 3);
            });
            add_method("memory: FAISS Hash 24, 3 flips", [&hash](const Fingerprint *q, std::size_t n) {
                return faiss_search(hash, q, n, 3);
            });
        }
    }
    if (asked("knn")) {
        auto nearest = [&tables](const Fingerprint *q, std::size_t n) {
            std::uint64_t sum = 0;
            std::vector<Neighbor> best;
            for (std::size_t i = 0; i < n; i++) {
                tables.nearest(q[i], kTen, &best);
                sum += sum_of_distances(best);
            }
            return sum;
        };
        add("knn", tables_name, "random query", random, nearest,
            [list = expected("random", 64)](std::size_t q) { return list[q]; });
        add("knn", tables_name, "ten near-duplicates", ten, nearest,
            [list = expected("ten", 64)](std::size_t q) { return list[q]; });
    }
    time_methods(&methods, rounds, kRoundSeconds);

    if (asked("pairs")) {
        std::uint64_t found = 0;
        std::vector<double> seconds;
        for (int time = 0; time < 3; time++) {
            begun = processor_seconds();
            found = tables.pairs(3);
            seconds.push_back(processor_seconds() - begun);
        }
        std::sort(seconds.begin(), seconds.end());
        note("pairs", tables_name, "r = 3", "s", seconds[1]);
        note("pairs", tables_name, "r = 3", "found", static_cast<double>(found));
    }
}

} // namespace

int main(int argc, char **argv)
{
    std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "expected" && argc == 3) {
        write_expected(argv[2]);
        return 0;
    }
    if (mode == "measure" && argc > 5) {
        data_kind = argv[3] + std::string(",");
        measure(argv[2], std::atoi(argv[4]), std::vector<std::string>(argv + 5, argv + argc));
        return 0;
    }
    std::fprintf(stderr, "usage: memory expected DIRECTORY | memory measure DIRECTORY DATA ROUNDS PART...\n");
    return 2;
}
