// The lists of an index: a backend's copy of their centers, and the pages that hold them.
//
// Centers never change between two builds. So a copy is valid as long as the metapage that the index's relcache entry holds:
// an invalidation removes both. No pointer to a copy is kept where invalidations are accepted, which is where a heavyweight
// lock is taken or a catalog is read.
//
// Chains. core/page/store_page.hpp describes them. An insert looks for a free slot on the first two pages of
// its list, since new pages become the second one, and then from the page on that the first page names, which VACUUM sets.
// What it has passed in vain it excludes from the next search, unless VACUUM has opened the list again meanwhile. If there is
// no free slot it links a page that belongs to no list. VACUUM takes empty pages out of chains, all but the first. Who was on
// the way to one finds that the page has left the list, and begins anew: so a walk of a chain misses no row that its snapshot
// sees. Locks on the pages of a chain are taken after that of the plane page of the row's slot: of an insert, first that of
// the row's page, which is in no chain yet, then that of the first page; of VACUUM, in the order of the chain.
#pragma once

#include "am/signatures/store.hpp"

#include "core/likely/list_centers.hpp"

namespace simhash
{

struct Lists : CenterSet {
    const BlockNumber *head; // the first page of each list
    std::uint16_t *distance; // memory for nearest_list and nearest_lists
    std::uint32_t *order;    // for the latter
};

// The lists of an index that has some. Makes a copy if necessary.
const Lists &lists_of(Relation index, const SignatureMeta &meta);

// Writes the list pages of a build. Returns the first.
BlockNumber write_list_pages(Relation index, const CenterSet &set, const BlockNumber *head);

// Reads and locks a page of a list as read_store_page does, and checks that it belongs to it.
Buffer read_list_page(Relation index, const StoreShape &shape, BlockNumber block, std::uint32_t list,
                      int mode, BufferAccessStrategy strategy = nullptr);

[[noreturn]] void report_circle(Relation index, BlockNumber block);
// Raises an error if a chain does not end, when the number of its pages is a power of two and four times that of the index.
void check_chain_end(Relation index, BlockNumber block, BlockNumber pages);

// A walk of a list's chain.
struct ChainWalk {
    std::uint32_t list;
    BlockNumber block;             // the next page, kNoBlock at the end
    BlockNumber before = kNoBlock; // the page that was read last
    BlockNumber pages = 0;         // that were read
};
// Reads the next page of a walk, in share mode. Returns an invalid buffer if it has left the list since the page before was
// read. Raises an error if the chain is damaged.
Buffer read_chain_page(Relation index, const StoreShape &shape, ChainWalk *walk,
                       Snapshot snapshot = InvalidSnapshot, Buffer recent = InvalidBuffer);

// Sets the page from which inserts look for a free slot. `head` is the first page of the list, locked exclusively.
void open_list(Relation index, Buffer head, ListOpening open);

} // namespace simhash
