// What simhash_index_check does for fingerprints: counts the entries that some trees have, and others lack.
#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/inspect/buckets.hpp"

#include "pg/server/postgres.hpp"

namespace simhash
{

namespace
{

// Subtracts the entries of a tree from the sums, or adds them.
void sum_tree(const Check &check, int tree, bool add, SumBuckets *buckets)
{
    visit_entries(check, tree, [&](BlockNumber, const LeafEntry &entry) {
        uint64 hash = entry_hash(check, check.index.meta->word(tree, entry.key.word[0]), entry.tid);
        buckets->sum[buckets->at(entry.tid)] += add ? hash : 0 - hash;
    });
}

// The buckets in which some trees differ from the first.
SumBuckets differing_buckets(const Check &check)
{
    SumBuckets buckets = make_buckets(bucket_bits(check.entries[0]));
    for (int tree = 1; tree < check.index.meta->trees; tree++) {
        if (check.sum[tree] == check.sum[tree - 1])
            continue;
        sum_tree(check, 0, true, &buckets);
        sum_tree(check, tree, false, &buckets);
        buckets.mark();
    }
    return buckets;
}

// Counts the trees that have a row's entry, and sets *first to the first of them.
int count_holders(const Check &check, std::uint64_t word, std::uint64_t tid, int *first)
{
    int holders = 0;
    for (int tree = check.index.meta->trees - 1; tree >= 0; tree--) {
        if (!has_entry(check, tree, {{check.index.meta->key(tree, word), 0}}, tid))
            continue;
        *first = tree;
        holders++;
    }
    return holders;
}

// Counts entries that exist in some trees but not in others. An aborted insert or a cancelled VACUUM leaves
// them behind.
void count_partial_entries(Check *check)
{
    bool equal = true;
    for (int tree = 1; tree < check->index.meta->trees; tree++)
        equal = equal && check->entries[tree] == check->entries[0] && check->sum[tree] == check->sum[0];
    if (equal)
        return;
    SumBuckets buckets = differing_buckets(*check);
    for (int tree = 0; tree < check->index.meta->trees; tree++) {
        visit_entries(*check, tree, [&](BlockNumber, const LeafEntry &entry) {
            if (!buckets.differs[buckets.at(entry.tid)])
                return;
            int first = -1, holders = count_holders(*check, check->index.meta->word(tree, entry.key.word[0]),
                                                    entry.tid, &first);
            if (first == tree && holders < check->index.meta->trees)
                check->partial_entries++;
        });
    }
    free_buckets(buckets);
}

std::uint64_t fingerprint_word(const Check &, Datum value) { return datum_fingerprint(value); }

} // namespace

const CheckKind kFingerprintCheck = {
    .check_pages = nullptr,
    .is_stored = nullptr,
    .check_tid = check_heap_tid,
    .compare_trees = count_partial_entries,
    .word = fingerprint_word,
    .stored_sum = nullptr,
    .visit_store = nullptr,
    .check_stored = nullptr,
};

} // namespace simhash
