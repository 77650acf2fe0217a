// Values of type feature_vector for tests.
#pragma once

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "core/features/feature_vector.hpp"

namespace simhash
{

struct StoredVector {
    StoredVector(bool weighted, std::vector<FeatureCount> rows)
        : memory(vector_size(weighted, rows.size()) + 4)
    {
        write_vector(weighted, rows.data(), rows.size(), bytes(), [] {});
        EXPECT_TRUE(vector.open(bytes(), size()));
    }
    StoredVector(const StoredVector &) = delete;
    StoredVector &operator=(const StoredVector &) = delete;

    // As PostgreSQL puts a length in front.
    char *bytes() { return memory.data() + 4; }
    std::size_t size() const { return memory.size() - 4; }

    std::vector<char> memory;
    FeatureVector vector;
};

} // namespace simhash
