// Failpoints: points in the code at which a test can trigger what would otherwise depend on luck, such as a
// crash between the two records of a split. They exist only in a build with FAILPOINTS=1; in other builds
// they compile to nothing.
//
// A superuser arms them: SET simhash.failpoint = 'split-downlink=kill:3, scan-leaf=wait'. Each entry is
// name=action[:nth]. The action is performed the nth time (1 by default; 0 means each time) that the session
// reaches the point after the setting was changed. Actions:
//
//   error   raises an error
//   cancel  cancels its own query, which goes on until it checks for that
//   kill    flushes WAL and sends itself SIGKILL: what has been logged so far is kept, and nothing more
//   lose    sends itself SIGKILL without a flush: the contents of the WAL buffers are lost
//   stop    flushes WAL and makes the whole server stop immediately
//   wait    takes and releases the advisory lock (21320, 0) in share mode: the test that holds it decides
//           how long that takes
//   hold    the same for a session that holds a lock on a page: it polls for the advisory lock (21320, 1),
//           and raises an error after a minute
//
// A wait while the session holds a lock on a page raises an error instead: a process must not wait for a lock
// of the lock manager while it holds a page lock.
//
// A build with failpoints also has little memory for copies of inner pages, divides small tables among the
// processes of a parallel build, and lists few segments on a map page.
#pragma once

namespace simhash
{

// Named in failpoint.cpp in the same order, with hyphens.
enum class Failpoint {
    insert,           // before the entries are added; their leaves are locked
    insert_group,     // before each group of trees; nothing is locked
    leaf_found,       // a descent knows its leaf, or an insert its leaves, but has not locked it
    leaf_pinned,      // an insert has pinned its leaves but locked none
    page_extended,    // the index has been extended by a page, which is not locked
    unused_found,     // a split has taken an unused page from the free space map but has not locked it
    split_extended,   // the new page exists, but the split is not logged
    split_downlink,   // between the record of a split and that of its downlink
    split_done,       // after that record; nothing of the split is locked
    root_extended,    // the new root's children exist, but the split is not logged
    root_grown,       // after the root's record; the pages are still locked
    segment_full,     // an insert has found no free slot in a segment, whose first page is locked
    segment_wanted,   // no segment has a free slot; nothing is locked
    segment_extended, // the pages of a new segment exist, but the segment is not logged
    store_insert,     // before a row is added to the store; its pages are locked
    list_searched,    // an insert has looked for a free slot in its list; nothing is locked
    list_page,        // before a page is linked into a list; its pages are locked
    old_versions,     // entries of dead rows are about to be removed by an insert; the leaf is locked
    vacuum_slots,     // dead slots are about to be freed; their entries are gone
    list_left,        // VACUUM has found an empty page that is to leave its list; nothing is locked
    list_read,        // a search has read a page of a list that is not the last; nothing is locked
    vacuum_page,      // before each block of the walk; nothing is locked
    vacuum_again,     // before each block that the walk visits again; nothing is locked
    vacuum_delete,    // dead entries are about to be removed from a leaf
    unlink_found,     // VACUUM is about to delete a page; nothing is locked
    unlink_page,      // its left sibling is locked
    unlink_right,     // and the page
    unlink_parent,    // and its right sibling
    unlink_log,       // and the parent; nothing is logged
    unlink_done,      // the page is deleted but not in the free space map; nothing is locked
    layout_step,      // a step of the choice of a layout for signatures is done
    layout_chosen,    // that choice is done
    build_scanned,    // the table has been scanned, but nothing has been written
    build_tree,       // before each tree of a serial build
    build_batch,      // the index has been extended for a batch, which is not logged
    build_root,       // before a tree's root is written
    scan_leaf,        // a scan knows its next leaf but has not locked it
    scan_pin,         // a scan holds a leaf's pin but not its lock
    side_counted,     // a join has counted the blocks of an index and its table; nothing is locked
    check_page,       // the check is about to read the next page of a level; nothing is locked
    count
};

#ifdef SIMHASH_FAILPOINTS
inline constexpr bool kFailpoints = true;
void failpoint(Failpoint);
void define_failpoints();
#else
inline constexpr bool kFailpoints = false;
inline void failpoint(Failpoint) {}
inline void define_failpoints() {}
#endif

} // namespace simhash
