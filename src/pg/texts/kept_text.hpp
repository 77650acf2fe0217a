// Whether texts are near a text whose shingles are kept: a search compares many texts with one.
//
// The backend keeps one text, and not the call's FmgrInfo: constraints look the function up anew for each row. It is
// found again by the pointer of its stored value, without reading it, or by its bytes. A large one is kept no longer
// than until the end of the transaction, and so are all pointers.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/text/text_features.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

struct TextBytes {
    const char *at; // in the encoding of the database
    Size length;
};

// The fingerprint of a text. Returns false if it has no words.
bool text_fingerprint(TextBytes text, TextUnit unit, Fingerprint *out);
// That of a value of type text, which may be toasted.
bool text_fingerprint(Datum text, TextUnit unit, Fingerprint *out);

// What makes texts near: the least Jaccard index of their shingles, and the most bits in which their fingerprints differ
// (core/features/text_sketch.hpp). A text without words is near none.
struct Nearness {
    TextUnit unit;
    double similarity;
    int radius;
};

// Compares two values of type text, which may be toasted. Each is read at most once, and only one of them if the other is
// kept. If none is, the first one is kept instead of the second if it was compared before, too.
bool near_texts(Datum a, Datum b, Nearness least);

// Compares a text, or a value of type text, with `center`, which is kept.
bool near_kept_text(TextBytes text, TextBytes center, Nearness least);
bool near_kept_text(Datum text, TextBytes center, Nearness least);

} // namespace simhash
