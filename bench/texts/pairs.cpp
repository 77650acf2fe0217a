// The similar pairs of the texts that prepare.pl writes, exactly. See README.md.
//
//   pairs TEXTS > PAIRS
//
// Writes lines "id1 id2 label cosU H_U cosL H_L cosS H_S" for every pair with cosU >= 0.8 or cosS >= 0.6, or of one
// document. Label 0: of one document, 1: of one family, 2: of one repository, 3: others. U: words weighted tf * idf; L:
// (1 + ln tf) * idf; S: three-word shingles weighted tf * idf. H: the distance of the signs of 64 votes of such vectors.
#include <bit>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../features/texts.hpp"
#include "../features/vectors.hpp"

using namespace simhash;

namespace
{

struct Space {
    std::vector<Vector> vectors;
    std::vector<std::uint64_t> signs;
};

std::uint64_t signs_of(const Vector &vector)
{
    double sum[64] = {};
    for (const Term &term : vector)
        for (int j = 0; j < 64; j++)
            sum[j] += (term.hash >> j & 1) != 0 ? term.weight : -term.weight;
    std::uint64_t signs = 0;
    for (int j = 0; j < 64; j++)
        signs |= static_cast<std::uint64_t>(sum[j] > 0) << j;
    return signs;
}

Space make_space(const std::vector<FeatureList> &texts, bool logarithmic)
{
    Space space{find_vectors(texts, logarithmic), {}};
    for (const Vector &vector : space.vectors)
        space.signs.push_back(signs_of(vector));
    return space;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s TEXTS\n", argv[0]);
        return 2;
    }
    std::vector<std::vector<std::string>> rows;
    std::vector<FeatureList> words, shingles;
    std::map<std::string, std::vector<std::uint32_t>> documents;
    std::ifstream file(argv[1]);
    for (std::string line; std::getline(file, line);) {
        std::vector<std::string> fields = split(line, 8);
        if (fields.size() != 8)
            continue;
        const std::string text = unescape(fields[7]);
        words.push_back(read_features(text, TextUnit::kWord, 1));
        shingles.push_back(read_features(text, TextUnit::kWord, 3));
        documents[fields[1]].push_back(static_cast<std::uint32_t>(rows.size()));
        fields.pop_back();
        rows.push_back(std::move(fields));
    }
    const Space spaces[] = {make_space(words, false), make_space(words, true), make_space(shingles, false)};
    std::set<std::pair<std::uint32_t, std::uint32_t>> listed;
    for (auto [space, least] : {std::pair{&spaces[0], 0.8}, std::pair{&spaces[2], 0.6}})
        for (const Pair &pair : find_cosine_pairs(space->vectors, least))
            listed.insert({pair.a, pair.b});
    for (const auto &[name, members] : documents)
        for (std::size_t i = 0; i < members.size(); i++)
            for (std::size_t j = 0; j < i; j++)
                listed.insert({members[j], members[i]});
    for (auto [a, b] : listed) {
        const std::vector<std::string> &x = rows[a], &y = rows[b];
        const int label = x[1] == y[1] ? 0 : x[2] == y[2] ? 1 : x[4] == y[4] ? 2 : 3;
        std::printf("%s\t%s\t%d", x[0].c_str(), y[0].c_str(), label);
        for (const Space &space : spaces)
            std::printf("\t%.4f\t%d", cosine_of(space.vectors[a], space.vectors[b]),
                        std::popcount(space.signs[a] ^ space.signs[b]));
        std::printf("\n");
    }
}
