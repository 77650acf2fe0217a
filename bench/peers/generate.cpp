// Makes the rows and queries of a run; the same arguments give the same files.
//
//   generate KIND ROWS FRESH SEED DIRECTORY [FINGERPRINTS]
//
// KIND of the fingerprints; one in five is a copy of an earlier one with 0 to 5 flipped bits:
//
//   uniform   64 random bits
//   dead      32 random bits, the upper 32 are 0
//   biased    every other bit is 1 with probability 0.9
//   real      those in the file FINGERPRINTS (8 bytes each), each once, in random order, without copies
//
// Files, .bin with the fingerprints (8 bytes each in the machine's order) and .copy with rows (id integer, h
// simhash) for COPY in binary:
//
//   page     ROWS rows with ids 1 to ROWS in random order
//   fresh    FRESH more rows, for inserts, with the following ids
//   query    20,000 queries: odd ids are rows with 0 to 3 flipped bits, even ids are drawn like the rows
//   probe    100,000 more of them
//   ten      200 queries that have ten rows one to three flips away
//   random   the first 200 of query with even ids
#include "../copy_file.hpp"

#include <algorithm>
#include <numeric>

namespace
{

using Fingerprint = std::uint64_t;

constexpr std::size_t kQueries = 20000, kProbes = 100000, kTens = 200, kRandoms = 200;
constexpr std::size_t kTen = 10;

// The source of new fingerprints.
class Source
{
public:
    Source(const std::string &kind, Random *random, const char *file) : random_(random)
    {
        if (kind == "uniform")
            draw_ = [](Random *r) { return (*r)(); };
        else if (kind == "dead") {
            live_ = 0xffffffff;
            draw_ = [](Random *r) { return (*r)() >> 32; };
        } else if (kind == "biased")
            draw_ = [](Random *r) {
                Fingerprint h = (*r)() & 0x5555555555555555;
                for (int bit = 1; bit < 64; bit += 2)
                    h |= static_cast<Fingerprint>(r->below(10) < 9) << bit;
                return h;
            };
        else if (kind == "real" && file != nullptr)
            read(file);
        else
            fail("unknown kind " + kind);
    }

    bool real() const { return draw_ == nullptr; }

    Fingerprint next()
    {
        if (!real())
            return draw_(random_);
        if (read_.empty())
            fail("too few fingerprints in the file");
        Fingerprint h = read_.back();
        read_.pop_back();
        return h;
    }

    Fingerprint flip(Fingerprint h, int flips)
    {
        Fingerprint flipped = 0;
        while (flips > 0) {
            Fingerprint bit = Fingerprint{1} << random_->below(64);
            if ((bit & live_ & ~flipped) != 0) {
                flipped |= bit;
                flips--;
            }
        }
        return h ^ flipped;
    }

private:
    void read(const char *name)
    {
        std::FILE *file = std::fopen(name, "rb");
        if (file == nullptr)
            fail(std::string("cannot read ") + name);
        Fingerprint h;
        while (std::fread(&h, sizeof(h), 1, file) == 1)
            read_.push_back(h);
        std::fclose(file);
        for (std::size_t i = read_.size(); i > 1; i--)
            std::swap(read_[i - 1], read_[random_->below(i)]);
    }

    Random *random_;
    Fingerprint (*draw_)(Random *) = nullptr;
    Fingerprint live_ = ~Fingerprint{0};
    std::vector<Fingerprint> read_;
};

void write(const std::string &directory, const char *name, const std::vector<Fingerprint> &rows,
           const std::vector<std::uint32_t> &ids)
{
    File binary(directory + "/" + name + ".bin");
    if (!rows.empty())
        binary.put(rows.data(), rows.size() * sizeof(Fingerprint));
    binary.close();

    CopyFile copy(directory + "/" + name + ".copy");
    for (std::size_t i = 0; i < rows.size(); i++) {
        copy.put(2, 2);
        copy.put(4, 4);
        copy.put(ids[i], 4);
        copy.put(8, 4);
        copy.put(rows[i], 8);
    }
    copy.close();
}

std::vector<std::uint32_t> ids_from(std::size_t first, std::size_t count)
{
    std::vector<std::uint32_t> ids(count);
    std::iota(ids.begin(), ids.end(), static_cast<std::uint32_t>(first));
    return ids;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 6 || argc > 7) {
        std::fprintf(stderr, "usage: generate KIND ROWS FRESH SEED DIRECTORY [FINGERPRINTS]\n");
        return 2;
    }
    std::size_t rows = std::strtoull(argv[2], nullptr, 10), fresh = std::strtoull(argv[3], nullptr, 10);
    Random random(std::strtoull(argv[4], nullptr, 10));
    std::string directory = argv[5];
    Source source(argv[1], &random, argc == 7 ? argv[6] : nullptr);
    if (rows < kTens * kTen * 2)
        fail("too few rows");

    // Queries without a row come first, so that a file of real fingerprints can run out only of rows.
    std::vector<Fingerprint> query(kQueries), probe(kProbes), ten(kTens);
    for (std::size_t i = 1; i < kQueries; i += 2)
        query[i] = source.next();
    for (Fingerprint &center : ten)
        center = source.next();
    for (std::size_t i = 1; i < kProbes; i += 2)
        probe[i] = source.real() ? source.flip(query[random.below(kQueries / 2) * 2 + 1], 8) : source.next();

    std::vector<Fingerprint> all(rows + fresh);
    for (std::size_t i = 0; i < all.size(); i++) {
        if (source.real() || i == 0 || random.below(5) != 0)
            all[i] = source.next();
        else
            all[i] = source.flip(all[random.below(i)], static_cast<int>(random.below(6)));
    }
    // Ten near-duplicates for each of some queries, spread over the table.
    std::size_t stride = rows / (kTens * kTen);
    for (std::size_t i = 0; i < kTens * kTen; i++)
        all[i * stride + random.below(stride)] =
            source.flip(ten[i % kTens], 1 + static_cast<int>(random.below(3)));

    for (std::size_t i = 0; i < kQueries; i += 2)
        query[i] = source.flip(all[random.below(rows)], static_cast<int>(random.below(4)));
    for (std::size_t i = 0; i < kProbes; i += 2)
        probe[i] = source.flip(all[random.below(rows)], static_cast<int>(random.below(4)));
    std::vector<Fingerprint> some_random(kRandoms);
    for (std::size_t i = 0; i < kRandoms; i++)
        some_random[i] = query[2 * i + 1];

    std::vector<std::uint32_t> ids = ids_from(1, rows);
    for (std::size_t i = rows; i > 1; i--)
        std::swap(ids[i - 1], ids[random.below(i)]);
    std::vector<Fingerprint> later(all.begin() + static_cast<std::ptrdiff_t>(rows), all.end());
    all.resize(rows);
    write(directory, "page", all, ids);
    write(directory, "fresh", later, ids_from(rows + 1, fresh));
    write(directory, "query", query, ids_from(1, kQueries));
    write(directory, "probe", probe, ids_from(1, kProbes));
    write(directory, "ten", ten, ids_from(1, kTens));
    write(directory, "random", some_random, ids_from(1, kRandoms));
    return 0;
}
