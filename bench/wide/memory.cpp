// The same rows and queries without a database, in memory, in one thread.
// Libraries: -fopenmp -lfaiss -lblas -llapack
//
//   memory expected DIRECTORY RADIUS...
//       prints lines id,radius,rows within it; with radius -1 the distance of the tenth nearest row
//   memory measure DIRECTORY ROUNDS SCALE RADIUS...
//       prints lines part,method,setting,measure,value; with SCALE 0 only the scan, with 1 FAISS's Flat and MultiHash,
//       with 2 also IVF, whose training takes long
//
// DIRECTORY has the files row.copy and query.copy.
#include "core/kernels/signature_match.hpp"

#include <faiss/IndexBinaryFlat.h>
#include <faiss/IndexBinaryHash.h>
#include <faiss/IndexBinaryIVF.h>
#include <faiss/impl/AuxIndexStructures.h>

#include <memory>

#include "../memory_methods.hpp"

using namespace memory_methods;

namespace
{

constexpr int kTen = 10;
constexpr int kBlock = 512; // rows whose distances stay in the first-level cache
constexpr double kRoundSeconds = 0.5;

const simhash::SignatureDistances distances = simhash::signature_distances(simhash::best_simd_level());

struct Signatures {
    int bits = 0;
    int bytes = 0;
    std::vector<std::uint8_t> data;

    std::size_t count() const { return data.size() / static_cast<std::size_t>(bytes); }
    const std::uint8_t *operator[](std::size_t i) const { return &data[i * static_cast<std::size_t>(bytes)]; }
};

// Reads the second field of a file of COPY in binary.
Signatures read(const std::string &path)
{
    std::FILE *file = std::fopen(path.c_str(), "rb");
    if (file == nullptr)
        fail("cannot read " + path);
    auto number = [&](int bytes) {
        std::uint32_t value = 0;
        for (int i = 0; i < bytes; i++)
            value = value << 8 | static_cast<std::uint32_t>(std::fgetc(file) & 0xFF);
        return value;
    };
    Signatures read;
    std::fseek(file, 19, SEEK_SET);
    for (std::uint32_t fields; (fields = number(2)) != 0xFFFF;) {
        for (std::uint32_t field = 0; field < fields; field++) {
            std::uint32_t length = number(4);
            if (field == 1) {
                read.bits = static_cast<int>(number(4));
                read.bytes = static_cast<int>(length) - 4;
                std::size_t at = read.data.size();
                read.data.resize(at + static_cast<std::size_t>(read.bytes));
                if (std::fread(&read.data[at], 1, static_cast<std::size_t>(read.bytes), file) == 0)
                    fail("cannot read " + path);
            } else if (length != 0xFFFFFFFF) {
                std::fseek(file, static_cast<long>(length), SEEK_CUR);
            }
        }
    }
    std::fclose(file);
    return read;
}

// Calls found(first row, count, distances) for the rows in blocks.
template <typename Found>
void scan(const Signatures &rows, const std::uint8_t *query, std::size_t from, std::size_t to, Found &&found)
{
    std::uint16_t distance[kBlock];
    for (std::size_t first = from; first < to; first += kBlock) {
        int count = static_cast<int>(std::min<std::size_t>(kBlock, to - first));
        distances(query, rows.bytes, rows[first], static_cast<std::size_t>(rows.bytes), count, distance);
        found(first, count, distance);
    }
}

std::uint64_t scan_range(const Signatures &rows, const std::uint8_t *query, int radius)
{
    std::uint64_t within = 0;
    scan(rows, query, 0, rows.count(), [&](std::size_t, int count, const std::uint16_t *distance) {
        for (int i = 0; i < count; i++)
            within += distance[i] <= radius;
    });
    return within;
}

// How many of the ten nearest rows are at most `limit` away.
std::uint64_t scan_ten(const Signatures &rows, const std::uint8_t *query, int limit)
{
    std::vector<int> best(kTen, rows.bits + 1); // a heap
    scan(rows, query, 0, rows.count(), [&](std::size_t, int count, const std::uint16_t *distance) {
        for (int i = 0; i < count; i++) {
            if (distance[i] < best.front()) {
                std::pop_heap(best.begin(), best.end());
                best.back() = distance[i];
                std::push_heap(best.begin(), best.end());
            }
        }
    });
    return static_cast<std::uint64_t>(
        std::count_if(best.begin(), best.end(), [&](int d) { return d <= limit; }));
}

// The distances of all rows to each query, as histograms, all queries for each block of rows.
std::vector<std::vector<std::uint32_t>> histograms(const Signatures &rows, const Signatures &queries)
{
    std::vector<std::vector<std::uint32_t>> histogram(
        queries.count(), std::vector<std::uint32_t>(static_cast<std::size_t>(rows.bits) + 1));
    for (std::size_t from = 0; from < rows.count(); from += kBlock) {
        for (std::size_t q = 0; q < queries.count(); q++)
            scan(rows, queries[q], from, std::min(rows.count(), from + kBlock),
                 [&](std::size_t, int count, const std::uint16_t *distance) {
                     for (int i = 0; i < count; i++)
                         histogram[q][distance[i]]++;
                 });
    }
    return histogram;
}

struct Truth {
    std::vector<std::vector<std::uint64_t>> within; // by distance
    std::vector<int> tenth;

    Truth(const Signatures &rows, const Signatures &queries)
    {
        for (const std::vector<std::uint32_t> &histogram : histograms(rows, queries)) {
            std::vector<std::uint64_t> sums;
            std::uint64_t sum = 0;
            for (std::uint32_t count : histogram)
                sums.push_back(sum += count);
            tenth.push_back(static_cast<int>(std::lower_bound(sums.begin(), sums.end(), std::uint64_t{kTen}) -
                                             sums.begin()));
            within.push_back(std::move(sums));
        }
    }
};

// -- measure ------------------------------------------------------------------------------------------------

class Measurement
{
public:
    Measurement(const std::string &directory, const std::vector<int> &radii)
        : rows_(read(directory + "/row.copy")), queries_(read(directory + "/query.copy")),
          truth_(rows_, queries_), radii_(radii)
    {
    }

    void add_scan()
    {
        for (int radius : radii_)
            add(
                "range", "memory: SIMD scan", setting(radius),
                [this, radius](std::size_t q) { return scan_range(rows_, queries_[q], radius); },
                within(radius));
        add(
            "ten", "memory: SIMD scan", "exact",
            [this](std::size_t q) { return scan_ten(rows_, queries_[q], truth_.tenth[q]); }, ten());
    }

    void add_flat()
    {
        flat_ = std::make_unique<faiss::IndexBinaryFlat>(rows_.bits);
        flat_->add(count(), rows_.data.data());
        add_search("memory: FAISS Flat", "exact", flat_.get(), [] {});
        for (int radius : radii_)
            add_range("memory: FAISS Flat", radius, flat_.get());
    }

    // The fewest maps of at most 28 bits with one flip, or with two, that miss nothing within the radius.
    void add_multi_hash(int radius)
    {
        int flips = radius < 24 ? 1 : 2, maps = (radius + flips + 1) / (flips + 1), bits = rows_.bits / maps;
        if (bits < 16 || rows_.bits != 256)
            return;
        bits = std::min(bits, 28);
        auto index = std::make_unique<faiss::IndexBinaryMultiHash>(rows_.bits, maps, bits);
        index->nflip = flips;
        std::string name = "memory: FAISS MultiHash " + std::to_string(maps) + " x " + std::to_string(bits) +
                           ", " + std::to_string(flips) + " flips";
        std::size_t before = allocated_bytes();
        double begun = processor_seconds();
        index->add(count(), rows_.data.data());
        note("build", name, "", "s", processor_seconds() - begun);
        note("build", name, "", "bytes per row",
             static_cast<double>(allocated_bytes() - before) / static_cast<double>(rows_.count()));
        add_range(name, radius, index.get());
        hashes_.push_back(std::move(index));
    }

    void add_ivf()
    {
        auto lists = static_cast<std::size_t>(std::max(10.0, static_cast<double>(rows_.count()) / 1000));
        quantizer_ = std::make_unique<faiss::IndexBinaryFlat>(rows_.bits);
        ivf_ = std::make_unique<faiss::IndexBinaryIVF>(quantizer_.get(), static_cast<std::size_t>(rows_.bits),
                                                       lists);
        ivf_->cp.niter = 5;
        ivf_->cp.max_points_per_centroid = 50;
        double begun = processor_seconds();
        ivf_->train(count(), rows_.data.data());
        ivf_->add(count(), rows_.data.data());
        std::string name = "memory: FAISS IVF " + std::to_string(lists);
        note("build", name, "", "s", processor_seconds() - begun);
        for (std::size_t probes : {1, 3, 10, 32, 100}) {
            if (probes < lists)
                add_search(name, std::to_string(probes) + " probes", ivf_.get(),
                           [this, probes] { ivf_->nprobe = probes; });
        }
    }

    void time(int rounds) { time_methods(&methods_, rounds, kRoundSeconds); }

private:
    std::int64_t count() const { return static_cast<std::int64_t>(rows_.count()); }
    static std::string setting(int radius) { return "r = " + std::to_string(radius); }
    std::function<std::uint64_t(std::size_t)> within(int radius)
    {
        return [this, radius](std::size_t q) { return truth_.within[q][static_cast<std::size_t>(radius)]; };
    }
    static std::function<std::uint64_t(std::size_t)> ten()
    {
        return [](std::size_t) { return std::uint64_t{kTen}; };
    }

    template <typename One>
    void add(const char *part, const std::string &name, const std::string &setting, One one,
             std::function<std::uint64_t(std::size_t)> expected)
    {
        methods_.push_back({part, name, setting, queries_.count(),
                            [one](std::size_t first, std::size_t count) {
                                std::uint64_t found = 0;
                                for (std::size_t q = first; q < first + count; q++)
                                    found += one(q);
                                return found;
                            },
                            std::move(expected)});
    }

    // One query at a time, as in a server.
    template <typename Set>
    void add_search(const std::string &name, const std::string &setting, const faiss::IndexBinary *index,
                    Set set)
    {
        add(
            "ten", name, setting,
            [this, index, set](std::size_t q) {
                set();
                std::int32_t distance[kTen];
                faiss::IndexBinary::idx_t label[kTen];
                index->search(1, queries_[q], kTen, distance, label);
                std::uint64_t found = 0;
                for (int i = 0; i < kTen; i++)
                    found += label[i] >= 0 && distance[i] <= truth_.tenth[q];
                return found;
            },
            ten());
    }

    void add_range(const std::string &name, int radius, const faiss::IndexBinary *index)
    {
        add(
            "range", name, setting(radius),
            [this, index, radius](std::size_t q) {
                faiss::RangeSearchResult result(1);
                index->range_search(1, queries_[q], radius + 1, &result); // FAISS's radius is exclusive
                return std::uint64_t{result.lims[1]};
            },
            within(radius));
    }

    Signatures rows_, queries_;
    Truth truth_;
    std::vector<int> radii_;
    std::vector<Method> methods_;
    std::unique_ptr<faiss::IndexBinaryFlat> flat_, quantizer_;
    std::unique_ptr<faiss::IndexBinaryIVF> ivf_;
    std::vector<std::unique_ptr<faiss::IndexBinaryMultiHash>> hashes_;
};

void print_expected(const std::string &directory, const std::vector<int> &radii)
{
    Signatures rows = read(directory + "/row.copy"), queries = read(directory + "/query.copy");
    Truth truth(rows, queries);
    for (std::size_t q = 0; q < queries.count(); q++) {
        std::printf("%zu,-1,%d\n", q + 1, truth.tenth[q]);
        for (int radius : radii)
            std::printf("%zu,%d,%llu\n", q + 1, radius,
                        static_cast<unsigned long long>(truth.within[q][static_cast<std::size_t>(radius)]));
    }
}

} // namespace

int main(int argc, char **argv)
{
    std::string mode = argc > 1 ? argv[1] : "";
    int first = mode == "expected" ? 3 : 5;
    std::vector<int> radii;
    for (int i = first; i < argc; i++)
        radii.push_back(std::atoi(argv[i]));
    if (mode == "expected" && argc > 3) {
        print_expected(argv[2], radii);
        return 0;
    }
    if (mode != "measure" || argc < 6) {
        std::fprintf(
            stderr,
            "usage: memory expected DIRECTORY RADIUS... | memory measure DIRECTORY ROUNDS SCALE RADIUS...\n");
        return 2;
    }
    int scale = std::atoi(argv[4]);
    Measurement measurement(argv[2], radii);
    measurement.add_scan();
    if (scale >= 1) {
        measurement.add_flat();
        for (int radius : radii)
            measurement.add_multi_hash(radius);
    }
    if (scale >= 2)
        measurement.add_ivf();
    measurement.time(std::atoi(argv[3]));
}
