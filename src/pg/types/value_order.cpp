// Comparisons and hashes of the types that are no numbers: weights, balls, features and frequencies. So DISTINCT, UNION,
// joins and replication without a key can tell their values apart. The order is for sorting alone: count(DISTINCT) sorts,
// and so does any DISTINCT of rows that also have a bit(n) or a tsvector, which cannot be hashed.
//
// A value is a sequence of numbers here, whatever its stored form, which may be packed, compressed or older. The numbers of
// unequal values differ before one of the sequences ends.
#include "core/bits/split_mix.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/binary_form.hpp"
#include "pg/types/frequencies_type.hpp"
#include "pg/types/signature_ball.hpp"
#include "pg/types/text_ball.hpp"
#include "pg/types/vector_type.hpp"
#include "pg/types/weights_type.hpp"

#include <bit>
#include <functional>

namespace simhash
{

namespace
{

// Numbers in the order of what they stand for. Hashes are made of them; so they must never change.
std::uint64_t ordered(std::int64_t number)
{
    return static_cast<std::uint64_t>(number) ^ std::uint64_t{1} << 63;
}
std::uint64_t ordered(double number)
{
    auto bits = std::bit_cast<std::uint64_t>(number == 0 ? 0 : number); // -0 equals 0
    return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

struct WeightsNumbers {
    Weights weights;

    explicit WeightsNumbers(Datum value) : weights(read_weights(value)) {}
    std::size_t size() const { return kBits; }
    std::uint64_t operator[](std::size_t i) const { return ordered(weights.sum[i]); }
    void release() {}
};

struct BallNumbers {
    GuidedBall ball;
    bool weights;

    explicit BallNumbers(Datum value) : weights(read_ball(value, &ball)) {}
    std::size_t size() const { return weights ? 5 + kBits : 3; }
    std::uint64_t operator[](std::size_t i) const
    {
        const std::uint64_t terms[] = {ball.center, ordered(std::int64_t{ball.radius}), weights ? 1U : 0U,
                                       ordered(ball.recall), ordered(std::int64_t{ball.most_probes})};
        return i < 5 ? terms[i] : ordered(ball.weights.sum[i - 5]);
    }
    void release() {}
};

struct SignatureBallNumbers {
    static constexpr std::size_t kTerms = 5;
    Datum value;
    const SignatureBall &ball;
    std::size_t words;

    explicit SignatureBallNumbers(Datum given)
        : value(given), ball(datum_signature_ball(given)),
          words(static_cast<std::size_t>(signature_words(ball.bits)))
    {
    }
    std::size_t size() const { return kTerms + words + ball.weights; }
    std::uint64_t operator[](std::size_t i) const
    {
        const std::uint64_t terms[kTerms] = {ordered(std::int64_t{ball.bits}),
                                             ordered(std::int64_t{ball.radius}), ordered(ball.recall),
                                             ordered(std::int64_t{ball.count}), ball.weights};
        if (i < kTerms)
            return terms[i];
        if (i < kTerms + words)
            return word(i - kTerms);
        return ordered(static_cast<double>(ball_weights(ball)[i - kTerms - words]));
    }
    std::uint64_t word(std::size_t i) const
    {
        std::uint64_t word = 0;
        for (std::size_t byte = 8 * i; byte < 8 * i + 8; byte++)
            word = word << 8 | ball.signature[byte];
        return word;
    }
    void release()
    {
        if (&ball != reinterpret_cast<const SignatureBall *>(DatumGetPointer(value)))
            pfree(const_cast<SignatureBall *>(&ball));
    }
};

struct FrequenciesNumbers : StoredValueCopy {
    static constexpr std::size_t kTerms = 5;
    FeatureFrequencies frequencies;

    explicit FrequenciesNumbers(Datum datum) : StoredValueCopy(datum), frequencies(open_frequencies(value)) {}
    std::size_t size() const { return kTerms + 2 * std::size_t{frequencies.header().count}; }
    std::uint64_t operator[](std::size_t i) const
    {
        const FrequenciesHeader &header = frequencies.header();
        const std::uint64_t terms[kTerms] = {static_cast<std::uint64_t>(header.unit), header.size,
                                             header.documents, header.missed, header.count};
        if (i < kTerms)
            return terms[i];
        FeatureFrequency feature = frequencies.at(static_cast<std::uint32_t>((i - kTerms) / 2));
        return (i - kTerms) % 2 == 0 ? feature.hash : feature.documents;
    }
};

struct VectorNumbers : StoredValueCopy {
    static constexpr std::size_t kTerms = 2;
    FeatureVector features;

    explicit VectorNumbers(Datum datum) : StoredValueCopy(datum), features(open_vector(value)) {}
    std::size_t size() const { return kTerms + 2 * features.size(); }
    std::uint64_t operator[](std::size_t i) const
    {
        const std::uint64_t terms[kTerms] = {features.weighted(), features.size()};
        if (i < kTerms)
            return terms[i];
        std::size_t feature = (i - kTerms) / 2;
        return (i - kTerms) % 2 == 0 ? features.hash(feature)
               : features.weighted() ? ordered(features.weight(feature))
                                     : features.count(feature);
    }
};

struct TextBallNumbers : StoredValueCopy {
    static constexpr std::size_t kTerms = 3;
    TextBall ball;

    explicit TextBallNumbers(Datum datum) : StoredValueCopy(datum), ball(open_text_ball(value)) {}
    std::size_t size() const { return kTerms + (ball.length + 7) / 8; }
    std::uint64_t operator[](std::size_t i) const
    {
        if (i < kTerms)
            return i == 0   ? ordered(ball.similarity)
                   : i == 1 ? static_cast<std::uint64_t>(ball.unit)
                            : ball.length;
        std::uint64_t bytes = 0;
        for (Size at = 8 * (i - kTerms); at < ball.length && at < 8 * (i - kTerms + 1); at++)
            bytes = bytes << 8 | static_cast<unsigned char>(ball.text[at]);
        return bytes;
    }
};

template <typename Numbers> int compare(FunctionCallInfo fcinfo)
{
    Numbers a(PG_GETARG_DATUM(0)), b(PG_GETARG_DATUM(1));
    std::size_t size = Min(a.size(), b.size()), i = 0;
    while (i < size && a[i] == b[i])
        i++;
    int order = i == size ? 0 : a[i] < b[i] ? -1 : 1;
    a.release();
    b.release();
    return order;
}

// The hash is stored in hash indexes, so it must never change. It is the same on machines of any byte order.
template <typename Numbers> std::uint64_t hash(FunctionCallInfo fcinfo)
{
    Numbers value(PG_GETARG_DATUM(0));
    std::uint64_t state = 0;
    for (std::size_t i = 0; i < value.size(); i++)
        state = hash_next(state, value[i]);
    value.release();
    return state;
}

} // namespace

#define VALUE_COMPARISON(name, Numbers, comparison)                                                          \
    SIMHASH_FUNCTION(name)                                                                                   \
    {                                                                                                        \
        PG_RETURN_BOOL((comparison)(compare<Numbers>(fcinfo), 0));                                           \
    }
#define VALUE_ORDER(type, Numbers)                                                                           \
    VALUE_COMPARISON(type##_eq, Numbers, std::equal_to<>{})                                                  \
    VALUE_COMPARISON(type##_ne, Numbers, std::not_equal_to<>{})                                              \
    VALUE_COMPARISON(type##_lt, Numbers, std::less<>{})                                                      \
    VALUE_COMPARISON(type##_le, Numbers, std::less_equal<>{})                                                \
    VALUE_COMPARISON(type##_gt, Numbers, std::greater<>{})                                                   \
    VALUE_COMPARISON(type##_ge, Numbers, std::greater_equal<>{})                                             \
    SIMHASH_FUNCTION(type##_cmp)                                                                             \
    {                                                                                                        \
        PG_RETURN_INT32(compare<Numbers>(fcinfo));                                                           \
    }                                                                                                        \
    SIMHASH_FUNCTION(type##_hash)                                                                            \
    {                                                                                                        \
        PG_RETURN_INT32(static_cast<std::int32_t>(hash<Numbers>(fcinfo)));                                   \
    }

VALUE_ORDER(simhash_weights, WeightsNumbers)
VALUE_ORDER(simhash_ball, BallNumbers)
VALUE_ORDER(simhash_signature_ball, SignatureBallNumbers)
VALUE_ORDER(simhash_text_ball, TextBallNumbers)
VALUE_ORDER(simhash_feature_frequencies, FrequenciesNumbers)
VALUE_ORDER(simhash_feature_vector, VectorNumbers)

} // namespace simhash
