// The fingerprints by which texts are indexed: one bit of each of 64 minima of a set of shingles. bench/texts compares them
// with others.
//
// Documents are compared by words. Texts are near-duplicates if the Jaccard index of their three-word shingles is at
// least .8, and their fingerprints differ in at most kNearTextRadius bits. The fingerprint is that of the two-word
// shingles, of which more survive a change, so that fewer bits differ.
//
// Titles are compared by characters: two-character shingles, and the fingerprint is that of these and of the single
// characters.
//
// Indexes store fingerprints, and constraints depend on which texts are near: neither ever changes.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/features/minhash_sketch.hpp"
#include "core/text/text_features.hpp"

namespace simhash
{

// The size of the shingles whose Jaccard index makes texts near.
inline constexpr int compared_size(TextUnit unit) { return unit == TextUnit::kWord ? 3 : 2; }
inline constexpr int kNearTextRadius = 8;
inline constexpr double kNearSimilarity = .8;

// The bits within which the fingerprints of texts with at least this Jaccard index are searched, 0 to 64. Of the pairs
// with an index of at least .5, .6, … .9, at least .97 are that near in each kind of texts, or of titles, of bench/texts.
int text_radius(TextUnit unit, double similarity);

// Reads a text piece by piece. Allocates nothing.
//
//   sketch.init(unit);
//   sketch.read_from(text, length, true);
//   while (sketch.add_some()) …
class TextSketch
{
public:
    void init(TextUnit unit);

    // Sets the next piece of the text, and whether it is the last. See TextFeatures::read_from.
    void read_from(const char *text, std::size_t length, bool last)
    {
        features_.read_from(text, length, last);
    }

    // Adds the next shingles to the set. Returns false at the end of the piece.
    bool add_some();

    // The text has no words. Then it has no fingerprint.
    bool empty() const { return sketch_.empty(); }

    // The first minimum's bit is the most significant one.
    Fingerprint fingerprint() const;

private:
    static constexpr std::size_t kBatch = 1024;

    bool read_characters(std::uint64_t *hashes, std::size_t *found);

    TextUnit unit_;
    MinhashSketch sketch_;
    std::uint64_t minima_[kBits];
    TextFeatures features_;
};

} // namespace simhash
