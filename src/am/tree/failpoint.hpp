// Failpoints: moments at which a test makes something happen that else takes luck, such as a crash between
// the two records of a split. They exist only in a build with FAILPOINTS=1; in any other they are nothing at
// all.
//
// A superuser arms them: SET simhash.failpoint = 'split-downlink=kill:3, scan-leaf=wait'. Each entry is
// name=action[:nth], the action being done the nth time (the first, unless given; 0: each time) that the
// session comes by, counted from the setting on. Actions:
//
//   error   an error
//   kill    flushes WAL and sends itself SIGKILL: what is logged so far is kept, nothing more
//   lose    sends itself SIGKILL without a flush: what is in the WAL buffers is lost
//   stop    flushes WAL and has the whole server stop immediately
//   wait    takes the advisory lock (21320, 0), shared, and lets it go: its holder decides how long that takes
//   hold    the same where the session holds a lock on a page: it polls for the advisory lock (21320, 1), and
//           gives up after a minute
//
// A wait where the session holds a lock on a page is an error instead: a lock manager's lock must not be
// waited for under one of those.
//
// A build with failpoints also has little room for copies of inner pages, and divides small tables among the
// processes of a parallel build.
#pragma once

namespace simhash
{

// Named in failpoint.cpp in the same order, with hyphens.
enum class Failpoint {
    insert,         // before the entries are added, their leaves locked
    insert_group,   // before each group of tables, nothing locked
    leaf_found,     // a descent knows its leaf, or an insert its leaves, and has not locked it
    page_extended,  // the index is longer by a page, which is not locked
    unused_found,   // a split has taken an unused page out of the free space map and has not locked it
    split_extended, // the new page is there, its record is not
    split_downlink, // between the record of a split and that of its downlink
    split_done,     // after it, nothing of the split locked
    root_extended,  // the new root's children are there, the record is not
    root_grown,     // after the root's record, still locked
    vacuum_page,    // before each block of the walk, nothing locked
    vacuum_delete,  // dead entries are about to be removed from a leaf
    build_scanned,  // the table has been scanned, nothing is written
    build_table,    // before each tree of a serial build
    build_batch,    // the index is extended for a batch, which is not logged
    build_root,     // before a tree's root is written
    scan_leaf,      // a scan knows its next leaf and has not locked it
    scan_pin,       // a scan holds a leaf's pin, not its lock
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
