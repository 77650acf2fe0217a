// simhash-cpp's tables (at 80e5bb8), used as simhash-py's Corpus does: C(5, 2) tables, a hash in each.
#include "simhash.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace
{

constexpr int kBlocks = 5, kBits = 3;
using Simhash::hash_t;

std::vector<hash_t> read_hashes(const char *file)
{
    std::vector<hash_t> hashes;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        hashes.push_back(std::stoull(line, nullptr, 16));
    return hashes;
}

// The masks of the blocks, the two that a table keeps in front first.
std::vector<std::unique_ptr<Simhash::Table>> make_tables()
{
    std::vector<hash_t> block;
    for (int i = 0; i < kBlocks; i++) {
        int from = 64 * i / kBlocks, end = 64 * (i + 1) / kBlocks;
        block.push_back(((end - from < 64 ? hash_t{1} << (end - from) : 0) - 1) << from);
    }
    std::vector<std::unique_ptr<Simhash::Table>> tables;
    for (int a = 0; a < kBlocks; a++) {
        for (int b = a + 1; b < kBlocks; b++) {
            std::vector<hash_t> masks = {block[a], block[b]};
            for (int i = 0; i < kBlocks; i++)
                if (i != a && i != b)
                    masks.push_back(block[i]);
            tables.push_back(std::make_unique<Simhash::Table>(kBits, masks));
        }
    }
    return tables;
}

template <typename Work> void measure(const char *name, Work work)
{
    std::clock_t begun = std::clock();
    std::size_t answer = work();
    std::printf(" %-30s | %7.2f | %9zu\n", name, static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, answer);
}

} // namespace

int main(int, char **arguments)
{
    std::vector<hash_t> hashes = read_hashes(arguments[1]), queries = read_hashes(arguments[2]);
    auto tables = make_tables();
    std::printf("simhash-cpp, %zu tables\n", tables.size());
    measure("insertion", [&] {
        for (auto &table : tables)
            for (hash_t hash : hashes)
                table->insert(hash);
        return hashes.size();
    });
    measure("find first", [&] {
        std::size_t found = 0;
        for (hash_t query : queries)
            found += std::any_of(tables.begin(), tables.end(), [=](auto &table) { return table->find(query) != 0; });
        return found;
    });
    measure("find all", [&] {
        std::size_t found = 0;
        std::vector<hash_t> results;
        for (hash_t query : queries) {
            results.clear();
            for (auto &table : tables)
                table->find(query, results);
            std::sort(results.begin(), results.end());
            found += static_cast<std::size_t>(std::unique(results.begin(), results.end()) - results.begin());
        }
        return found;
    });
    measure("removal", [&] {
        for (auto &table : tables)
            for (hash_t hash : hashes)
                table->remove(hash);
        return hashes.size();
    });
}
