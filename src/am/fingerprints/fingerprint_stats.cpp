#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/inspect/index_stats.hpp"

namespace simhash
{

namespace
{

void describe(const IndexMeta &base, Traits *traits)
{
    const FingerprintMeta &meta = fingerprint_meta(base);
    const TableDesign &design = meta.order.design;
    for (int i = 0; i < meta.tables; i++)
        traits->value[Traits::header_bits + i] = design.table[i].header_bits;
    traits->value[Traits::distance] = design.distance;
    traits->value[Traits::fitted] = meta.fitted;
}

bool options_changed(const IndexOptions &options, const IndexMeta &meta, double rows)
{
    TableDesign design;
    design_for_rows(options, rows, &design);
    return std::memcmp(&design, &fingerprint_meta(meta).order.design, sizeof(design)) != 0;
}

} // namespace

const StatsKind kFingerprintStats = {
    .count_page = nullptr,
    .describe = describe,
    .options_changed = options_changed,
};

} // namespace simhash
