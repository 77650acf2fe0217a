// What simhash_index_check does for signatures: it checks the signature store, and that each tree has exactly the
// entries of the rows in it.
//
// An insert adds the row to the store before it adds entries to the trees, and VACUUM removes the entries before it
// frees the slot. So a row may lack entries, but an entry never lacks its row.
#include "am/index/heap_tid.hpp"
#include "am/inspect/buckets.hpp"
#include "am/signatures/lists.hpp"
#include "am/signatures/signature_kind.hpp"
#include "am/signatures/store.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr char kNoSuchList[] = "The page belongs to a list that does not exist.";

// The kind's memory of a check.
struct StoreCheck {
    Segments segments;
    int64 rows;
    uint64 row_sum;        // of the hashes of the rows
    uint64 sum[kMaxTrees]; // of the entries that the trees should have
};

StoreCheck *store_of(const Check &check) { return static_cast<StoreCheck *>(check.own); }
const SignatureMeta &meta_of(const Check &check) { return signature_meta(*check.index.meta); }

// A hash of a signature, which stands for it in the sums of the check.
std::uint64_t signature_word(const Check &check, const std::uint8_t *signature)
{
    const Size bytes = meta_of(check).layout.bytes();
    std::uint64_t hash = check.salt;
    for (Size at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, signature + at, Min(sizeof(word), bytes - at));
        hash = (hash ^ word) * kSplitMixStep;
        hash ^= hash >> 32;
    }
    return hash;
}

LeafKey key_of(const Check &check, int tree, const std::uint8_t *signature)
{
    LeafKey key = {};
    signature_key(meta_of(check).layout, tree, signature, key.word);
    return key;
}

template <typename Visit> void visit_maps(const Check &check, Visit visit)
{
    for (BlockNumber block = meta_of(check).map; block != kNoBlock;) {
        CHECK_FOR_INTERRUPTS();
        visit(block);
        Buffer buffer =
            read_store_page(check.index, meta_of(check).shape(), block, kMapPage, BUFFER_LOCK_SHARE);
        block = page_tail(buffer_page(buffer))->right;
        UnlockReleaseBuffer(buffer);
    }
}

// Copies the pages of a segment. The plane page stays locked meanwhile, so that replay does not change the others.
void copy_segment(const Check &check, BlockNumber plane, char *copy)
{
    StoreShape shape = meta_of(check).shape();
    Buffer first = InvalidBuffer;
    for (int i = 0; i < shape.pages(); i++) {
        Buffer buffer = read_store_page(check.index, shape, plane + static_cast<BlockNumber>(i),
                                        i == 0 ? kPlanePage : kBodyPage, BUFFER_LOCK_SHARE);
        std::memcpy(copy + BLCKSZ * i, buffer_page(buffer), BLCKSZ);
        if (i == 0)
            first = buffer;
        else
            UnlockReleaseBuffer(buffer);
    }
    UnlockReleaseBuffer(first);
}

const char *check_row(Check *check, const std::uint8_t *signature, std::uint64_t tid,
                      const std::uint64_t *sketch)
{
    const SignatureLayout &layout = meta_of(*check).layout;
    if (check_heap_tid(check, tid) != nullptr)
        return "A row has an invalid tid.";
    if (layout.bits % 8 != 0 && (signature[layout.bytes() - 1] & 0xFF >> layout.bits % 8) != 0)
        return "A signature has bits beyond its end.";
    std::uint64_t expected[2];
    signature_sketch(layout, signature, expected);
    if (expected[0] != sketch[0] || expected[1] != sketch[1])
        return "A sketch differs from that of its signature.";
    return nullptr;
}

void count_row(Check *check, const std::uint8_t *signature, std::uint64_t tid, std::uint64_t position)
{
    StoreCheck *store = store_of(*check);
    store->rows++;
    store->row_sum += entry_hash(*check, signature_word(*check, signature), tid);
    for (int tree = 0; tree < check->index.meta->trees; tree++)
        store->sum[tree] += entry_hash(*check, key_of(*check, tree, signature), position);
}

void check_list(const Check &check, BlockNumber block, std::uint32_t list, const std::uint8_t *signature)
{
    if (list >= meta_of(check).lists.lists)
        report_corruption(check.index, block, kNoSuchList);
    const Lists &lists = lists_of(check.index, meta_of(check));
    if (nearest_list(lists, find_distances, signature, lists.distance) != list)
        report_corruption(check.index, block, "A row is not in the list of the nearest center.");
}

void check_body(Check *check, BlockNumber block, const char *page, const char *plane, BlockNumber plane_block,
                int first)
{
    StoreShape shape = meta_of(*check).shape();
    if (page_tail(page)->right != plane_block)
        report_corruption(check->index, block, "The page does not refer to its plane page.");
    int count = body_count(page), sketches = std::clamp(plane_count(plane) - first, 0, shape.body_rows);
    // Pages of lists need not be full before the next one gets rows.
    if (meta_of(*check).lists.lists == 0 ? count != sketches : count > sketches)
        report_corruption(check->index, block, "The numbers of signatures and of sketches differ.");
    for (int slot = count; slot < sketches; slot++) {
        if (plane_uses(plane, first + slot))
            report_corruption(check->index, block, "A slot is in use on one of two pages only.");
    }
    for (int slot = 0; slot < count; slot++) {
        std::uint64_t tid = body_tid(page, slot);
        if ((tid != kNoRow) != plane_uses(plane, first + slot))
            report_corruption(check->index, block, "A slot is in use on one of two pages only.");
        if (tid == kNoRow)
            continue;
        const std::uint8_t *signature = body_signature(page, shape.bytes, slot);
        const char *fault = check_row(check, signature, tid, plane_sketches(plane) + 2 * (first + slot));
        if (fault != nullptr)
            report_corruption(check->index, block, fault);
        if (meta_of(*check).lists.lists > 0 || body_list(page) != kNoList)
            check_list(*check, block, body_list(page), signature);
        count_row(check, signature, tid, store_position(block, slot));
    }
}

void check_segment(Check *check, BlockNumber plane, char *copy)
{
    StoreShape shape = meta_of(*check).shape();
    for (int i = 0; i < shape.pages(); i++)
        reach_page(check, plane + static_cast<BlockNumber>(i));
    copy_segment(*check, plane, copy);
    for (int body = 0; body < shape.bodies; body++)
        check_body(check, plane + 1 + static_cast<BlockNumber>(body), copy + BLCKSZ * (body + 1), copy, plane,
                   body * shape.body_rows);
}

void reach_list_pages(Check *check)
{
    for (BlockNumber block = meta_of(*check).lists.page; block != kNoBlock;) {
        reach_page(check, block);
        Buffer buffer =
            read_store_page(check->index, meta_of(*check).shape(), block, kListPage, BUFFER_LOCK_SHARE);
        block = page_tail(buffer_page(buffer))->right;
        UnlockReleaseBuffer(buffer);
    }
}

// Follows the chain of a list, and calls visit(block) for its pages until that returns false. Returns false if a page has left
// the list meanwhile.
template <typename Visit> bool follow_chain(const Check &check, std::uint32_t list, Visit visit)
{
    StoreShape shape = meta_of(check).shape();
    ChainWalk walk = {list, lists_of(check.index, meta_of(check)).head[list]};
    while (walk.block != kNoBlock && visit(walk.block)) {
        Buffer buffer = read_chain_page(check.index, shape, &walk);
        if (!BufferIsValid(buffer))
            return false;
        UnlockReleaseBuffer(buffer);
        failpoint(Failpoint::check_page);
    }
    return true;
}

struct ListedPage {
    std::uint32_t list;
    XLogRecPtr lsn;

    bool operator==(const ListedPage &) const = default;
};

ListedPage read_listed(const Check &check, BlockNumber block)
{
    Buffer buffer = read_store_page(check.index, meta_of(check).shape(), block, kBodyPage, BUFFER_LOCK_SHARE);
    const ListedPage listed = {body_list(buffer_page(buffer)), PageGetLSN(buffer_page(buffer))};
    UnlockReleaseBuffer(buffer);
    if (listed.list != kNoList && listed.list >= meta_of(check).lists.lists)
        report_corruption(check.index, block, kNoSuchList);
    return listed;
}

bool chain_has(const Check &check, std::uint32_t list, BlockNumber block)
{
    bool found = false;
    while (!found && !follow_chain(check, list, [&](BlockNumber at) {
        found = at == block;
        return !found;
    }))
        continue;
    return found;
}

// Whether a page is in no list, or in the chain of its list. Inserts and VACUUM change that with a lock on its plane page,
// which is only taken for a page that was not found without. On a standby the page's LSN tells.
bool is_chained(const Check &check, BlockNumber plane_block, BlockNumber block)
{
    ListedPage page, after = read_listed(check, block);
    if (after.list == kNoList || chain_has(check, after.list, block))
        return true;
    Buffer plane =
        read_store_page(check.index, meta_of(check).shape(), plane_block, kPlanePage, BUFFER_LOCK_SHARE);
    bool found;
    do {
        page = after;
        found = page.list == kNoList || chain_has(check, page.list, block);
        after = read_listed(check, block);
    } while (!found && after != page);
    UnlockReleaseBuffer(plane);
    return found;
}

// Each page of a list is in its chain. Pages that come to one after the walk are looked for again.
void check_chains(const Check &check)
{
    StoreShape shape = meta_of(check).shape();
    const Segments &segments = store_of(check)->segments;
    const auto bodies = static_cast<Size>(shape.bodies);
    auto *chained = allocate_huge<bool>(segments.count * bodies, CurrentMemoryContext, MCXT_ALLOC_ZERO);
    const auto note = [&](BlockNumber block) {
        SegmentSlot at;
        if (find_slot(segments, shape, store_position(block, 0), &at))
            chained[at.segment * bodies + static_cast<Size>(at.slot / shape.body_rows)] = true;
        return true;
    };
    for (std::uint32_t list = 0; list < meta_of(check).lists.lists; list++) {
        while (!follow_chain(check, list, note))
            continue;
    }
    for (Size i = 0; i < segments.count * bodies; i++) {
        CHECK_FOR_INTERRUPTS();
        const BlockNumber plane = segments.plane[i / bodies],
                          block = plane + 1 + static_cast<BlockNumber>(i % bodies);
        if (!chained[i] && !is_chained(check, plane, block))
            report_corruption(check.index, block, "The page is not in the chain of its list.");
    }
    pfree(chained);
}

void check_store(Check *check)
{
    visit_maps(*check, [check](BlockNumber block) { reach_page(check, block); });
    check->own = allocate_zero<StoreCheck>();
    store_of(*check)->segments = read_segments(check->index, meta_of(*check));
    auto *copy = allocate<char>(BLCKSZ * kMostImages);
    for (Size i = 0; i < store_of(*check)->segments.count; i++) {
        CHECK_FOR_INTERRUPTS();
        check_segment(check, store_of(*check)->segments.plane[i], copy);
    }
    pfree(copy);
    check->stored = store_of(*check)->rows;
    if (meta_of(*check).lists.lists > 0) {
        reach_list_pages(check);
        check_chains(*check);
    }
}

// Reads the list of segments again. A row gets entries after its segment has got its place there.
void read_new_segments(Check *check)
{
    pfree(store_of(*check)->segments.plane);
    store_of(*check)->segments = read_segments(check->index, meta_of(*check));
}

// Whether a page belongs to a segment, or is a map page, now.
bool is_stored(Check *check, BlockNumber block)
{
    read_new_segments(check);
    const Segments &segments = store_of(*check)->segments;
    const BlockNumber *begin = segments.plane,
                      *after = std::upper_bound(begin, begin + segments.count, block);
    if (after > begin && block - after[-1] < static_cast<BlockNumber>(meta_of(*check).shape().pages()))
        return true;
    bool found = false;
    visit_maps(*check, [&](BlockNumber map) { found |= map == block; });
    return found;
}

// Returns what is wrong with an entry's store position, or null.
const char *check_position(Check *check, std::uint64_t position)
{
    SegmentSlot at;
    const StoreShape shape = meta_of(*check).shape();
    if (find_slot(store_of(*check)->segments, shape, position, &at))
        return nullptr;
    read_new_segments(check);
    return find_slot(store_of(*check)->segments, shape, position, &at)
               ? nullptr
               : "An entry refers to no slot of the signature store.";
}

// Calls visit(position, tid, signature) for each row of the store.
template <typename Visit> void visit_slots(const Check &check, Visit visit)
{
    // If others write, rows that the snapshot sees may be in new segments.
    const Segments segments =
        check.still ? store_of(check)->segments : read_segments(check.index, meta_of(check));
    PGAlignedBlock copy;
    visit_rows(check.index, meta_of(check).shape(), segments, copy.data, visit);
    if (!check.still)
        pfree(segments.plane);
}

std::uint64_t value_word(const Check &check, Datum value)
{
    return signature_word(check, indexed_signature(check.index, meta_of(check), value));
}

uint64 stored_sum(const Check &check) { return store_of(check)->row_sum; }

void visit_store(const Check &check, VisitRow visit, void *context)
{
    visit_slots(check, [&](std::uint64_t position, std::uint64_t tid, const std::uint8_t *signature) {
        visit(position_block(position), signature_word(check, signature), tid, context);
    });
}

// Marks the buckets of positions in which a tree does not have exactly the entries of the rows in the store. Returns
// whether there are any. Fills *buckets then.
bool trees_differ(const Check &check, SumBuckets *buckets)
{
    bool any = false;
    for (int tree = 0; tree < check.index.meta->trees; tree++) {
        // If the sums are equal, a tree has exactly the entries of the rows in the store.
        if (check.sum[tree] == store_of(check)->sum[tree])
            continue;
        if (!any)
            *buckets = make_buckets(bucket_bits(store_of(check)->rows));
        any = true;
        visit_slots(check, [&](std::uint64_t position, std::uint64_t, const std::uint8_t *signature) {
            buckets->sum[buckets->at(position)] +=
                entry_hash(check, key_of(check, tree, signature), position);
        });
        visit_entries(check, tree, [&](BlockNumber, const LeafEntry &entry) {
            buckets->sum[buckets->at(entry.tid)] -= entry_hash(check, entry.key, entry.tid);
        });
        buckets->mark();
    }
    return any;
}

// Returns what is wrong with an entry, which refers to a slot of the store, or null.
const char *check_reference(const Check &check, int tree, LeafKey key, std::uint64_t position)
{
    StoreShape shape = meta_of(check).shape();
    Buffer buffer =
        read_store_page(check.index, shape, position_block(position), kBodyPage, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    int slot = position_slot(position);
    const char *fault = nullptr;
    if (slot < 0 || slot >= body_count(page) || body_tid(page, slot) == kNoRow)
        fault = "An entry refers to a slot that is not in use.";
    else if (key_of(check, tree, body_signature(page, shape.bytes, slot)) != key)
        fault = "An entry's key differs from that of its signature.";
    UnlockReleaseBuffer(buffer);
    return fault;
}

void check_references(const Check &check, const SumBuckets &buckets)
{
    for (int tree = 0; tree < check.index.meta->trees; tree++) {
        if (check.sum[tree] == store_of(check)->sum[tree])
            continue;
        visit_entries(check, tree, [&](BlockNumber block, const LeafEntry &entry) {
            const char *fault = buckets.differs[buckets.at(entry.tid)]
                                    ? check_reference(check, tree, entry.key, entry.tid)
                                    : nullptr;
            if (fault != nullptr)
                report_corruption(check.index, block, fault);
        });
    }
}

// Calls visit(tree, tid) for each row of the store that a tree lacks, with the first of these.
template <typename Visit> void visit_partial_rows(const Check &check, const SumBuckets &buckets, Visit visit)
{
    visit_slots(check, [&](std::uint64_t position, std::uint64_t tid, const std::uint8_t *signature) {
        if (!buckets.differs[buckets.at(position)])
            return;
        for (int tree = 0; tree < check.index.meta->trees; tree++) {
            if (!has_entry(check, tree, key_of(check, tree, signature), position)) {
                visit(tree, tid);
                return;
            }
        }
    });
}

void compare_trees(Check *check)
{
    SumBuckets buckets;
    if (!trees_differ(*check, &buckets))
        return;
    check_references(*check, buckets);
    visit_partial_rows(*check, buckets, [&](int, std::uint64_t) { check->partial_entries++; });
    free_buckets(buckets);
}

// VACUUM frees no slot whose row the snapshot sees, so if the row is seen, the slot is still its own.
void check_stored(Check *check, RowFetch *fetch)
{
    SumBuckets buckets;
    if (!trees_differ(*check, &buckets))
        return;
    visit_partial_rows(*check, buckets, [&](int tree, std::uint64_t tid) {
        const char *fault = nullptr;
        Datum value = 0;
        bool isnull;
        if (fetch_value(fetch, Tid::unpack(tid), &value, &isnull, &fault))
            report_missing(*check, tid, tree);
    });
    free_buckets(buckets);
}

} // namespace

const CheckKind kSignatureCheck = {
    .check_pages = check_store,
    .is_stored = is_stored,
    .check_tid = check_position,
    .compare_trees = compare_trees,
    .word = value_word,
    .stored_sum = stored_sum,
    .visit_store = visit_store,
    .check_stored = check_stored,
};

} // namespace simhash
