#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "core/features/weights_format.hpp"

namespace simhash
{
namespace
{

std::string formatted(Weight weight)
{
    char text[kWeightTextMax];
    return std::string(text, format_weight(weight, text));
}

TEST(WeightsText, ShortestDecimals)
{
    EXPECT_EQ(formatted(0), "0");
    EXPECT_EQ(formatted(kWeightOne), "1");
    EXPECT_EQ(formatted(-kWeightOne), "-1");
    EXPECT_EQ(formatted(kWeightOne / 2), "0.5");
    EXPECT_EQ(formatted(-kWeightOne * 5 / 4), "-1.25");
    EXPECT_EQ(formatted(1), "0.00000006");
    EXPECT_EQ(formatted(-1), "-0.00000006");
    EXPECT_EQ(formatted(433 * kWeightOne / 256), "1.69140625");
    EXPECT_EQ(formatted(1677722), "0.1");
    EXPECT_EQ(formatted(kWeightOne - 1), "0.99999994");
    EXPECT_EQ(formatted(std::numeric_limits<Weight>::max()), "549755813887.99999994");
    EXPECT_EQ(formatted(std::numeric_limits<Weight>::min()), "-549755813888");
}

TEST(WeightsText, EveryWeightRoundTrips)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 200000; i++) {
        Weight weight = static_cast<Weight>(random()) >> (random() % 64);
        std::string text = formatted(weight);
        Weight read = ~weight;
        ASSERT_EQ(parse_weight(text.data(), text.size(), &read), WeightsTextError::kNone) << text;
        ASSERT_EQ(read, weight) << text;
        ASSERT_LE(text.size(), kWeightTextMax);
    }
}

TEST(WeightsText, ParsesNumbers)
{
    struct {
        const char *text;
        Weight weight;
    } const cases[] = {
        {"1", kWeightOne},
        {"+1", kWeightOne},
        {"-0", 0},
        {".5", kWeightOne / 2},
        {"5.", 5 * kWeightOne},
        {"1e3", 1000 * kWeightOne},
        {"1.5E+1", 15 * kWeightOne},
        {"25e-2", kWeightOne / 4},
        {"0.000000000000000000000000001", 0},
        {"1e-999999999999999999999", 0},
        {"0e999999999999999999999", 0},
        {"000000000000000000000000000000000000000002", 2 * kWeightOne},
        {"200000000000000000000000000000e-29", 2 * kWeightOne},
        // Half a unit is rounded to even, slightly more is rounded up.
        {"0.0000000298023223876953125", 0},
        {"0.00000002980232238769531250000000000000000000000001", 1},
        {"0.0000000894069671630859375", 2},
        {"549755813887.99999994", std::numeric_limits<Weight>::max()},
        {"-549755813888", std::numeric_limits<Weight>::min()},
    };
    for (const auto &c : cases) {
        Weight weight = 77;
        EXPECT_EQ(parse_weight(c.text, std::string(c.text).size(), &weight), WeightsTextError::kNone)
            << c.text;
        EXPECT_EQ(weight, c.weight) << c.text;
    }
}

TEST(WeightsText, RefusesWhatIsNone)
{
    Weight weight;
    for (const char *text : {"", "-", ".", "e1", "1e", "1e+", "1.2.3", "0x10", "1 2", "--1", "1,", "one"})
        EXPECT_EQ(parse_weight(text, std::string(text).size(), &weight), WeightsTextError::kSyntax) << text;
    for (const char *text : {"549755813888", "549755813887.99999998", "-549755813888.1", "1e12",
                             "1e99999999999", "99999999999999999999999999"})
        EXPECT_EQ(parse_weight(text, std::string(text).size(), &weight), WeightsTextError::kOutOfRange)
            << text;
    for (const char *text : {"NaN", "inf", "-Infinity", "+INF"})
        EXPECT_EQ(parse_weight(text, std::string(text).size(), &weight), WeightsTextError::kNotFinite)
            << text;
}

std::string list(int count, const char *element)
{
    std::string text = "[";
    for (int i = 0; i < count; i++)
        text += (i == 0 ? "" : ",") + std::string(element);
    return text + "]";
}

WeightsTextError parse(const std::string &text, Weights *weights, std::string *part)
{
    WeightsTextFault fault = {};
    WeightsTextError error = parse_weights(text.data(), text.size(), weights, &fault);
    *part = error == WeightsTextError::kNone ? "" : text.substr(fault.at, fault.length);
    return error;
}

TEST(WeightsText, Lists)
{
    Weights weights;
    std::string part;
    EXPECT_EQ(parse(list(64, "1.5"), &weights, &part), WeightsTextError::kNone);
    EXPECT_EQ(weights.sum[63], kWeightOne * 3 / 2);
    EXPECT_EQ(parse(" \n[ 1 , 2" + list(62, "3").replace(0, 1, ",") + " ", &weights, &part),
              WeightsTextError::kNone);
    EXPECT_EQ(weights.sum[1], 2 * kWeightOne);
    EXPECT_EQ(weights.sum[2], 3 * kWeightOne);

    EXPECT_EQ(parse(list(63, "1"), &weights, &part), WeightsTextError::kCount);
    EXPECT_EQ(parse(list(65, "1"), &weights, &part), WeightsTextError::kCount);
    EXPECT_EQ(parse("[]", &weights, &part), WeightsTextError::kCount);
    for (const char *text :
         {"", "   ", "1,2", "[", "[1", "[1,", "[1,2]x", "[,]", "[1,]", "[[1]]", "{1}", "[]]"})
        EXPECT_EQ(parse(text, &weights, &part), WeightsTextError::kSyntax) << text;
    EXPECT_EQ(parse("[1, two ,3]", &weights, &part), WeightsTextError::kSyntax);
    EXPECT_EQ(part, "two");
    EXPECT_EQ(parse("[1,1e30]", &weights, &part), WeightsTextError::kOutOfRange);
    EXPECT_EQ(part, "1e30");
    EXPECT_EQ(parse("[1,nan]", &weights, &part), WeightsTextError::kNotFinite);
    EXPECT_EQ(part, "nan");
}

TEST(WeightsText, WholeListsRoundTrip)
{
    std::mt19937_64 random(2);
    for (int i = 0; i < 200; i++) {
        Weights weights;
        for (Weight &weight : weights.sum)
            weight = static_cast<Weight>(random()) >> (random() % 64);
        char text[kWeightsTextMax];
        std::string formatted_list(text, format_weights(weights, text));
        Weights read;
        std::string part;
        ASSERT_EQ(parse(formatted_list, &read, &part), WeightsTextError::kNone) << formatted_list;
        for (int j = 0; j < kBits; j++)
            ASSERT_EQ(read.sum[j], weights.sum[j]);
    }
}

} // namespace
} // namespace simhash
