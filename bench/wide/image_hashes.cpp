// Hashes of pictures for images.sh.
//
//   image_hashes VARIANT ... <PICTURES >ROWS
//
// PICTURES: for each picture a line with its path, followed by 96 x 96 grey values for each variant, one byte each. A picture
// without contrast is left out.
//
// DCT hash, 256 bits, like PDQ: the 16 x 16 lowest frequencies of a two-dimensional cosine transform without the constant
// ones; a bit is 1 above their median. Block hash, 576 bits, like blockhash: the means of 24 x 24 blocks; a bit is 1 above the
// median of its quarter of the picture's height, or near it in a bright quarter.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

namespace
{

constexpr int kSide = 96;
constexpr int kFrequencies = 16;
constexpr int kBlocks = 24;
constexpr int kBands = 4;

using Picture = std::array<unsigned char, kSide * kSide>;

double median(std::vector<double> values)
{
    auto middle = values.begin() + static_cast<long>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::string above(const std::vector<double> &values, double bound)
{
    std::string bits;
    for (double value : values)
        bits += value > bound ? '1' : '0';
    return bits;
}

std::string dct_hash(const Picture &picture)
{
    double wave[kFrequencies][kSide], rows[kSide][kFrequencies] = {};
    for (int f = 0; f < kFrequencies; f++)
        for (int x = 0; x < kSide; x++)
            wave[f][x] = std::cos(std::numbers::pi / kSide * (x + 0.5) * (f + 1));
    for (int y = 0; y < kSide; y++)
        for (int f = 0; f < kFrequencies; f++)
            for (int x = 0; x < kSide; x++)
                rows[y][f] += wave[f][x] * picture[y * kSide + x];
    std::vector<double> values;
    for (int g = 0; g < kFrequencies; g++) {
        for (int f = 0; f < kFrequencies; f++) {
            double sum = 0;
            for (int y = 0; y < kSide; y++)
                sum += wave[g][y] * rows[y][f];
            values.push_back(sum);
        }
    }
    return above(values, median(values));
}

std::string block_hash(const Picture &picture)
{
    constexpr int kSize = kSide / kBlocks;
    std::string bits;
    std::vector<double> band;
    for (int v = 0; v < kBlocks; v++) {
        for (int u = 0; u < kBlocks; u++) {
            double sum = 0;
            for (int i = 0; i < kSize * kSize; i++)
                sum += picture[(v * kSize + i / kSize) * kSide + u * kSize + i % kSize];
            band.push_back(sum / (kSize * kSize));
        }
        if ((v + 1) % (kBlocks / kBands) == 0) {
            double middle = median(band);
            // An even bright area is all ones.
            bits += above(band, middle > 128 ? middle - 1 : middle);
            band.clear();
        }
    }
    return bits;
}

bool has_contrast(const Picture &picture)
{
    auto [least, most] = std::minmax_element(picture.begin(), picture.end());
    return *most - *least >= 32;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    std::vector<Picture> variants(static_cast<std::size_t>(argc - 1));
    char *path = nullptr;
    std::size_t capacity = 0;
    ssize_t length;
    for (int number = 1; (length = getline(&path, &capacity, stdin)) > 0; number++) {
        if (std::fread(variants.data(), sizeof(Picture), variants.size(), stdin) != variants.size())
            return 1;
        path[length - 1] = 0;
        if (!has_contrast(variants[0]))
            continue;
        for (std::size_t v = 0; v < variants.size(); v++)
            std::printf("%d\t%s\t%s\t%s\t%s\n", number, argv[v + 1], path, dct_hash(variants[v]).c_str(),
                        block_hash(variants[v]).c_str());
    }
    std::free(path);
    return std::fflush(stdout) == 0 ? 0 : 1;
}
