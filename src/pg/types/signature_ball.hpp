// A Hamming ball around a signature, and the recall with which an index may search it. The SQL type
// signature_ball is a varlena with this layout, once it is neither packed nor compressed.
#pragma once

#include "core/bits/signature.hpp"
#include "pg/server/postgres.hpp"
#include "pg/types/ball.hpp"

namespace simhash
{

inline constexpr std::uint8_t kSignatureBallVersion = 1;

struct SignatureBall {
    std::int32_t vl_len_;
    std::int32_t bits;
    std::int32_t radius;   // kEmptyRadius to bits
    std::int32_t count;    // the recall is meant for this many nearest rows; 0: for all rows in the ball
    double recall;         // kLeastRecall to kExactRecall
    std::uint32_t weights; // 0, or bits: the number of floats that follow the signature
    std::uint8_t version;  // kSignatureBallVersion
    std::uint8_t zero[3];
    // The center, in whole 8-byte words, padded with zeros, then the weights.
    std::uint8_t signature[FLEXIBLE_ARRAY_MEMBER];
};

static_assert(offsetof(SignatureBall, signature) == 32, "the signature is aligned to 8 bytes");

inline SignatureView ball_signature(const SignatureBall &ball)
{
    return {ball.bits, signature_bytes(ball.bits), ball.signature};
}

// Returns one weight for each bit, or null if the ball has none. The larger the absolute value, the less
// likely the bit differs.
inline const float *ball_weights(const SignatureBall &ball)
{
    return ball.weights == 0
               ? nullptr
               : reinterpret_cast<const float *>(ball.signature + 8 * signature_words(ball.bits));
}

inline bool is_exact(const SignatureBall &ball) { return ball.recall >= kExactRecall; }

// Returns the ball, aligned to 8 bytes. It is valid as long as the value, or, if that is packed, compressed or
// stored out of line, as long as the current memory context. Raises 0A000 for another version, and XX001 for another size.
const SignatureBall &datum_signature_ball(Datum datum);

} // namespace simhash
