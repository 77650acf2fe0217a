#include "am/inspect/index_stats.hpp"
#include "am/signatures/list_build.hpp"
#include "am/signatures/signature_kind.hpp"

namespace simhash
{

namespace
{

void count_store_page(const IndexMeta &meta, const char *page, Counts *counts)
{
    counts->store++;
    if (!(page_tail(page)->flags & kPlanePage))
        return;
    int slots = signature_meta(meta).shape().rows(), used = 0;
    for (int slot = 0; slot < slots; slot++)
        used += plane_uses(page, slot);
    counts->segments++;
    counts->free_slots += slots - used;
    if (meta.tables == 0)
        counts->rows += used;
}

void describe(const IndexMeta &meta, Traits *traits)
{
    for (int i = 0; i < meta.tables; i++)
        traits->value[Traits::header_bits + i] = signature_meta(meta).layout.header_bits(i);
}

// Lists suit about twice or half as many rows as they were made for.
bool other_lists(std::uint32_t wanted, std::uint32_t made) { return wanted > 2 * made || made > 2 * wanted; }

bool options_changed(const IndexOptions &options, const IndexMeta &meta, double rows)
{
    return signature_tables(options, meta.bits) != meta.tables ||
           (rows > 0 && other_lists(wanted_lists(options, rows), signature_meta(meta).lists.wanted));
}

} // namespace

const StatsKind kSignatureStats = {
    .count_page = count_store_page,
    .describe = describe,
    .options_changed = options_changed,
};

} // namespace simhash
