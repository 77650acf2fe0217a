// Makes rows and queries from real pictures and texts.
//
//   collected KIND ROWS FRESH QUERIES SEED DIRECTORY <INPUT
//
//   descriptor  256 bits: BRIEF descriptors at Harris corners of pictures. Queries are those of the same pictures,
//               smaller by 3 %, with another contrast and noise.
//   tile        576 bits: difference hashes of tiles of pictures, on a grid. Queries are tiles anywhere, so many have
//               no near neighbor.
//   lsa         1,024 bits: signs of random projections of texts in the space of the 192 strongest dimensions of their
//               TF-IDF vectors (latent semantic analysis). Queries are other texts, with the projections as weights.
//
// INPUT is pictures as grey PGM, one after the other, or texts, one in a line. The files are those of generate.cpp. There
// are fewer rows if the input does not suffice.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <random>
#include <unordered_map>

#include "../copy_file.hpp"

namespace
{

struct Row {
    Signature signature;
    std::vector<float> weights;
};

struct Rows {
    std::vector<Row> row, query;
};

// -- pictures -----------------------------------------------------------------------------------------------

struct Picture {
    int width, height;
    std::vector<float> grey;

    float at(int x, int y) const
    {
        return grey[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                    static_cast<std::size_t>(x)];
    }
};

bool read_picture(Picture *picture)
{
    int most;
    if (std::scanf("P5 %d %d %d", &picture->width, &picture->height, &most) != 3 || std::getchar() == EOF)
        return false;
    std::vector<unsigned char> bytes(static_cast<std::size_t>(picture->width * picture->height));
    if (most != 255 || std::fread(bytes.data(), 1, bytes.size(), stdin) != bytes.size())
        fail("not a PGM of 8 bits");
    picture->grey.assign(bytes.begin(), bytes.end());
    return true;
}

Picture computed(int width, int height, const std::function<float(int, int)> &value)
{
    Picture result = {width, height, {}};
    result.grey.reserve(static_cast<std::size_t>(width * height));
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++)
            result.grey.push_back(value(x, y));
    }
    return result;
}

// Sums of 5 pixels, in one direction and then in the other.
Picture blurred(const Picture &picture)
{
    int width = picture.width, height = picture.height;
    auto inside = [](int i, int n) { return std::clamp(i, 0, n - 1); };
    Picture rows = computed(width, height, [&](int x, int y) {
        float sum = 0;
        for (int i = -2; i <= 2; i++)
            sum += picture.at(inside(x + i, width), y);
        return sum;
    });
    return computed(width, height, [&](int x, int y) {
        float sum = 0;
        for (int i = -2; i <= 2; i++)
            sum += rows.at(x, inside(y + i, height));
        return sum;
    });
}

Picture altered(const Picture &picture, Random *random)
{
    constexpr float kScale = 0.97F;
    std::normal_distribution<float> noise(0, 3);
    float contrast = 0.8F + 0.4F * static_cast<float>(random->uniform());
    return computed(static_cast<int>(static_cast<float>(picture.width - 1) * kScale),
                    static_cast<int>(static_cast<float>(picture.height - 1) * kScale), [&](int x, int y) {
                        float u = static_cast<float>(x) / kScale, v = static_cast<float>(y) / kScale;
                        int i = static_cast<int>(u), j = static_cast<int>(v);
                        float a = u - static_cast<float>(i), b = v - static_cast<float>(j);
                        float top = picture.at(i, j) * (1 - a) + picture.at(i + 1, j) * a;
                        float bottom = picture.at(i, j + 1) * (1 - a) + picture.at(i + 1, j + 1) * a;
                        return contrast * (top * (1 - b) + bottom * b) + noise(*random);
                    });
}

struct Place {
    float strength;
    int x, y;
};

constexpr int kPatch = 16; // pixels from the middle of a descriptor to its border

// The strongest Harris corners.
std::vector<Place> corners(const Picture &picture, std::size_t most)
{
    auto gradients = [&](bool of_x, bool of_y) {
        return blurred(computed(picture.width, picture.height, [&, of_x, of_y](int x, int y) {
            if (x == 0 || y == 0 || x == picture.width - 1 || y == picture.height - 1)
                return 0.0F;
            float dx = picture.at(x + 1, y) - picture.at(x - 1, y),
                  dy = picture.at(x, y + 1) - picture.at(x, y - 1);
            return (of_x ? dx : dy) * (of_y ? dy : dx);
        }));
    };
    Picture xx = gradients(true, false), xy = gradients(true, true), yy = gradients(false, true);
    Picture strength = computed(picture.width, picture.height, [&](int x, int y) {
        float sum = xx.at(x, y) + yy.at(x, y);
        return xx.at(x, y) * yy.at(x, y) - xy.at(x, y) * xy.at(x, y) - 0.04F * sum * sum;
    });
    std::vector<Place> found;
    for (int y = kPatch; y < picture.height - kPatch; y++) {
        for (int x = kPatch; x < picture.width - kPatch; x++) {
            bool strongest = strength.at(x, y) > 0;
            for (int i = 0; i < 9 && strongest; i++)
                strongest = strength.at(x, y) >= strength.at(x + i % 3 - 1, y + i / 3 - 1);
            if (strongest)
                found.push_back({strength.at(x, y), x, y});
        }
    }
    std::sort(found.begin(), found.end(),
              [](const Place &a, const Place &b) { return a.strength > b.strength; });
    found.resize(std::min(found.size(), most));
    return found;
}

struct Pair {
    int ax, ay, bx, by;
};

// The same for every run, whatever its seed.
std::vector<Pair> brief_pairs()
{
    Random random(256);
    std::normal_distribution<double> normal(0, kPatch / 2.5);
    auto offset = [&] {
        return std::clamp(static_cast<int>(std::lround(normal(random))), -kPatch, kPatch - 1);
    };
    std::vector<Pair> pairs;
    while (pairs.size() < 256)
        pairs.push_back({offset(), offset(), offset(), offset()});
    return pairs;
}

std::vector<Row> descriptors(const Picture &picture, std::size_t most)
{
    static const std::vector<Pair> pairs = brief_pairs();
    Picture smooth = blurred(picture);
    std::vector<Row> result;
    for (const Place &place : corners(picture, most)) {
        Signature signature(pairs.size() / 8);
        for (std::size_t i = 0; i < pairs.size(); i++) {
            const Pair &pair = pairs[i];
            if (smooth.at(place.x + pair.ax, place.y + pair.ay) <
                smooth.at(place.x + pair.bx, place.y + pair.by))
                flip(&signature, i);
        }
        result.push_back({signature, {}});
    }
    return result;
}

constexpr int kCells = 24, kCell = 4, kTile = kCells * kCell;

// Adds the tile's hash, a bit for each cell that is darker than the next one, unless the tile is plain.
void add_tile(const Picture &picture, int left, int top, std::vector<Row> *rows)
{
    Signature signature(kCells * kCells / 8);
    float least = 1e9F, most = 0;
    for (int y = 0; y < kCells; y++) {
        float last = 0;
        for (int x = 0; x <= kCells; x++) {
            float sum = 0;
            for (int i = 0; i < kCell * kCell; i++)
                sum += picture.at(left + x * kCell + i % kCell, top + y * kCell + i / kCell);
            if (x > 0 && last < sum)
                flip(&signature, static_cast<std::size_t>(y * kCells + x - 1));
            last = sum;
            least = std::min(least, sum);
            most = std::max(most, sum);
        }
    }
    if (most - least >= 32 * kCell * kCell)
        rows->push_back({signature, {}});
}

Rows of_pictures(bool tiles, std::size_t rows, std::size_t queries, Random *random)
{
    std::vector<Picture> pictures;
    for (Picture picture; read_picture(&picture);)
        pictures.push_back(picture);
    double pixels = 0;
    for (const Picture &picture : pictures)
        pixels += static_cast<double>(picture.grey.size());
    // Some pictures have few corners or are plain.
    constexpr double kMore = 2;
    int step = std::max(1, static_cast<int>(std::sqrt(pixels / static_cast<double>(rows) / kMore)));
    Rows result;
    auto add = [](std::vector<Row> *to, const std::vector<Row> &more) {
        to->insert(to->end(), more.begin(), more.end());
    };
    for (const Picture &picture : pictures) {
        std::size_t some = 4 * queries / pictures.size() + 1;
        if (!tiles) {
            auto most = static_cast<std::size_t>(kMore * static_cast<double>(rows) /
                                                 static_cast<double>(pictures.size()));
            add(&result.row, descriptors(picture, most));
            std::vector<Row> near = descriptors(altered(picture, random), most);
            std::shuffle(near.begin(), near.end(), *random);
            near.resize(std::min(near.size(), some));
            add(&result.query, near);
            continue;
        }
        int width = picture.width - kTile - kCell, height = picture.height - kTile;
        for (int y = 0; y < height; y += step) {
            for (int x = 0; x < width; x += step)
                add_tile(picture, x, y, &result.row);
        }
        for (std::size_t i = 0; i < some && width > 0 && height > 0; i++)
            add_tile(picture, static_cast<int>(random->below(static_cast<std::size_t>(width))),
                     static_cast<int>(random->below(static_cast<std::size_t>(height))), &result.query);
    }
    return result;
}

// -- texts --------------------------------------------------------------------------------------------------

struct Term {
    std::size_t word;
    float weight;
};
using Text = std::vector<Term>;

// TF-IDF vectors of length 1 of the texts' commonest words.
std::vector<Text> read_texts(std::size_t *vocabulary)
{
    constexpr std::size_t kMostWords = 20000, kShortest = 3, kFewestWords = 12;
    constexpr double kCommon = 0.2;
    std::unordered_map<std::string, std::size_t> number;
    std::vector<std::size_t> texts_with;
    std::vector<std::unordered_map<std::size_t, int>> counts;
    for (std::string line; std::getline(std::cin, line);) {
        std::unordered_map<std::size_t, int> count;
        std::string word;
        for (char c : line + " ") {
            if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
                word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            } else {
                if (word.size() >= kShortest)
                    count[number.try_emplace(word, number.size()).first->second]++;
                word.clear();
            }
        }
        texts_with.resize(number.size());
        if (count.size() < kFewestWords)
            continue;
        for (auto [of, times] : count)
            texts_with[of]++;
        counts.push_back(count);
    }
    std::vector<std::size_t> order(texts_with.size()), place(texts_with.size(), kMostWords);
    for (std::size_t i = 0; i < order.size(); i++)
        order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return texts_with[a] > texts_with[b]; });
    *vocabulary = 0;
    auto all = static_cast<double>(counts.size());
    for (std::size_t word : order) {
        if (static_cast<double>(texts_with[word]) < kCommon * all && *vocabulary < kMostWords)
            place[word] = (*vocabulary)++;
    }
    std::vector<Text> texts;
    for (const auto &count : counts) {
        Text text;
        double square = 1e-9;
        for (auto [word, times] : count) {
            if (place[word] == kMostWords)
                continue;
            double weight = (1 + std::log(times)) * std::log(all / static_cast<double>(texts_with[word]));
            square += weight * weight;
            text.push_back({place[word], static_cast<float>(weight)});
        }
        for (Term &term : text)
            term.weight /= static_cast<float>(std::sqrt(square));
        texts.push_back(text);
    }
    return texts;
}

constexpr std::size_t kDimensions = 192, kProjections = 1024;
using Point = std::array<float, kDimensions>;

float product(const Point &a, const Point &b)
{
    float sum = 0;
    for (std::size_t d = 0; d < kDimensions; d++)
        sum += a[d] * b[d];
    return sum;
}

Point project(const Text &text, const std::vector<Point> &basis)
{
    Point point = {};
    for (const Term &term : text) {
        for (std::size_t d = 0; d < kDimensions; d++)
            point[d] += term.weight * basis[term.word][d];
    }
    return point;
}

// Makes the columns orthonormal, by Gram and Schmidt.
void orthonormalise(std::vector<Point> *basis)
{
    for (std::size_t d = 0; d < kDimensions; d++) {
        Point overlap = {};
        for (const Point &row : *basis) {
            for (std::size_t e = 0; e <= d; e++)
                overlap[e] += row[e] * row[d];
        }
        double left = static_cast<double>(overlap[d]);
        for (std::size_t e = 0; e < d; e++)
            left -= static_cast<double>(overlap[e]) * static_cast<double>(overlap[e]);
        auto scale = static_cast<float>(1 / std::sqrt(std::max(left, 1e-12)));
        for (Point &row : *basis) {
            for (std::size_t e = 0; e < d; e++)
                row[d] -= overlap[e] * row[e];
            row[d] *= scale;
        }
    }
}

// A basis of the space of the strongest singular vectors, by iteration on a sample.
std::vector<Point> strongest(const std::vector<Text> &texts, std::size_t vocabulary, Random *random)
{
    constexpr int kIterations = 4;
    constexpr std::size_t kSample = 20000;
    std::normal_distribution<float> normal;
    std::vector<Point> basis(vocabulary);
    for (Point &row : basis) {
        for (float &x : row)
            x = normal(*random);
    }
    for (int i = 0; i < kIterations; i++) {
        orthonormalise(&basis);
        std::vector<Point> next(vocabulary, Point{});
        for (std::size_t t = 0; t < std::min(kSample, texts.size()); t++) {
            Point point = project(texts[t], basis);
            for (const Term &term : texts[t]) {
                for (std::size_t d = 0; d < kDimensions; d++)
                    next[term.word][d] += term.weight * point[d];
            }
        }
        basis = next;
    }
    orthonormalise(&basis);
    return basis;
}

Rows of_texts(std::size_t rows, std::size_t queries, Random *random)
{
    std::size_t vocabulary;
    std::vector<Text> texts = read_texts(&vocabulary);
    std::shuffle(texts.begin(), texts.end(), *random);
    std::vector<Point> basis = strongest(texts, vocabulary, random), plane(kProjections);
    std::normal_distribution<float> normal;
    for (Point &direction : plane) {
        for (float &x : direction)
            x = normal(*random);
    }
    Rows result;
    texts.resize(std::min(texts.size(), rows + queries));
    for (const Text &text : texts) {
        Point point = project(text, basis);
        Row row = {Signature(kProjections / 8), {}};
        bool is_query = result.query.size() < queries;
        for (std::size_t j = 0; j < kProjections; j++) {
            float sum = product(point, plane[j]);
            if (sum > 0)
                flip(&row.signature, j);
            if (is_query)
                row.weights.push_back(sum);
        }
        (is_query ? result.query : result.row).push_back(row);
    }
    return result;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 7) {
        std::fprintf(stderr, "usage: collected KIND ROWS FRESH QUERIES SEED DIRECTORY\n");
        return 2;
    }
    std::string kind = argv[1], directory = argv[6];
    auto number = [&](int i) { return static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)); };
    std::size_t rows = number(2), fresh = number(3), queries = number(4);
    Random random(number(5));
    if (kind != "descriptor" && kind != "tile" && kind != "lsa")
        fail("unknown kind " + kind);
    Rows all = kind == "lsa" ? of_texts(rows + fresh, queries, &random)
                             : of_pictures(kind == "tile", rows + fresh, queries, &random);
    int bits = kind == "lsa" ? 1024 : kind == "tile" ? 576 : 256;
    std::shuffle(all.row.begin(), all.row.end(), random);
    std::shuffle(all.query.begin(), all.query.end(), random);
    if (all.row.size() < rows + fresh)
        rows = all.row.size() - std::min(all.row.size(), fresh);
    CopyFile row(directory + "/row.copy"), later(directory + "/fresh.copy"), query(directory + "/query.copy");
    for (std::size_t i = 0; i < std::min(rows + fresh, all.row.size()); i++)
        (i < rows ? row : later).put_row(static_cast<std::uint32_t>(i + 1), bits, all.row[i].signature, 2);
    for (std::size_t i = 0; i < std::min(queries, all.query.size()); i++) {
        query.put_row(static_cast<std::uint32_t>(i + 1), bits, all.query[i].signature, 3);
        query.put_weights(all.query[i].weights);
    }
    row.close();
    later.close();
    query.close();
}
