// A sample of a build's rows, from which the order of the bits is chosen.
#pragma once

#include "am/fingerprints/fingerprint_meta.hpp"

namespace simhash
{

// A row is in the sample if a hash of its tid begins with `level` zero bits, where level is as low as the
// sample's size allows. So the sample depends only on the table's rows: not on the order in which they are
// read, nor on which process reads them.
struct Sample {
    static constexpr int kSize = 1 << 16;
    int level;
    int count;
    Position row[kSize]; // key: the fingerprint
};

Sample *make_sample();
void add_to_sample(Sample *sample, Position row);
void raise_sample_level(Sample *sample, int level);

// The contents of the metapage, with the bit order that suits the sample.
MetaData plan_index(const IndexOptions &options, double rows, const Sample &sample);

} // namespace simhash
