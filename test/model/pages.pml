/*
 * The leaves of one tree under two writers, VACUUM and a scan: splits, the union of leaves, pages that are used again, and
 * links that are out of date (src/am/README.md, "Splits" to "VACUUM"). Spin tries all interleavings.
 *
 * What runs under locks that nobody waits for is one step (atomic). A link is followed at any time after it was read, so
 * an old copy of an inner page needs no page of its own. Positions are 0 to P - 1; the root, which never splits here, has
 * for each the leaf to which its downlinks lead. A lock is exclusive: shared ones last one step.
 *
 * Each macro BREAK_name breaks the protocol as the mutation `name` of test/mutants/list breaks the code, if there is one.
 */
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define P 8
#define BLOCKS 7
#define CAPACITY 2
#define NONE 255
#define bit(p) (1 << (p))
#define count(s) (((s) & 1) + ((s) >> 1 & 1) + ((s) >> 2 & 1) + ((s) >> 3 & 1) + ((s) >> 4 & 1) + ((s) >> 5 & 1) + \
    ((s) >> 6 & 1) + ((s) >> 7 & 1))
#define part(s, from, to) ((s) & ((1 << (to)) - (1 << (from))))

typedef Leaf {
    byte low, high, right;  /* the range, without high; the right sibling or NONE */
    byte entries;           /* bit p: the position p */
    bool deleted, unfinished, locked;
    byte pins               /* of scans that rely on them */
}
Leaf leaf[BLOCKS];
byte down[P];               /* the root */
byte blocks;                /* the length of the file */
byte unused;                /* the free space map: bit b, a deleted page */
bool walking;               /* VACUUM's lock against splits that move entries to an earlier block ... */
byte earlier_splits;        /* ... which hold it in share mode */
byte dead, freed;           /* entries whose rows no snapshot sees; and whose tids may be those of other rows */
byte kept;                  /* entries that are there from the beginning to the end */
byte inserted;
byte running;               /* processes */

/* Counted in a run of its own (-DRESTARTS=20): it multiplies the states. */
#ifdef RESTARTS
#define start_again() restarts++; assert(restarts < RESTARTS)
#else
#define start_again() skip
#endif

/* A place: the leaf to which the root leads for a position, and the range that it gives it. */
inline find(position, block, lower, upper) {
    d_step {
        block = down[position];
        lower = position;
        do :: lower > 0 && down[lower - 1] == block -> lower-- :: else -> break od;
        upper = position;
        do :: upper < P && down[upper] == block -> upper++ :: else -> break od
    }
}

#ifdef BREAK_scan_deleted
#define begins(b, lower) true
#else
#define begins(b, lower) (leaf[b].low == lower)
#endif
/* Whether a locked leaf is that of a place, or what splits have left of it. */
#define reached(b, lower, upper) (!leaf[b].deleted && begins(b, lower) && leaf[b].high <= upper && \
    !(leaf[b].unfinished && leaf[b].high >= upper))

/* Locks the leaf of a position exclusively: settles to the right, finishes splits, starts again from stale links. */
inline lock_leaf(position) {
    skip;
again: skip;
    find(position, b, lower, upper);
#ifdef BREAK_copy_deleted
retry: skip;
#endif
    atomic {
        !leaf[b].locked;
        if
        :: !reached(b, lower, upper) -> start_again();
#ifdef BREAK_copy_deleted
            goto retry
#else
            goto again
#endif
        :: else -> leaf[b].locked = true
        fi
    }
settled:
    if
#ifndef BREAK_split_unfinished
    :: leaf[b].unfinished -> finish(b); goto again
#endif
#ifdef BREAK_insert_right
    :: !leaf[b].unfinished -> skip
#else
    :: position >= leaf[b].high && !leaf[b].unfinished ->
        atomic { r = leaf[b].right; upper = leaf[b].high; leaf[b].locked = false; b = r };
        atomic {
            !leaf[b].locked;
            if
            :: leaf[b].deleted || leaf[b].low > upper || leaf[b].high <= upper -> goto again
            :: else -> leaf[b].locked = true; goto settled
            fi
        }
    :: position < leaf[b].high && !leaf[b].unfinished -> skip
#endif
#ifdef BREAK_split_unfinished
    :: leaf[b].unfinished -> skip
#endif
    fi
}

/* The second step of a split: the downlink of the right sibling of a locked leaf, which is released. */
inline finish(e) {
    atomic {
        assert(down[leaf[e].low] == e);
#ifndef BREAK_split_mark
        assert(down[leaf[e].high] == e);    /* not yet that of the sibling */
#endif
        i = leaf[e].high;
        do :: i < P && down[i] == e -> down[i] = leaf[e].right; i++ :: else -> break od;
        i = 0;
        leaf[e].unfinished = false;
        leaf[e].locked = false
    }
}

/* The page for the right half of leaf e, which is locked: an unused one, or a new one at the end. */
inline take_page(e) {
    earlier = false;
    atomic {
        n = 0;
        do :: n < BLOCKS && !(unused & bit(n)) -> n++ :: else -> break od;
        if
#ifndef BREAK_unused_in_front
        :: n < BLOCKS && n <= e && walking -> n = NONE      /* the map keeps it */
#endif
        :: n < BLOCKS && n <= e && !walking -> unused = unused & ~bit(n); earlier = true; earlier_splits++
#ifdef BREAK_unused_in_front
        :: n < BLOCKS && n <= e && walking -> unused = unused & ~bit(n)
#endif
        :: n < BLOCKS && n > e -> unused = unused & ~bit(n)
        :: n == BLOCKS -> n = NONE
        fi
    }
    if
    :: n != NONE ->
        atomic {
            if
            :: leaf[n].deleted && !leaf[n].locked && leaf[n].pins == 0 -> leaf[n].locked = true
            :: else ->                                      /* in use after all */
                if :: earlier -> earlier_splits--; earlier = false :: else fi;
                n = NONE
            fi
        }
    :: else
    fi;
    if :: n == NONE -> atomic { assert(blocks < BLOCKS); n = blocks; blocks++; leaf[n].locked = true } :: else fi
}

proctype Writer(byte position) {
    byte b, r, n, i, lower, upper;
    bool earlier;
#ifdef RESTARTS
    byte restarts;
#endif
insert: skip;
    lock_leaf(position);
    if
    :: count(leaf[b].entries) < CAPACITY ->
        atomic {
            leaf[b].entries = leaf[b].entries | bit(position);
            inserted = inserted | bit(position);
            leaf[b].locked = false;
            b = 0; r = 0; n = 0; lower = 0; upper = 0
        }
    :: else ->
        atomic { r = 0; lower = 0; upper = 0 }
        take_page(b);
        atomic {
            /* The cut is in front of the last entry, or of the new one behind it. */
            i = leaf[b].high - 1;
            do :: !(leaf[b].entries & bit(i)) -> i-- :: else -> break od;
            if :: position > i -> i = position :: else fi;
            leaf[n].low = i;
            leaf[n].high = leaf[b].high;
#ifdef BREAK_split_link
            leaf[n].right = NONE;
#else
            leaf[n].right = leaf[b].right;
#endif
            leaf[n].entries = part(leaf[b].entries, i, P);
            leaf[n].deleted = false;
            leaf[n].unfinished = leaf[b].unfinished && false;
            leaf[b].high = i;
            leaf[b].right = n;
            leaf[b].entries = part(leaf[b].entries, 0, i);
#ifndef BREAK_split_mark
            leaf[b].unfinished = true;
#endif
            i = 0;
            leaf[n].locked = false;
            n = 0;
            if :: earlier -> earlier_splits--; earlier = false :: else fi
        }
        if
        :: finish(b)
        :: atomic { leaf[b].locked = false }                /* an error, as if the file could not be extended */
        fi;
        goto insert
    fi;
    running--
}

/* A scan of all positions. It locates all ranges first, and then reads each from left to right. */
proctype Scan(bool keeps_pins) {
    byte place[P], b, r, lower, upper, position, end, found, taken;
#ifdef RESTARTS
    byte restarts;
#endif
    d_step {
        position = 0;
        do :: position < P -> place[position] = down[position]; position++ :: else -> break od;
        position = 0
    }
    do
    :: position < P ->
        d_step {    /* the next range */
            lower = position;
            b = place[position];
            end = position;
            do :: end < P && place[end] == b -> end++ :: else -> break od;
            upper = end
        }
locked:
        atomic {
            !leaf[b].locked;
            if
            :: !reached(b, lower, upper) || position >= leaf[b].high -> goto descend
            :: else -> leaf[b].locked = true; goto read
            fi
        }
descend: skip;
        find(position, b, lower, upper);
        start_again();
        atomic {
            !leaf[b].locked;
            if
            :: !reached(b, lower, upper) -> goto descend
            :: else -> skip
            fi;
            /* A leaf to the right, whose downlink is missing or new. */
            do
            :: position >= leaf[b].high && !leaf[leaf[b].right].locked -> b = leaf[b].right
            :: position >= leaf[b].high && leaf[leaf[b].right].locked -> goto descend
            :: else -> break
            od;
            leaf[b].locked = true;
            goto read
        }
right:
        atomic {    /* by the link that was read with the leaf on the left */
            b = r;
            !leaf[b].locked;
            if
#ifdef BREAK_scan_link
            :: leaf[b].deleted -> goto descend
#else
            :: leaf[b].deleted || position < leaf[b].low || position >= leaf[b].high -> goto descend
#endif
            :: else -> leaf[b].locked = true
            fi
        }
read:
        atomic {
#ifdef BREAK_scan_part
            taken = leaf[b].entries;
#else
            upper = (leaf[b].high < end -> leaf[b].high : end);
            taken = part(leaf[b].entries, position, upper);
#endif
            assert((found & taken) == 0);                   /* nothing twice */
            found = found | taken;
            position = leaf[b].high;
            r = leaf[b].right;
            leaf[b].locked = false;
            if
            :: keeps_pins -> leaf[b].pins++
            :: else
            fi
        }
        if
        :: keeps_pins -> atomic {                           /* returns the rows, which have the tids that were read */
                assert((taken & freed) == 0);
                leaf[b].pins--;
                taken = 0
            }
        :: else
        fi;
        if
#ifndef BREAK_scan_right
        :: position < end -> goto right
#endif
        :: else -> d_step {     /* what is not needed any more is cleared, as it would multiply the states */
                position = end;
                do :: end > 0 -> end--; place[end] = 0 :: else -> break od;
                b = 0; r = 0; lower = 0; upper = 0; taken = 0
            }
        fi
    :: else -> break
    od;
    assert((found & kept) == kept);                         /* nothing missed */
    running--
}

/* VACUUM, once or more often. After each more rows die. */
proctype Vacuum(byte dies_later) {
    byte b, e, r, i, n, lower, upper, low, round, known, length;
#ifdef RESTARTS
    byte restarts;
#endif
    do
    :: round < ROUNDS ->
        atomic { earlier_splits == 0; walking = true; known = dead; b = 0; length = blocks }
        do
#ifdef BREAK_vacuum_length
        :: b < length ->
#else
        :: b < blocks ->
#endif
            atomic {
#if defined(BREAK_vacuum_pins)
                !leaf[b].locked;
#elif defined(BREAK_unlink_pin)
                /* With this wait alone, nothing is lost: the next walk waits for the pins of deleted pages, too. */
                !leaf[b].locked && (leaf[b].pins == 0 || leaf[b].deleted);
#else
                !leaf[b].locked && leaf[b].pins == 0;
#endif
                if
                :: leaf[b].deleted -> unused = unused | bit(b)
                :: else -> leaf[b].entries = leaf[b].entries & ~known
                fi;
                b++
            }
        :: else -> break
        od;
        atomic {
            walking = false;
            freed = freed | known;
            b = 0;
            do
            :: b < blocks -> assert(leaf[b].deleted || (leaf[b].entries & known) == 0); b++
            :: else -> break
            od;
            b = 0; length = 0
        }
        e = 0;
        do
        :: e < blocks ->
            atomic {
                if
                :: leaf[e].locked || leaf[e].deleted || leaf[e].unfinished || leaf[e].right == NONE ||
                    count(leaf[e].entries) > CAPACITY / 2 -> goto next
                :: else -> r = leaf[e].right; low = leaf[e].low
                fi
            }
            b = NONE;
            if
            :: low > 0 ->
                lock_leaf(low - 1);
                if
                :: leaf[b].right != e || leaf[b].high != low -> leaf[b].locked = false; goto next
                :: else
                fi
            :: else
            fi;
            atomic {
                if
#ifdef BREAK_unlink_pin
                :: leaf[e].locked ||
#else
                :: leaf[e].locked || leaf[e].pins > 0 ||
#endif
                    leaf[e].deleted || leaf[e].low != low || leaf[e].unfinished ||
                    count(leaf[e].entries) > CAPACITY / 2 || leaf[e].right != r || leaf[r].locked || leaf[r].deleted ||
                    leaf[r].low != leaf[e].high || count(leaf[e].entries) + count(leaf[r].entries) > CAPACITY ||
                    down[low] != e || down[leaf[e].high] != r -> skip
                :: else ->
                    i = low;
                    do :: i < leaf[e].high -> down[i] = r; i++ :: else -> break od;
                    i = 0;
#ifndef BREAK_unlink_low
                    leaf[r].low = low;
#endif
#ifndef BREAK_unlink_entries
                    leaf[r].entries = leaf[r].entries | leaf[e].entries;
#endif
#ifndef BREAK_unlink_left
                    if :: b != NONE -> leaf[b].right = r :: else fi;
#endif
                    leaf[e].entries = 0;
                    leaf[e].deleted = true;
                    unused = unused | bit(e)
                fi;
                if :: b != NONE -> leaf[b].locked = false :: else fi
            }
next:
            atomic { e++; b = 0; r = 0; low = 0; lower = 0; upper = 0 }
        :: else -> break
        od;
        atomic { round++; e = 0; dead = dead | dies_later }
    :: else -> break
    od;
    running--
}

/* In the end the leaves divide the positions among them, and each entry is in the leaf that covers it. */
inline check_tree() {
    d_step {
        b = down[0];
        p = 0;
        all = 0;
        do
        :: p < P ->
            assert(b != NONE && !leaf[b].deleted && leaf[b].low == p && leaf[b].high > p);
            assert(part(leaf[b].entries, p, leaf[b].high) == leaf[b].entries);
            assert(down[p] == b || left_unfinished);
            left_unfinished = leaf[b].unfinished;
            all = all | leaf[b].entries;
            p = leaf[b].high;
            b = leaf[b].right
        :: else -> break
        od;
        assert((all & (kept | inserted)) == (kept | inserted))
    }
}

#define set_leaf(b, from, to, next, set) leaf[b].low = from; leaf[b].high = to; leaf[b].right = next; leaf[b].entries = set
init {
    byte b, p, all, later;
    bool left_unfinished;
    atomic {
        /* Block 0 is deleted; the leaves are not in the order of their ranges. */
        leaf[0].deleted = true;
        set_leaf(3, 0, 3, 1, bit(0) | bit(2));
        set_leaf(1, 3, 6, 2, bit(4));
        set_leaf(2, 6, 8, NONE, bit(7));
        p = 0;
        do :: p < P -> down[p] = (p < 3 -> 3 : (p < 6 -> 1 : 2)); p++ :: else -> break od;
        p = 0;
        blocks = 4;
        unused = bit(0);
#ifdef DEAD
        dead = bit(DEAD); later = bit(LATER);
#else
        if :: dead = bit(4); later = bit(2) :: dead = bit(7); later = bit(4) :: dead = bit(2); later = bit(7) fi;
#endif
        kept = (bit(0) | bit(2) | bit(4) | bit(7)) & ~(dead | later);
        running = 4;
        run Writer(1);
#ifdef ONE_WRITER
        running--;
#elif defined(WRITES)
        run Writer(WRITES);
#else
        if :: run Writer(3) :: run Writer(5) :: run Writer(6) fi;
#endif
        run Vacuum(later);
#ifdef PINS
        run Scan(PINS);
#else
        if :: run Scan(false) :: run Scan(true) fi;
#endif
        later = 0
    }
    running == 0;
    check_tree()
}
