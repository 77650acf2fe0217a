// A sample of a build's rows, from which the order of the bits is chosen.
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

// A row is in it if a hash of its tid begins with `level`
// zero bits, level being as low as the sample's size allows. So it depends on the table's rows and nothing
// else: not on the order in which they are read, nor on who reads them.
struct Sample {
    static constexpr int kSize = 1 << 16;
    int level;
    int count;
    Position row[kSize]; // key: the fingerprint
};

Sample *make_sample();
void add_to_sample(Sample *sample, Position row);
void raise_sample_level(Sample *sample, int level);

// What the metapage is to say, with the order of bits that suits the sample.
MetaData plan_index(const IndexOptions &options, const TableDesign &design, const Sample &sample);

} // namespace simhash
