#include "am/fingerprints/sample.hpp"

namespace simhash
{

namespace
{

std::uint64_t sample_hash(Position row)
{
    std::uint64_t x = row.tid * UINT64CONST(0x9E3779B97F4A7C15);
    x = (x ^ x >> 32) * UINT64CONST(0xD6E8FEB86659FD93);
    x = (x ^ x >> 32) * UINT64CONST(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}

bool in_sample(Position row, int level) { return level == 0 || sample_hash(row) >> (64 - level) == 0; }

} // namespace

Sample *make_sample()
{
    auto *sample = allocate<Sample>();
    sample->level = 0;
    sample->count = 0;
    return sample;
}

void raise_sample_level(Sample *sample, int level)
{
    sample->level = level;
    int kept = 0;
    for (int i = 0; i < sample->count; i++) {
        if (in_sample(sample->row[i], level))
            sample->row[kept++] = sample->row[i];
    }
    sample->count = kept;
}

void add_to_sample(Sample *sample, Position row)
{
    while (in_sample(row, sample->level)) {
        if (sample->count < Sample::kSize) {
            sample->row[sample->count++] = row;
            return;
        }
        raise_sample_level(sample, sample->level + 1);
    }
}

MetaData plan_index(const IndexOptions &options, double rows, const Sample &sample)
{
    TreeDesign design;
    design_for_rows(options, rows, &design);
    auto *fingerprint = allocate<Fingerprint>(Sample::kSize);
    for (int i = 0; i < sample.count; i++)
        fingerprint[i] = sample.row[i].key;
    std::uint8_t bit_order[kBits];
    choose_bit_order(design, fingerprint, static_cast<std::size_t>(sample.count), bit_order);
    pfree(fingerprint);
    return make_meta_data(options, design, bit_order);
}

} // namespace simhash
