// The metapage. It is written when the index is built, and checked and cached when it is first used.
#include "am/tree/index.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/index.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr int kPlans = 32;

// The data in the relcache entry, in one piece of memory as the relcache requires: the metapage, and search
// plans by radius, which are made when first needed.
struct Cache {
    std::uint32_t number;
    BlockNumber blocks;      // known length of the index
    BlockNumber heap_blocks; // known length of the table
    StorePlace store;
    SearchPlan plan[kPlans]; // radius -1 if there is none yet
    IndexMeta meta;          // truncated, see KeyOrder
};

std::uint32_t last_number;

Cache *cache_of(Relation index) { return static_cast<Cache *>(index->rd_amcache); }

} // namespace

static_assert(sizeof(PageHeaderData) == sizeof(RawPageHeader) &&
              offsetof(PageHeaderData, pd_lower) == offsetof(RawPageHeader, lower) &&
              offsetof(PageHeaderData, pd_upper) == offsetof(RawPageHeader, upper) &&
              offsetof(PageHeaderData, pd_special) == offsetof(RawPageHeader, special) &&
              offsetof(PageHeaderData, pd_pagesize_version) == offsetof(RawPageHeader, pagesize_version) &&
              offsetof(PageHeaderData, pd_prune_xid) == offsetof(RawPageHeader, block));
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
    return data;
}

void use_meta_data(const MetaData &data, IndexMeta *meta)
{
    meta->fillfactor = data.fillfactor;
    meta->wide = false;
    meta->declared = -1;
    meta->map = kNoBlock;
    meta->model = kDefaultVolatility;
    meta->fitted = data.model != 0;
    if (meta->fitted)
        std::memcpy(meta->model.share, data.model_share, sizeof(meta->model.share));
    meta->order.set(data.design, data.bit_order);
}

void use_meta_data(const SignatureMetaData &data, IndexMeta *meta)
{
    meta->fillfactor = data.fillfactor;
    meta->wide = true;
    meta->declared = -1;
    meta->map = data.map;
    meta->model = kDefaultVolatility;
    meta->fitted = false;
    meta->layout = data.layout;
}

bool is_wide_index(Relation index) { return index->rd_opcintype[0] == BITOID; }

int declared_bits(Relation index)
{
    const FormData_pg_attribute *column = TupleDescAttr(RelationGetDescr(index), 0);
    int32 length = column->atttypmod;
    return getBaseTypeAndTypmod(column->atttypid, &length) == BITOID ? length : -1;
}

void check_declared_bits(Relation index, const IndexMeta &meta)
{
    if (meta.declared < 0 || meta.declared == meta.layout.bits)
        return;
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("index \"%s\" does not have the length of its column", RelationGetRelationName(index)),
            errdetail("The index holds signatures of %d bits, and the column is declared as bit(%d).",
                      static_cast<int>(meta.layout.bits), meta.declared),
            errhint("REINDEX it, or change the type of the column back."));
}

const char *check_any_page(const IndexMeta &meta, const char *page, BlockNumber block)
{
    const char *fault = meta.wide && has_index_header(page, BLCKSZ) && is_store_page(page)
                            ? check_store_page(page, BLCKSZ, meta.shape(), 0)
                            : check_any_tree_page(page, BLCKSZ, meta.trees(), meta.words(0));
    return fault != nullptr ? fault : check_own_block(page, block);
}

StorePlace *store_place(Relation index)
{
    index_meta(index);
    return &cache_of(index)->store;
}

namespace
{

// Reads the contents of a locked metapage. Returns what is wrong with it, or null.
const char *read_meta_page(const char *page, bool wide, IndexMeta *meta)
{
    if (wide) {
        const char *fault = check_signature_meta_page(page, BLCKSZ);
        if (fault != nullptr)
            return fault;
        SignatureMetaData data;
        std::memcpy(&data, page_meta(page), page_header(page)->lower - sizeof(RawPageHeader));
        use_meta_data(data, meta);
        return nullptr;
    }
    const char *fault = check_meta_page(page, BLCKSZ);
    if (fault != nullptr)
        return fault;
    MetaData data;
    std::memcpy(&data, page_meta(page), sizeof(data));
    use_meta_data(data, meta);
    return nullptr;
}

[[noreturn]] void report_other_format(Relation index)
{
    ereport(
        ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
        errmsg("index \"%s\" has the format of another version of simhash", RelationGetRelationName(index)),
        errhint("Please REINDEX it."));
    pg_unreachable();
}

// A build writes the metapage after it has computed all values to index. An index expression or a predicate may
// contain a function that uses the index before.
[[noreturn]] void report_no_meta_page(Relation index)
{
    if (!ReindexIsProcessingIndex(RelationGetRelid(index)) &&
        index->rd_createSubid == InvalidSubTransactionId)
        report_corruption(index, kMetaBlock, "The index has no metapage.");
    ereport(ERROR, errcode(ERRCODE_OBJECT_IN_USE),
            errmsg("cannot access index \"%s\" while it is being built", RelationGetRelationName(index)));
    pg_unreachable();
}

} // namespace

const IndexMeta *index_meta(Relation index)
{
    if (index->rd_amcache != nullptr)
        return &cache_of(index)->meta;

    if (!block_exists(index, kMetaBlock))
        report_no_meta_page(index);
    // This may read catalogs, so the page is not locked yet.
    const bool wide = is_wide_index(index);
    const int declared = wide ? declared_bits(index) : -1;
    Buffer buffer = ReadBuffer(index, kMetaBlock);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    auto *whole = static_cast<IndexMeta *>(palloc(sizeof(IndexMeta)));
    const bool blank = PageIsNew(buffer_page(buffer));
    if (!blank && is_other_format(buffer_page(buffer), BLCKSZ))
        report_other_format(index);
    const char *fault = blank ? nullptr : read_meta_page(buffer_page(buffer), wide, whole);
    UnlockReleaseBuffer(buffer);
    if (blank)
        report_no_meta_page(index);
    if (fault != nullptr)
        report_corruption(index, kMetaBlock, fault);
    whole->declared = declared;

    auto *cache =
        static_cast<Cache *>(MemoryContextAlloc(index->rd_indexcxt, offsetof(Cache, meta) + whole->size()));
    std::memcpy(static_cast<void *>(&cache->meta), whole, whole->size());
    pfree(whole);
    cache->number = ++last_number;
    cache->blocks = cache->heap_blocks = 0;
    cache->store = {kNoBlock, kNoBlock};
    for (SearchPlan &plan : cache->plan)
        plan.radius = -1;
    index->rd_amcache = cache;
    return &cache->meta;
}

std::uint32_t cache_number(Relation index)
{
    return index->rd_amcache == nullptr ? 0 : cache_of(index)->number;
}

bool block_exists(Relation index, BlockNumber block)
{
    Cache *cache = cache_of(index);
    if (cache == nullptr)
        return block < RelationGetNumberOfBlocks(index);
    if (block >= cache->blocks)
        cache->blocks = RelationGetNumberOfBlocks(index);
    return block < cache->blocks;
}

bool heap_block_exists(Relation index, BlockNumber block)
{
    Cache *cache = cache_of(index);
    if (cache != nullptr && block < cache->heap_blocks)
        return true;
    Relation heap = table_open(index->rd_index->indrelid, NoLock);
    BlockNumber blocks = RelationGetNumberOfBlocks(heap);
    table_close(heap, NoLock);
    // An invalidation may have freed the cache. It is not rebuilt here, under the lock of a page.
    cache = cache_of(index);
    if (cache != nullptr)
        cache->heap_blocks = blocks;
    return block < blocks;
}

IndexMeta *copy_index_meta(Relation index, MemoryContext context)
{
    const IndexMeta *meta = index_meta(index);
    auto *copy = static_cast<IndexMeta *>(MemoryContextAlloc(context, meta->size()));
    std::memcpy(static_cast<void *>(copy), meta, meta->size());
    return copy;
}

double index_leaves(Relation index)
{
    return estimated_leaves(RelationGetNumberOfBlocks(index), index_meta(index)->tables());
}

void index_plan(Relation index, int radius, SearchPlan *plan)
{
    // The plan depends little on the size of the index. VACUUM and ANALYZE invalidate the cache, so that
    // plans follow the size.
    const IndexMeta *meta = index_meta(index);
    Cache *cache = cache_of(index);
    if (radius >= kPlans) {
        plan_search(meta->order.design, radius, index_leaves(index), plan);
        return;
    }
    if (cache->plan[radius].radius != radius)
        plan_search(meta->order.design, radius, index_leaves(index), &cache->plan[radius]);
    *plan = cache->plan[radius];
}

} // namespace simhash
