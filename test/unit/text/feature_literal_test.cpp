#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/text/feature_literal.hpp"

namespace simhash
{
namespace
{

bool is_literal(const std::string &text)
{
    std::vector<char> exact(text.begin(), text.end());
    return is_feature_literal(exact.data(), exact.size());
}

TEST(FeatureLiteral, Arrays)
{
    for (const char *text : {"{a}", "{invoice,urgent}", "{\"two words\",b}", "{1,-2,NULL}", "{\"\"}",
                             R"({"a\"b","a\\"})", "{{a,b},{c,d}}", "{{{\"a\"}}}", "{\xC3\xA9t\xC3\xA9,b}"})
        EXPECT_TRUE(is_literal(text)) << text;
}

TEST(FeatureLiteral, JsonArrays)
{
    for (const char *text :
         {"[\"a\"]", "[\"invoice\", \"urgent\"]", "[1,-2.5,3e10]", "[ \"a\" ,\n null ]", R"(["a\"]", "\\"])"})
        EXPECT_TRUE(is_literal(text)) << text;
}

TEST(FeatureLiteral, JsonObjectsOfNumbers)
{
    for (const char *text : {R"({"a":1})", R"({"invoice": 2.5, "urgent": -1e-3})", R"({ "a" : null,
 "b":0 })"})
        EXPECT_TRUE(is_literal(text)) << text;
}

TEST(FeatureLiteral, Documents)
{
    for (const char *text : {"",
                             "{",
                             "}",
                             "[",
                             "{}",
                             "[]",
                             "{ }",
                             "invoice",
                             "invoice, urgent",
                             "a{b}",
                             "{a} b",
                             "{a},{b}",
                             "{a}}",
                             "{{a}",
                             "{a,}",
                             "{,a}",
                             "{color: red}",
                             "{a, b}",
                             "[edit]",
                             "[a,b]",
                             "[1] A footnote",
                             "[\"a\",]",
                             "[\"a\"",
                             "[\"a\" \"b\"]",
                             "[[1]]",
                             "[{\"a\":1}]",
                             "[true]",
                             R"({"title": "A text"})",
                             R"({"a":1,})",
                             R"({"a":[1]})",
                             R"({"a":{"b":1}})",
                             R"({"a":1)",
                             R"({"a)",
                             R"({"a\)",
                             R"({"a" 1})",
                             R"({"a":})",
                             "{\"a\":1}x",
                             "{a b}"})
        EXPECT_FALSE(is_literal(text)) << text;
}

} // namespace
} // namespace simhash
