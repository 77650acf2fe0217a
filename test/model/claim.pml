/*
 * How an unused page becomes a leaf of another tree while old links lead to it (src/am/README.md, "Using the page again").
 * A writer locks a leaf of tree 1 and then one of tree 2, by an old link to page X. A splitter holds a leaf of tree 2, with
 * which it may be waited for, takes X for tree 1, and then waits for the leaf of tree 1. Locks are taken in the order of the
 * trees, so nobody may wait for X under a lock of tree 1 unless X belongs to tree 2. Spin reports a deadlock as an invalid
 * end state.
 */
byte tree = 2;          /* of page X; both are read without a lock */
bool deleted;
byte pins;
bool locked;            /* page X */
bool first;             /* the leaf of tree 1 that the writer has locked */

/* VACUUM deletes page X, if nobody has pinned it. If either this or the split below looks at the pins, nobody waits; so
 * BREAK_unused_pin breaks both. */
active proctype Vacuum() {
    atomic {
        if
#ifdef BREAK_unused_pin
        :: !locked -> deleted = true
#else
        :: pins == 0 && !locked -> deleted = true
#endif
        :: else
        fi
    }
}

/* An insert: it has located X as its leaf of tree 2, pins it, and locks its leaf of tree 1. */
active proctype Writer() {
    bool stale;
    pins++;
    atomic { !first; first = true };
    /* Before it waits for X it looks, without a lock, whether X is in use and of its tree: in this order. */
#if defined(BREAK_look_order)
    stale = (tree != 2);
    if :: deleted -> stale = true :: else fi;
#elif !defined(BREAK_unlocked_look)
    stale = deleted;
    if :: tree != 2 -> stale = true :: else fi;
#endif
    if
    :: stale
    :: else ->
        atomic { !locked; locked = true };
        stale = deleted || tree != 2;
        locked = false
    fi;
    first = false;
    pins--
}

/* A split in tree 1 uses X: it locks X, gives it to its tree while it is still marked as deleted, and then finds that the
 * leaf to split is the one that the writer has locked. */
active proctype Split() {
    bool claimed;
    atomic {
        if
#ifdef BREAK_unused_pin
        :: deleted && !locked -> locked = true; claimed = true
#else
        :: deleted && !locked && pins == 0 -> locked = true; claimed = true
#endif
        :: else
        fi
    }
    if
    :: claimed ->
#ifdef BREAK_claim_order
        deleted = false;
        tree = 1;
#else
        tree = 1;
        deleted = false;
#endif
        atomic { !first; first = true };
        first = false;
        locked = false
    :: else
    fi
}
