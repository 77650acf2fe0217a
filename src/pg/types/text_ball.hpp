// A ball of texts: those whose shingles have at least a Jaccard index with those of a text, and whose fingerprints are
// within the radius for this index (core/features/text_sketch.hpp).
//
// The stored form, without the length word:
//
//   offset  size
//        0     1  version, 1
//        1     1  zero
//        2     1  radius, -1 to 64: -1 if the text has no fingerprint
//        3     1  unit: 0 words, 1 characters
//        4     8  the fingerprint of the text
//       12     8  the Jaccard index
//       20        the text
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/text/text_features.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

inline constexpr char kTextBallName[] = "text_ball";
inline constexpr int kTextBallVersion = 1; // of the stored and of the binary form

inline bool valid_similarity(double similarity) { return similarity >= 0 && similarity <= 1; }

struct TextBall {
    Fingerprint center;
    std::int32_t radius;
    TextUnit unit;
    double similarity;
    const char *text; // in the encoding of the database
    Size length;
};

// Reads a stored ball that is not toasted; the text is in it. Raises XX001 or 0A000, as for a simhash_ball.
TextBall open_text_ball(struct varlena *value);

// Reads a stored ball, which may be toasted, without the text.
TextBall text_ball_terms(Datum datum);

Datum text_ball_datum(const TextBall &ball);

} // namespace simhash
