// What simhash_index_check does for fingerprints: counts the entries that some tables have, and others lack.
#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/inspect/buckets.hpp"

#include "pg/server/postgres.hpp"

namespace simhash
{

namespace
{

// Subtracts the entries of a table from the sums, or adds them.
void sum_table(const Check &check, int table, bool add, SumBuckets *buckets)
{
    visit_entries(check, table, [&](BlockNumber, const LeafEntry &entry) {
        uint64 hash = entry_hash(check, check.index.meta->word(table, entry.key.word[0]), entry.tid);
        buckets->sum[buckets->at(entry.tid)] += add ? hash : 0 - hash;
    });
}

// The buckets in which some tables differ from the first.
SumBuckets differing_buckets(const Check &check)
{
    SumBuckets buckets = make_buckets(bucket_bits(check.entries[0]));
    for (int table = 1; table < check.index.meta->tables; table++) {
        if (check.sum[table] == check.sum[table - 1])
            continue;
        sum_table(check, 0, true, &buckets);
        sum_table(check, table, false, &buckets);
        buckets.mark();
    }
    return buckets;
}

// Counts the tables that have a row's entry, and sets *first to the first of them.
int count_holders(const Check &check, std::uint64_t word, std::uint64_t tid, int *first)
{
    int holders = 0;
    for (int table = check.index.meta->tables - 1; table >= 0; table--) {
        if (!has_entry(check, table, {{check.index.meta->key(table, word), 0}}, tid))
            continue;
        *first = table;
        holders++;
    }
    return holders;
}

// Counts entries that exist in some tables but not in others. An aborted insert or a cancelled VACUUM leaves
// them behind.
void count_partial_entries(Check *check)
{
    bool equal = true;
    for (int table = 1; table < check->index.meta->tables; table++)
        equal = equal && check->entries[table] == check->entries[0] && check->sum[table] == check->sum[0];
    if (equal)
        return;
    SumBuckets buckets = differing_buckets(*check);
    for (int table = 0; table < check->index.meta->tables; table++) {
        visit_entries(*check, table, [&](BlockNumber, const LeafEntry &entry) {
            if (!buckets.differs[buckets.at(entry.tid)])
                return;
            int first = -1, holders = count_holders(*check, check->index.meta->word(table, entry.key.word[0]),
                                                    entry.tid, &first);
            if (first == table && holders < check->index.meta->tables)
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
