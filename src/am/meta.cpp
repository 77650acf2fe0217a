// The metapage: written when the index is built, checked and cached when it is first used.
#include "am/index.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace simhash
{

static_assert(sizeof(PageHeaderData) == sizeof(RawPageHeader) &&
              offsetof(PageHeaderData, pd_lower) == offsetof(RawPageHeader, lower) &&
              offsetof(PageHeaderData, pd_upper) == offsetof(RawPageHeader, upper) &&
              offsetof(PageHeaderData, pd_special) == offsetof(RawPageHeader, special) &&
              offsetof(PageHeaderData, pd_pagesize_version) == offsetof(RawPageHeader, pagesize_version));
static_assert(BLCKSZ >= 4096, "pages below 4 kB are not supported");

MetaData make_meta_data(const IndexOptions &options, const TableDesign &design,
                        const std::uint8_t bit_order[kBits])
{
    MetaData data = {};
    data.magic = kMagic;
    data.version = kFormatVersion;
    data.design = design;
    std::memcpy(data.bit_order, bit_order, kBits);
    data.fillfactor = static_cast<std::uint8_t>(options.fillfactor);
    data.target_recall = 1.0;
    return data;
}

void use_meta_data(const MetaData &data, IndexMeta *meta)
{
    meta->fillfactor = data.fillfactor;
    meta->plan.radius = -1;
    meta->order.set(data.design, data.bit_order);
}

const IndexMeta *index_meta(Relation index)
{
    if (index->rd_amcache != NULL)
        return static_cast<const IndexMeta *>(index->rd_amcache);

    Buffer buffer = ReadBuffer(index, kMetaBlock);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    MetaData data;
    const char *fault = check_meta_page(buffer_page(buffer), BLCKSZ);
    if (fault == nullptr)
        std::memcpy(&data, page_meta(buffer_page(buffer)), sizeof(data));
    UnlockReleaseBuffer(buffer);
    if (fault != nullptr)
        report_corruption(index, kMetaBlock, fault);

    // The tail of the tables is left out: see KeyOrder.
    auto *whole = static_cast<IndexMeta *>(palloc(sizeof(IndexMeta)));
    use_meta_data(data, whole);
    void *cache = MemoryContextAlloc(index->rd_indexcxt, whole->size());
    std::memcpy(cache, whole, whole->size());
    pfree(whole);
    index->rd_amcache = cache;
    return static_cast<const IndexMeta *>(cache);
}

IndexMeta *copy_index_meta(Relation index, MemoryContext context)
{
    const IndexMeta *meta = index_meta(index);
    auto *copy = static_cast<IndexMeta *>(MemoryContextAlloc(context, meta->size()));
    std::memcpy(static_cast<void *>(copy), meta, meta->size());
    return copy;
}

void index_plan(Relation index, int radius, SearchPlan *plan)
{
    // The last plan is kept: one application mostly asks for one radius. How large the index is matters
    // little, and VACUUM and ANALYZE, which invalidate the cache, bring it up to date.
    index_meta(index);
    auto *meta = static_cast<IndexMeta *>(index->rd_amcache);
    if (meta->plan.radius != radius) {
        double leaves = estimated_leaves(RelationGetNumberOfBlocks(index), meta->tables());
        SearchPlan made;
        plan_search(meta->order.design, radius, leaves, &made);
        meta->plan = made;
    }
    *plan = meta->plan;
}

} // namespace simhash
