// simhash_report(table, column, distance): what a table's fingerprints tell about searching them.
#include "core/report/collection_report.hpp"
#include "core/report/every_nth.hpp"
#include "core/tables/bit_order.hpp"
#include "core/tables/table_design.hpp"
#include "pg/server/query_rows.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/server/sibling.hpp"
#include "pg/server/table_column.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

namespace simhash
{

namespace
{

constexpr Size kMostSample = 1 << 16;
constexpr Size kPairSample = 1 << 13; // rows that are compared with each other
constexpr double kLeafRows = 530;
constexpr double kWorthwhile = 0.8; // more tables must save a fifth of the pages
constexpr double kBearable = 0.1;   // false matches per search
constexpr int kReportedRadius = 16;

struct Sample {
    Size count;
    Fingerprint *row;      // in arbitrary order
    Fingerprint *distinct; // a copy without duplicates
    Size distinct_count;
    Fingerprint most_frequent;
    Size most_frequent_rows;
    double rows; // estimated number of rows with a fingerprint
    double nulls;
};

struct Report {
    Tuplestorestate *store;
    TupleDesc row;
};

void put(const Report &report, const char *topic, const char *item, double value, const char *meaning)
{
    Datum values[4] = {CStringGetTextDatum(topic), CStringGetTextDatum(item), Float8GetDatum(value),
                       CStringGetTextDatum(meaning)};
    bool nulls[4] = {};
    tuplestore_putvalues(report.store, report.row, values, nulls);
}

void put(const Report &report, const char *topic, int item, double value, const char *meaning)
{
    put(report, topic, psprintf("%d", item), value, meaning);
}

void check_kind(Relation relation)
{
    char kind = relation->rd_rel->relkind;
    if (kind != RELKIND_RELATION && kind != RELKIND_MATVIEW && kind != RELKIND_PARTITIONED_TABLE &&
        kind != RELKIND_VIEW && kind != RELKIND_FOREIGN_TABLE)
        ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
                errmsg("\"%s\" is not a table or view", RelationGetRelationName(relation)),
                errhint("Give the table and its column of type simhash."));
}

bool can_be_sampled(Relation relation)
{
    return relation->rd_rel->relkind != RELKIND_VIEW && relation->rd_rel->relkind != RELKIND_FOREIGN_TABLE;
}

char *column_query(Relation relation, const char *column, double percent)
{
    return psprintf("SELECT %s FROM %s%s", quote_identifier(column),
                    quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
                                               RelationGetRelationName(relation)),
                    percent < 100 ? psprintf(" TABLESAMPLE SYSTEM (%.17g) REPEATABLE (0)", percent) : "");
}

// Reads the column with the caller's privileges. It reads blocks with several times as many rows as the
// sample holds, and keeps every n-th row: neighbouring rows resemble each other, so rows from few blocks
// would not be representative.
void read_sample(Relation relation, const char *column, Sample *sample)
{
    double known = relation->rd_rel->reltuples;
    double percent =
        known > 16.0 * kMostSample && can_be_sampled(relation) ? 100 * 8.0 * kMostSample / known : 100;
    char *query = column_query(relation, column, percent);
    sample->row = static_cast<Fingerprint *>(palloc(sizeof(Fingerprint) * kMostSample));
    EveryNth<Fingerprint> kept(sample->row, kMostSample);
    int64 nulls = 0;
    for_each_query_row(query, [&](const QueryRow &read) {
        bool null;
        Datum value = read.column(1, &null);
        nulls += null;
        Fingerprint *row = null ? nullptr : kept.next();
        if (row != nullptr)
            *row = datum_fingerprint(value);
    });
    sample->count = kept.count();
    auto seen = static_cast<double>(kept.seen());
    double read = seen + static_cast<double>(nulls);
    sample->nulls = read > 0 ? static_cast<double>(nulls) / read : 0;
    sample->rows = seen * 100 / percent;
}

void find_distinct(Sample *sample)
{
    sample->distinct = static_cast<Fingerprint *>(palloc(sizeof(Fingerprint) * Max(sample->count, Size{1})));
    std::memcpy(sample->distinct, sample->row, sizeof(Fingerprint) * sample->count);
    std::sort(sample->distinct, sample->distinct + sample->count);
    Size kept = 0;
    for (Size from = 0, to; from < sample->count; from = to) {
        for (to = from + 1; to < sample->count && sample->distinct[to] == sample->distinct[from];)
            to++;
        if (to - from > sample->most_frequent_rows) {
            sample->most_frequent_rows = to - from;
            sample->most_frequent = sample->distinct[from];
        }
        sample->distinct[kept++] = sample->distinct[from];
    }
    sample->distinct_count = kept;
}

// Copies at most kPairSample evenly spaced rows to `few`. Returns how many.
Size thin(const Fingerprint *row, Size count, Fingerprint *few)
{
    Size kept = Min(count, kPairSample);
    for (Size i = 0; i < kept; i++)
        few[i] = row[i * count / kept];
    return kept;
}

void count_distances(const Fingerprint *row, Size count, DistanceCounts *counts)
{
    *counts = {};
    for (Size i = 0; i < count; i++) {
        CHECK_FOR_INTERRUPTS();
        add_distances(row, i, counts);
    }
}

void report_rows(const Report &report, const Sample &sample)
{
    auto sampled = static_cast<double>(sample.count);
    put(report, "rows", "with a fingerprint", std::round(sample.rows),
        "estimated, unless the whole table was read");
    put(report, "rows", "without", sample.nulls, "share");
    put(report, "rows", "sampled", sampled, "");
    put(report, "rows", "distinct", static_cast<double>(sample.distinct_count) / sampled,
        "share of the sample: a larger table has a smaller one");
    put(report, "rows", psprintf("%016llx", static_cast<unsigned long long>(sample.most_frequent)),
        static_cast<double>(sample.most_frequent_rows) / sampled, "share of the most frequent fingerprint");
}

void report_bits(const Report &report, const Sample &sample)
{
    double ones[kBits];
    measure_ones(sample.distinct, sample.distinct_count, ones);
    put(report, "bits", "informative", informative_bits(ones), "sum of the bits' entropies, at most 64");
    for (int bit = 0; bit < kBits; bit++)
        put(report, "bit set", bit, ones[bit], "share of distinct fingerprints");
}

// Returns the largest radius at which false matches are rare enough, or -1.
int report_distances(const Report &report, const Sample &sample)
{
    auto *few = static_cast<Fingerprint *>(palloc(sizeof(Fingerprint) * kPairSample));
    auto *counts = static_cast<DistanceCounts *>(palloc(sizeof(DistanceCounts)));
    count_distances(few, thin(sample.row, sample.count, few), counts);
    for (int d = 0; d <= kBits; d++) {
        if (counts->at[d] > 0)
            put(report, "distance", d, counts->at[d] / counts->pairs, "share of sampled pairs");
    }

    count_distances(few, thin(sample.distinct, sample.distinct_count, few), counts);
    double ones[kBits], within[kBits + 1];
    measure_ones(sample.distinct, sample.distinct_count, ones);
    fit_chance(*counts, ones, within);
    int bearable = -1;
    for (int r = 0; r <= kReportedRadius; r++) {
        double expected = within[r] * sample.rows;
        put(report, "false matches", r, expected, "expected of a search with this radius, unrelated rows");
        if (expected <= kBearable)
            bearable = r;
    }
    pfree(few);
    pfree(counts);
    return bearable;
}

// Returns the number of pages that a search with the design's distance is expected to read: those of one
// bucket in each table. Sets `*largest` to the share of rows in the largest bucket. `distinct` and `key` are
// working memory.
double expected_pages(const TableDesign &design, const Sample &sample, Fingerprint *distinct,
                      std::uint64_t *key, double *largest)
{
    std::uint8_t bit_order[kBits];
    std::memcpy(distinct, sample.distinct, sizeof(Fingerprint) * sample.distinct_count);
    choose_bit_order(design, distinct, sample.distinct_count, bit_order);
    auto *order = static_cast<KeyOrder *>(palloc(sizeof(KeyOrder)));
    order->set(design, bit_order);
    double pages = 0;
    *largest = 0;
    for (int table = 0; table < design.tables; table++) {
        CHECK_FOR_INTERRUPTS();
        Buckets buckets = measure_buckets(*order, table, sample.row, sample.count, key);
        pages += 1 + buckets.shared * sample.rows / kLeafRows;
        *largest = Max(*largest, buckets.largest);
    }
    pfree(order);
    return pages;
}

void report_designs(const Report &report, const Sample &sample, int distance, int bearable)
{
    Size bytes = sizeof(Fingerprint) * sample.count;
    auto *distinct = static_cast<Fingerprint *>(palloc(bytes));
    auto *key = static_cast<std::uint64_t *>(palloc(bytes));
    int best = 0;
    double least = 0;
    for (int tables = distance + 1; tables <= Min(kMaxTables, 4 * (distance + 1)); tables++) {
        TableDesign design;
        if (!make_design(distance, tables, &design))
            continue;
        double largest, pages = expected_pages(design, sample, distinct, key, &largest);
        put(report, "largest bucket", tables, largest * sample.rows,
            "rows that a search may have to compare in one of this many tables");
        put(report, "pages", tables, pages, "expected of a search, with this many tables");
        if (best == 0 || pages < kWorthwhile * least) {
            best = tables;
            least = pages;
        }
    }
    put(report, "suggestion", "radius", bearable,
        "the largest with at most 0.1 false matches a search; -1: none");
    put(report, "suggestion", "distance", distance, "the index option: as asked for");
    put(report, "suggestion", "tables", best,
        "the index option: more would save less than a fifth of the pages");
    pfree(distinct);
    pfree(key);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_report)
{
    using namespace simhash;
    int distance = PG_GETARG_INT32(2);
    if (distance < kMinDistance || distance > kMaxDistance)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("distance %d is out of range", distance),
                errhint("It is the index option \"distance\": %d to %d.", kMinDistance, kMaxDistance));
    Report report;
    report.store = begin_rows(fcinfo, &report.row);
    Relation relation = open_relation(PG_GETARG_OID(0), AccessShareLock);
    const char *column = NameStr(*PG_GETARG_NAME(1));
    check_kind(relation);
    check_column(relation, column, find_type(get_func_namespace(fcinfo->flinfo->fn_oid), "simhash"));
    Sample sample = {};
    read_sample(relation, column, &sample);
    if (sample.count > 0) {
        find_distinct(&sample);
        report_rows(report, sample);
        report_bits(report, sample);
        report_designs(report, sample, distance, report_distances(report, sample));
    }
    relation_close(relation, AccessShareLock);
    PG_RETURN_NULL();
}
