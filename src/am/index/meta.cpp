#include "am/index/meta.hpp"

#include "am/index/kind.hpp"
#include "am/index/strategy.hpp"
#include "core/layout/key_order.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/index.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/sinval.h"
#include "storage/standby.h"
#include "utils/lsyscache.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// The data in the relcache entry, in one piece of memory as the relcache requires. Behind it are the state of the kind
// and the metapage's data.
struct Cache {
    std::uint32_t number;
    BlockNumber blocks;      // known length of the index
    BlockNumber planned;     // its length when the number was new or it last doubled; 0 if that is unknown
    BlockNumber heap_blocks; // known length of the table
    Oid function[kStrategies + 1]; // of the operators, as far as known
    IndexMeta *meta;
};

constexpr Size kCacheBytes = MAXALIGN(sizeof(Cache));

std::uint32_t last_number;

Cache *cache_of(Relation index) { return static_cast<Cache *>(index->rd_amcache); }

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

// ALTER OPERATOR FAMILY may have removed or exchanged the function that makes what is stored.
void require_extraction(Relation index)
{
    const int column = value_column(index);
    if (index_getprocid(index, static_cast<AttrNumber>(column + 1), kExtractProc) ==
        class_extraction(index->rd_amhandler, index->rd_opfamily[column], index->rd_opcintype[column]))
        return;
    ereport(ERROR, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
            errmsg("the operator class of index \"%s\" lacks the support function of its type",
                   RelationGetRelationName(index)),
            errdetail("It was removed or exchanged after the index had been created."),
            errhint("Use ALTER OPERATOR FAMILY to restore it."));
}

// Returns the data in memory of the caller's context. The page is copied first: reading it may read catalogs.
IndexMeta *read_meta_page(Relation index, const IndexKind &kind)
{
    if (!block_exists(index, kMetaBlock))
        report_no_meta_page(index);
    PGAlignedBlock page;
    Buffer buffer = ReadBuffer(index, kMetaBlock);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    std::memcpy(page.data, BufferGetPage(buffer), BLCKSZ);
    UnlockReleaseBuffer(buffer);
    if (PageIsNew(page.data))
        report_no_meta_page(index);
    if (is_other_format(page.data, BLCKSZ))
        report_other_format(index);
    auto *meta = static_cast<IndexMeta *>(palloc(kind.meta_bytes));
    const char *fault = kind.read_meta(index, page.data, meta);
    if (fault != nullptr)
        report_corruption(index, kMetaBlock, fault);
    Assert(meta->kind == &kind && meta->bytes <= kind.meta_bytes);
    meta->neighbors = *page_neighbors(page.data);
    return meta;
}

} // namespace

static_assert(sizeof(PageHeaderData) == sizeof(RawPageHeader) &&
              offsetof(PageHeaderData, pd_lower) == offsetof(RawPageHeader, lower) &&
              offsetof(PageHeaderData, pd_upper) == offsetof(RawPageHeader, upper) &&
              offsetof(PageHeaderData, pd_special) == offsetof(RawPageHeader, special) &&
              offsetof(PageHeaderData, pd_pagesize_version) == offsetof(RawPageHeader, pagesize_version) &&
              offsetof(PageHeaderData, pd_prune_xid) == offsetof(RawPageHeader, block));
static_assert(BLCKSZ >= 4096, "pages below 4 kB are not supported");

void IndexMeta::sources(int tree, std::uint8_t source[kBits]) const
{
    if (tree == null_tree())
        identity_sources(source);
    else
        sources_of(*this, tree, source);
}

void report_corruption(Relation index, BlockNumber block, const char *what)
{
    ereport(ERROR, errcode(ERRCODE_INDEX_CORRUPTED),
            errmsg("index \"%s\" is corrupted at block %u", RelationGetRelationName(index), block),
            errdetail("%s", what), errhint("Please REINDEX it."));
    pg_unreachable();
}

const char *check_page_of_trees(const IndexMeta &meta, const char *page)
{
    return check_any_tree_page(page, BLCKSZ, meta.all_trees(), meta.words);
}

const char *check_any_page(const IndexMeta &meta, const char *page, BlockNumber block)
{
    const char *fault = meta.kind->check_page(meta, page);
    return fault != nullptr ? fault : check_own_block(page, block);
}

const IndexMeta *index_meta(Relation index)
{
    if (index->rd_amcache != nullptr)
        return cache_of(index)->meta;

    require_extraction(index);
    const IndexKind &kind = kind_of(index);
    IndexMeta *whole = read_meta_page(index, kind);
    const Size before = kCacheBytes + MAXALIGN(kind.state_bytes);
    auto *memory = static_cast<char *>(MemoryContextAllocZero(index->rd_indexcxt, before + whole->bytes));
    std::memcpy(memory + before, static_cast<void *>(whole), whole->bytes);
    pfree(whole);
    auto *cache = reinterpret_cast<Cache *>(memory);
    cache->number = ++last_number;
    cache->meta = reinterpret_cast<IndexMeta *>(memory + before);
    index->rd_amcache = cache;
    return cache->meta;
}

void reread_meta(Relation index)
{
    SharedInvalidationMessage message = {};
    message.rc.id = SHAREDINVALRELCACHE_ID;
    message.rc.dbId = MyDatabaseId;
    message.rc.relId = RelationGetRelid(index);
    SendSharedInvalidMessages(&message, 1);
    if (RelationNeedsWAL(index) && XLogStandbyInfoActive())
        LogStandbyInvalidations(1, &message, false);
}

void forget_meta(Relation index)
{
    if (index->rd_amcache != nullptr)
        pfree(index->rd_amcache);
    index->rd_amcache = nullptr;
}

void *kind_state(Relation index)
{
    index_meta(index);
    return static_cast<char *>(index->rd_amcache) + kCacheBytes;
}

Oid class_function(Relation index, int column, int strategy)
{
    const bool kept = column == value_column(index);
    Cache *cache = cache_of(index);
    if (kept && cache != nullptr && OidIsValid(cache->function[strategy]))
        return cache->function[strategy];
    const Oid op = class_operator(index->rd_amhandler, index->rd_opfamily[column],
                                  index->rd_opcintype[column], kept, strategy);
    const Oid function = OidIsValid(op) ? get_opcode(op) : InvalidOid;
    cache = cache_of(index); // an invalidation may have freed it
    if (kept && cache != nullptr)
        cache->function[strategy] = function;
    return function;
}

std::uint32_t cache_number(Relation index) { return cache_of(index)->number; }

void follow_growth(Relation index)
{
    index_meta(index);
    Cache *cache = cache_of(index);
    if (cache->planned == 0) {
        cache->planned = RelationGetNumberOfBlocks(index);
    } else if (cache->blocks / 2 >= cache->planned) {
        cache->planned = cache->blocks;
        cache->number = ++last_number;
    }
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

OpenIndex use_index(Relation index, MemoryContext context)
{
    const IndexMeta *meta = index_meta(index);
    auto *copy = static_cast<IndexMeta *>(MemoryContextAlloc(context, meta->bytes));
    std::memcpy(static_cast<void *>(copy), meta, meta->bytes);
    return {index, copy, cache_number(index)};
}

const OpenIndex &use_in_statement(Relation index, IndexInfo *info)
{
    if (info->ii_AmCache == nullptr) {
        info->ii_AmCache = MemoryContextAlloc(info->ii_Context, sizeof(OpenIndex));
        *static_cast<OpenIndex *>(info->ii_AmCache) = use_index(index, info->ii_Context);
    }
    return *static_cast<const OpenIndex *>(info->ii_AmCache);
}

double estimated_leaves(BlockNumber blocks, int trees)
{
    double pages = static_cast<double>(blocks) - 2 - trees; // the metapage, the page of the NULLs, the roots
    return std::max(1.0, pages / trees);
}

double index_leaves(Relation index)
{
    return estimated_leaves(RelationGetNumberOfBlocks(index), index_meta(index)->trees);
}

Buffer lock_meta_page(Relation index, int mode)
{
    Buffer buffer = ReadBuffer(index, kMetaBlock);
    lock_buffer(buffer, mode);
    const char *fault = check_page_header(BufferGetPage(buffer), BLCKSZ);
    if (fault != nullptr)
        report_corruption(index, kMetaBlock, fault);
    return buffer;
}

} // namespace simhash
