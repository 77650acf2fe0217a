// Makes the rows and queries of a run; the same arguments give the same files, apart from the rounding of floating-point
// sums in `embedding`.
//
//   generate KIND BITS ROWS FRESH QUERIES SEED DIRECTORY
//
// KIND of the signatures:
//
//   uniform    random bits; one in five is a copy of an earlier one with up to 40 flips of 256
//   skewed     the same copies of signatures whose bits are set with probabilities of 0.05 to 0.95 and depend on the
//              bit before them
//   repeated   a hundredth of the rows, in copies
//   clustered  clusters of about 200; the rows of a cluster differ from its center in 5 to 25 % of the bits
//   embedding  signs of random projections of vectors of 96 dimensions, from a mixture of Gaussians that hardly overlap
//   spectrum   the same with Gaussians that overlap, and deviations that fall from dimension to dimension
//
// Files for COPY in binary: row and fresh (id integer, sig bit), query (id integer, sig bit, w real[]). A query of
// uniform, skewed and repeated is a row with up to 40 flips of 256; of the others it is drawn like the rows. Weights
// are the projections, NULL for the other kinds.
#include <cmath>
#include <random>

#include "../copy_file.hpp"

namespace
{

constexpr int kDimensions = 96;
constexpr std::size_t kCluster = 200, kComponent = 1000, kLargeComponent = 10000;

class Source
{
public:
    Source(const std::string &kind, int bits, std::size_t rows, Random *random)
        : kind_(kind), bits_(static_cast<std::size_t>(bits)), random_(*random)
    {
        if (kind == "skewed") {
            for (std::size_t j = 0; j < bits_; j++)
                chance_.push_back(0.05 + 0.9 * random_.uniform());
        } else if (kind == "clustered") {
            for (std::size_t i = 0; i < rows / kCluster + 1; i++) {
                centers_.push_back(noise());
                chance_.push_back(0.05 + 0.2 * random_.uniform());
            }
        } else if (weighed()) {
            make_mixture(rows / (kind == "embedding" ? kComponent : kLargeComponent) + 1);
        } else if (kind == "repeated") {
            for (std::size_t i = 0; i < rows / 100 + 1; i++)
                centers_.push_back(noise());
        } else if (kind != "uniform") {
            fail("unknown kind " + kind);
        }
    }

    bool copies() const { return kind_ == "uniform" || kind_ == "skewed" || kind_ == "repeated"; }
    bool near_copies() const { return kind_ == "uniform" || kind_ == "skewed"; }

    // The weights stay empty unless the kind has them.
    Signature next(std::vector<float> *weights)
    {
        if (kind_ == "skewed")
            return chain();
        if (kind_ == "clustered")
            return of_cluster();
        if (kind_ == "repeated")
            return centers_[random_.below(centers_.size())];
        if (weighed())
            return project(weights);
        return noise();
    }

    // With 0 to 40 flips of 256.
    Signature copy_of(Signature signature)
    {
        std::size_t flips = random_.below(bits_ * 40 / 256 + 1);
        for (std::size_t i = 0; i < flips; i++) // a bit that is chosen twice is flipped back
            flip(&signature, random_.below(bits_));
        return signature;
    }

private:
    bool weighed() const { return kind_ == "embedding" || kind_ == "spectrum"; }

    // Of a vector's coordinate.
    float deviation(std::size_t dimension) const
    {
        return kind_ == "embedding" ? 1 : std::sqrt(10 / (10 + static_cast<float>(dimension)));
    }

    Signature noise()
    {
        Signature signature((bits_ + 7) / 8);
        for (std::uint8_t &byte : signature)
            byte = static_cast<std::uint8_t>(random_() >> 56);
        if (bits_ % 8 != 0)
            signature.back() = static_cast<std::uint8_t>(signature.back() & 0xFF00 >> bits_ % 8);
        return signature;
    }

    Signature chain()
    {
        Signature signature((bits_ + 7) / 8);
        bool last = false;
        for (std::size_t j = 0; j < bits_; j++) {
            last = random_.uniform() < 0.4 ? last : random_.uniform() < chance_[j];
            if (last)
                flip(&signature, j);
        }
        return signature;
    }

    Signature of_cluster()
    {
        std::size_t cluster = random_.below(centers_.size());
        Signature signature = centers_[cluster];
        for (std::size_t j = 0; j < bits_; j++) {
            if (random_.uniform() < chance_[cluster])
                flip(&signature, j);
        }
        return signature;
    }

    void make_mixture(std::size_t components)
    {
        for (std::size_t i = 0; i < components * kDimensions; i++)
            mean_.push_back(static_cast<float>(normal_(random_)));
        for (std::size_t i = 0; i < components; i++)
            spread_.push_back(static_cast<float>(kind_ == "embedding" ? 0.4 + 0.4 * random_.uniform() : 1.0));
        for (std::size_t i = 0; i < kDimensions * bits_; i++)
            plane_.push_back(static_cast<float>(normal_(random_)));
    }

    Signature project(std::vector<float> *weights)
    {
        weights->assign(bits_, 0);
        std::size_t component = random_.below(spread_.size());
        for (std::size_t d = 0; d < kDimensions; d++) {
            float x = deviation(d) * (mean_[component * kDimensions + d] +
                                      spread_[component] * static_cast<float>(normal_(random_)));
            const float *plane = &plane_[d * bits_];
            float *sum = weights->data();
            for (std::size_t j = 0; j < bits_; j++)
                sum[j] += x * plane[j];
        }
        Signature signature((bits_ + 7) / 8);
        for (std::size_t j = 0; j < bits_; j++) {
            if ((*weights)[j] > 0)
                flip(&signature, j);
        }
        return signature;
    }

    std::string kind_;
    std::size_t bits_;
    Random &random_;
    std::normal_distribution<double> normal_;
    std::vector<double> chance_; // that a bit is set, or that a row of a cluster differs in it
    std::vector<Signature> centers_;
    std::vector<float> mean_, spread_, plane_;
};

} // namespace

int main(int argc, char **argv)
{
    if (argc != 8) {
        std::fprintf(stderr, "usage: generate KIND BITS ROWS FRESH QUERIES SEED DIRECTORY\n");
        return 2;
    }
    int bits = std::atoi(argv[2]);
    auto number = [&](int i) { return static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)); };
    std::size_t rows = number(3), fresh = number(4), queries = number(5);
    Random random(number(6));
    std::string directory = argv[7];
    Source source(argv[1], bits, rows, &random);

    CopyFile row(directory + "/row.copy"), later(directory + "/fresh.copy"), query(directory + "/query.copy");
    std::vector<float> weights;
    std::size_t bytes = static_cast<std::size_t>(bits + 7) / 8;
    std::vector<std::uint8_t> all; // of rows that are copied
    auto earlier = [&](std::size_t i) {
        auto from = all.begin() + static_cast<std::ptrdiff_t>(i * bytes);
        return Signature(from, from + static_cast<std::ptrdiff_t>(bytes));
    };
    for (std::size_t i = 0; i < rows + fresh; i++) {
        Signature signature = source.near_copies() && i > 0 && random.below(5) == 0
                                  ? source.copy_of(earlier(random.below(i)))
                                  : source.next(&weights);
        if (source.copies())
            all.insert(all.end(), signature.begin(), signature.end());
        (i < rows ? row : later).put_row(static_cast<std::uint32_t>(i + 1), bits, signature, 2);
    }
    for (std::size_t i = 0; i < queries; i++) {
        Signature signature =
            source.copies() ? source.copy_of(earlier(random.below(rows))) : source.next(&weights);
        query.put_row(static_cast<std::uint32_t>(i + 1), bits, signature, 3);
        query.put_weights(weights);
    }
    row.close();
    later.close();
    query.close();
}
