// simhash_report(table, expression, distance, rows, details): what a table's fingerprints or signatures tell about
// searching them.
#include "core/bits/every_nth.hpp"
#include "core/bits/split_mix.hpp"
#include "core/layout/key_order.hpp"
#include "core/layout/tree_design.hpp"
#include "core/likely/report_figures.hpp"
#include "core/page/signature_plan.hpp"
#include "pg/report/sample_query.hpp"
#include "pg/server/query_rows.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/server/sibling.hpp"
#include "pg/server/tables.hpp"
#include "pg/types/signature_type.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace simhash
{

namespace
{

constexpr Size kMostSample = 1 << 16;
constexpr Size kExpensive = 8; // so many times fewer values of an expression than of a column are read
constexpr double kPairSample = 1 << 13; // fingerprints that are compared with each other
constexpr Size kMostEqual = 4;          // of these, with the same value: a default value has no chance
constexpr double kLeafRows = 530;
constexpr double kWorthwhile = 0.8; // more trees must save a fifth of the pages
constexpr double kBearable = 0.1;   // false matches per search

struct ReportSample {
    BitRows rows;     // in arbitrary order
    BitRows distinct; // a copy without duplicates
    BitRows compared; // some rows in random order, a few of each value
    const std::uint64_t *most_frequent;
    Size most_frequent_rows;
    double all_rows; // estimated number of rows with a value
    double expected; // number of those that the report is for: as many, unless the caller expects others
    double nulls;

    int bits() const { return rows.bits; }
    bool wide() const { return rows.bits != kBits; }
};

struct Report {
    ResultRows rows;
    bool details; // whether to report everything
};

// Large numbers are rounded to integers, others to three digits.
double rounded(double value)
{
    if (value == 0 || std::fabs(value) >= 100)
        return std::round(value);
    char digits[32];
    snprintf(digits, sizeof(digits), "%.3g", value);
    return strtod(digits, nullptr);
}

void put(const Report &report, const char *topic, const char *item, double value, const char *meaning)
{
    Datum values[4] = {CStringGetTextDatum(topic), CStringGetTextDatum(item), Float8GetDatum(rounded(value)),
                       CStringGetTextDatum(meaning)};
    report.rows.put(values);
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
                errhint("Give a table, and its column or an expression of type simhash, bigint or bit(n)."));
}

// What is to be described.
struct Source {
    Relation relation;
    const char *expression; // in SQL
    Oid type;               // of its values
    int bits;               // of each; 0 if there are none to tell
    Size most;              // values to keep
};

// The length of the values of a type. Raises an error unless they are fingerprints or signatures; 0 if it does not say.
int type_bits(Oid type, int32 length, Oid fingerprint, const char *what)
{
    type = getBaseTypeAndTypmod(type, &length);
    if (type == fingerprint || type == INT8OID)
        return kBits;
    if (type != BITOID)
        ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
                errmsg("%s is not of type %s, bigint or bit(n)", what, format_type_be(fingerprint)),
                errhint("Give an expression of such a type, such as to_simhash(body)."));
    if (length != -1 && (length < kFewestSignatureBits || length > kMostSignatureBits))
        ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("%s does not hold signatures", what),
                errdetail("Signatures are of type bit(n) with %d to %d bits.", kFewestSignatureBits,
                          kMostSignatureBits));
    return length == -1 ? 0 : length;
}

// A column's name, or an expression, which runs with the caller's privileges. A name that is no column's is mistaken
// for an expression only if it looks like one.
Source find_source(Relation relation, const char *text, Oid fingerprint)
{
    const AttrNumber number = get_attnum(RelationGetRelid(relation), text);
    const bool column = number != InvalidAttrNumber || std::strpbrk(text, "(:\"") == nullptr;
    Source source;
    const char *what = "the expression";
    if (column) {
        Oid type = InvalidOid, collation;
        int32 length = -1;
        if (number == InvalidAttrNumber)
            check_column(relation, quoted(text), fingerprint); // raises the error
        get_atttypetypmodcoll(RelationGetRelid(relation), number, &type, &length, &collation);
        what = psprintf("column \"%s\" of \"%s\"", text, RelationGetRelationName(relation));
        source = {relation, quote_identifier(text), type, type_bits(type, length, fingerprint, what),
                  kMostSample};
        if (source.bits != 0)
            return source;
    } else {
        require_expression(text);
        source = {relation, psprintf("(%s\n)", text), InvalidOid, 0, kMostSample / kExpensive};
    }
    for_each_query_row(
        psprintf("SELECT value FROM (SELECT %s AS value FROM %s) AS s WHERE value IS NOT NULL LIMIT 1",
                 source.expression, qualified_name(relation)),
        [&](TupleDesc columns) {
            const FormData_pg_attribute *value = TupleDescAttr(columns, 0);
            source.type = value->atttypid;
            source.bits = type_bits(value->atttypid, value->atttypmod, fingerprint, what);
        },
        [&](const QueryRow &row) {
            bool null;
            const Datum value = row.column(1, &null);
            if (!null && source.bits == 0) // a function that is declared STABLE need not be
                source.bits = type_bits(BITOID, datum_signature(value).bits, fingerprint, what);
        });
    return source;
}

// Writes a value as a row of BitRows.
void read_value(Datum value, int bits, std::uint64_t *row)
{
    if (bits == kBits) {
        *row = datum_fingerprint(value);
        return;
    }
    const SignatureView signature = datum_signature(value);
    check_lengths(bits, signature.bits);
    std::fill_n(row, signature_words(bits), 0);
    for (int bit = 0; bit < bits; bit++)
        row[bit / 64] |= static_cast<std::uint64_t>(signature_bit(signature.data, bit)) << bit % 64;
}

// Reads the values with the caller's privileges. Keeps every n-th row.
void read_sample(const Source &from, ReportSample *sample)
{
    const SampleQuery source = sample_query(from.relation, from.expression, from.most);
    const Size words = sample->rows.words();
    auto *memory = allocate<std::uint64_t>(words * kMostSample);
    EveryNth<std::uint64_t> kept(memory, kMostSample, words);
    int64 nulls = 0;
    for_each_query_row(
        source.query, [&](TupleDesc columns) { require_types(columns, {from.type}); },
        [&](const QueryRow &read) {
            bool null;
            Datum value = read.column(1, &null);
            nulls += null;
            std::uint64_t *row = null ? nullptr : kept.next();
            if (row != nullptr)
                read_value(value, sample->bits(), row);
        });
    sample->rows.word = memory;
    sample->rows.count = kept.count();
    auto seen = static_cast<double>(kept.seen());
    double read = seen + static_cast<double>(nulls);
    sample->nulls = read > 0 ? static_cast<double>(nulls) / read : 0;
    sample->all_rows = seen / source.share;
}

// Copies rows of a sample, which `from(i)` chooses.
template <typename From> BitRows copy_rows(const BitRows &rows, Size count, From from)
{
    const Size words = rows.words();
    auto *copy = allocate<std::uint64_t>(words * Max(count, Size{1}));
    for (Size i = 0; i < count; i++)
        std::copy_n(rows.row(from(i)), words, copy + i * words);
    return {copy, count, rows.bits};
}

// How many rows are compared with each other: of longer values fewer, so that it takes as long.
Size pair_sample(const BitRows &rows)
{
    return static_cast<Size>(kPairSample / std::sqrt(static_cast<double>(rows.words())));
}

// Moves `count` of the numbers, chosen at random, to the front.
void shuffle(std::uint32_t *number, Size numbers, Size count)
{
    for (Size i = 0; i < count; i++)
        std::swap(number[i], number[i + split_mix_number(0, i + 1) % (numbers - i)]);
}

void find_distinct(ReportSample *sample)
{
    const BitRows &rows = sample->rows;
    const Size words = rows.words();
    auto *order = allocate<std::uint32_t>(rows.count);
    auto *few = allocate<std::uint32_t>(rows.count);
    std::iota(order, order + rows.count, 0);
    std::sort(order, order + rows.count, [&](std::uint32_t a, std::uint32_t b) {
        return std::lexicographical_compare(rows.row(a), rows.row(a) + words, rows.row(b),
                                            rows.row(b) + words);
    });
    Size distinct = 0, fewer = 0;
    for (Size from = 0, to; from < rows.count; from = to) {
        const std::uint64_t *value = rows.row(order[from]);
        for (to = from + 1; to < rows.count && std::equal(value, value + words, rows.row(order[to]));)
            to++;
        if (to - from > sample->most_frequent_rows) {
            sample->most_frequent_rows = to - from;
            sample->most_frequent = value;
        }
        for (Size i = from; i < Min(to, from + kMostEqual); i++)
            few[fewer++] = order[i];
        order[distinct++] = order[from];
    }
    sample->distinct = copy_rows(rows, distinct, [&](Size i) { return order[i]; });
    const Size compared = Min(fewer, pair_sample(rows));
    shuffle(few, fewer, compared);
    sample->compared = copy_rows(rows, compared, [&](Size i) { return few[i]; });
    pfree(few);
    pfree(order);
}

// Counts the distances of pairs among some rows, chosen at random: copies are often neighbors in a table.
void count_distances(const BitRows &rows, DistanceCounts *counts)
{
    const Size kept = Min(rows.count, pair_sample(rows));
    auto *chosen = allocate<std::uint32_t>(rows.count);
    std::iota(chosen, chosen + rows.count, 0);
    shuffle(chosen, rows.count, kept);
    const BitRows few = copy_rows(rows, kept, [&](Size i) { return chosen[i]; });
    pfree(chosen);
    *counts = {};
    for (Size i = 0; i < kept; i++) {
        CHECK_FOR_INTERRUPTS();
        add_distances(few, i, counts);
    }
    pfree(const_cast<std::uint64_t *>(few.word));
}

// The chance that unrelated rows lie within each radius, and how many pairs show it.
void measure_chance(const BitRows &rows, double *within, double *pairs)
{
    auto *all = allocate_zero<Neighborhoods>();
    auto *distance = allocate<std::uint16_t>(rows.count);
    for (Size i = 0; i < rows.count; i++) {
        CHECK_FOR_INTERRUPTS();
        add_neighborhood(rows, i, distance, all);
    }
    estimate_chance(*all, rows.bits, within, pairs);
    pfree(distance);
    pfree(all);
}

void report_rows(const Report &report, const ReportSample &sample)
{
    auto sampled = static_cast<double>(sample.rows.count);
    put(report, "rows", sample.wide() ? "with a signature" : "with a fingerprint",
        std::round(sample.all_rows), "estimated, unless the whole table was read");
    put(report, "rows", "without", sample.nulls, "share");
    if (report.details) {
        put(report, "rows", "expected", std::round(sample.expected),
            "for which matches, pages and suggestions are");
        put(report, "rows", "sampled", sampled, "");
    }
    put(report, "rows", "distinct", static_cast<double>(sample.distinct.count) / sampled,
        "share of the sample: a larger table has a smaller one");
    const double most = static_cast<double>(sample.most_frequent_rows) / sampled;
    if (sample.wide())
        put(report, "rows", "most frequent", most, "share of the most frequent signature");
    else
        put(report, "rows", psprintf("%016llx", static_cast<unsigned long long>(*sample.most_frequent)), most,
            "share of the most frequent fingerprint");
}

void report_bits(const Report &report, const ReportSample &sample, const double *ones)
{
    put(report, "bits", "informative", informative_bits(ones, sample.bits()),
        psprintf("sum of the bits' entropies, at most %d", sample.bits()));
    if (!report.details)
        return;
    const char *meaning = sample.wide() ? "share of distinct signatures" : "share of distinct fingerprints";
    for (int bit = 0; bit < sample.bits(); bit++)
        put(report, "bit set", bit, ones[bit], meaning);
}

// The rows that a search finds, near-duplicates included, and the distances of pairs.
void report_matches(const Report &report, const ReportSample &sample, int distance)
{
    const int bits = sample.bits();
    auto *counts = allocate<DistanceCounts>();
    count_distances(sample.rows, counts);
    double found = 0;
    for (int d = 0; d <= Min(distance, bits); d++)
        found += counts->at[d];
    const double pairs = Max(counts->pairs, 1);
    put(report, "matches", distance, found / pairs * sample.expected,
        psprintf("rows that a search with this radius finds: %.0f pairs of the sample", found));
    for (int d = 0; report.details && d <= bits; d++) {
        if (counts->at[d] > 0)
            put(report, "distance", d, counts->at[d] / counts->pairs, "share of sampled pairs");
    }
    pfree(counts);
}

// How sure a number of false matches is that so many pairs of the sample show.
const char *certainty(double pairs)
{
    if (pairs == 0)
        return "modelled: more than the sample shows";
    return psprintf("measured: %.0f pairs of the sample, +-%.0f %%", pairs, 200 / std::sqrt(pairs));
}

// Returns the largest radius at which false matches are rare enough, or -1.
int report_false_matches(const Report &report, const ReportSample &sample, int distance)
{
    const int bits = sample.bits(), most = sample.wide() ? bits / 2 : bits / 4;
    auto *within = allocate<double>(static_cast<Size>(bits) + 1);
    auto *pairs = allocate<double>(static_cast<Size>(bits) + 1);
    measure_chance(sample.compared, within, pairs);
    int bearable = -1;
    for (int r = 0; r <= most; r++) {
        double expected = within[r] * sample.expected;
        if (report.details || r == distance)
            put(report, "false matches", r, expected, certainty(pairs[r]));
        if (expected <= kBearable)
            bearable = r;
    }
    pfree(pairs);
    pfree(within);
    return bearable;
}

// Returns the number of pages that a search with the design's distance is expected to read: those of one
// bucket in each tree. Sets `*largest` to the share of rows in the largest bucket. `distinct` and `key` are
// working memory.
double expected_pages(const TreeDesign &design, const ReportSample &sample, Fingerprint *distinct,
                      std::uint64_t *key, double *largest)
{
    std::uint8_t bit_order[kBits];
    std::copy_n(sample.distinct.word, sample.distinct.count, distinct);
    choose_bit_order(design, distinct, sample.distinct.count, bit_order);
    auto *order = allocate<KeyOrder>();
    order->set(design, bit_order);
    double pages = 0;
    *largest = 0;
    for (int tree = 0; tree < design.trees; tree++) {
        CHECK_FOR_INTERRUPTS();
        Buckets buckets = measure_buckets(*order, tree, sample.rows.word, sample.rows.count, key);
        pages += 1 + buckets.shared * sample.expected / kLeafRows;
        *largest = Max(*largest, buckets.largest);
    }
    pfree(order);
    return pages;
}

void check_distance(int distance, const ReportSample &sample)
{
    if (sample.wide() ? distance < 0 || distance > sample.bits()
                      : distance < kMinDistance || distance > kMaxDistance)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("radius %d is out of range", distance),
                sample.wide() ? errhint("It is the radius of searches: 0 to %d.", sample.bits())
                              : errhint("It is the index option \"design_radius\": %d to %d.", kMinDistance,
                                        kMaxDistance));
}

void check_rows(int64 rows)
{
    if (rows < 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of rows " INT64_FORMAT " is out of range", rows),
                errhint("It is how many rows with a value the table will have, or 0 for those that it has."));
}

void report_suggested_radius(const Report &report, int bearable)
{
    put(report, "suggestion", "radius", bearable,
        bearable > 0 ? "the largest with at most 0.1 false matches a search"
                     : "too small to find much: try frequencies, other features, or more bits");
}

// Describes the designs with each number of trees.
void report_design_pages(const Report &report, const ReportSample &sample, int distance)
{
    Size bytes = sizeof(Fingerprint) * sample.rows.count;
    auto *distinct = static_cast<Fingerprint *>(palloc(bytes));
    auto *key = static_cast<std::uint64_t *>(palloc(bytes));
    for (int trees = distance + 1; trees <= Min(kMaxTrees, 4 * (distance + 1)); trees++) {
        TreeDesign design;
        if (!make_design(distance, trees, &design))
            continue;
        double largest, pages = expected_pages(design, sample, distinct, key, &largest);
        put(report, "largest bucket", trees, largest * sample.expected,
            "rows that a search may have to compare in one of this many trees");
        put(report, "pages", trees, pages, "expected of a search, with this many trees");
    }
    pfree(distinct);
    pfree(key);
}

void report_designs(const Report &report, const ReportSample &sample, int distance, int bearable)
{
    if (report.details)
        report_design_pages(report, sample, distance);
    report_suggested_radius(report, bearable);
    put(report, "suggestion", "design_radius", distance, "the index option: as asked for");
    put(report, "suggestion", "trees", default_trees(distance, sample.expected),
        "the index option: as an index that is built on so many rows has");
}

// The pages that an exact search of an index on signatures reads, from its cost model. Sets *by_trees to whether it
// reads its trees. Bits are dealt such that skewed ones matter little.
double expected_pages(const ReportSample &sample, int trees, int radius, bool *by_trees)
{
    auto *layout = allocate<SignatureLayout>();
    choose_layout(sample.bits(), trees, default_key_words(sample.bits()), nullptr, 0, 0, nullptr, layout);
    const StoreShape shape = store_shape(layout->bytes(), BLCKSZ);
    const SignatureIndexSize size = signature_index_size(*layout, shape, BLCKSZ, sample.expected);
    SearchPlan plan;
    const double cost = plan_trees(*layout, radius, size, &plan);
    const double scan = scan_cost(*layout, shape, radius, size);
    pfree(layout);
    *by_trees = cost <= scan;
    return *by_trees ? tree_pages(plan, cost) : scan / kStorePageCost;
}

// The first number of trees after which more would save little.
struct BestTrees {
    int trees;
    double pages;

    void add(int number, double expected)
    {
        if (trees == 0 || expected < kWorthwhile * pages)
            *this = {number, expected};
    }
};

void report_trees(const Report &report, const ReportSample &sample, int radius, int bearable)
{
    const int most = most_signature_trees(default_key_words(sample.bits()), BLCKSZ);
    BestTrees best = {};
    for (int trees = 1; trees <= most; trees++) {
        CHECK_FOR_INTERRUPTS();
        bool by_trees;
        const double pages = expected_pages(sample, trees, radius, &by_trees);
        if (report.details)
            put(report, "pages", trees, pages,
                by_trees ? "expected of an exact search, with this many trees"
                         : "expected of an exact search, which scans with this many trees");
        if (by_trees)
            best.add(trees, pages);
    }
    report_suggested_radius(report, bearable);
    put(report, "suggestion", "trees", best.trees,
        "the index option: more would save less than a fifth of the pages; 0: all would scan");
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_report)
{
    using namespace simhash;
    int distance = PG_GETARG_INT32(2);
    const Report report = {begin_rows(fcinfo), PG_GETARG_BOOL(4)};
    Relation relation = open_relation(PG_GETARG_OID(0), AccessShareLock);
    check_kind(relation);
    const Source source = find_source(relation, text_to_cstring(PG_GETARG_TEXT_PP(1)),
                                      find_type(get_func_namespace(fcinfo->flinfo->fn_oid), "simhash"));
    if (source.bits == 0) {
        relation_close(relation, AccessShareLock);
        PG_RETURN_NULL();
    }
    ReportSample sample = {};
    sample.rows.bits = source.bits;
    check_distance(distance, sample);
    const int64 rows = PG_GETARG_INT64(3);
    check_rows(rows);
    read_sample(source, &sample);
    sample.expected = rows > 0 ? static_cast<double>(rows) : sample.all_rows;
    if (sample.rows.count > 0) {
        find_distinct(&sample);
        report_rows(report, sample);
        auto *ones = allocate<double>(sample.bits());
        measure_ones(sample.distinct, ones);
        report_bits(report, sample, ones);
        report_matches(report, sample, distance);
        const int bearable = report_false_matches(report, sample, distance);
        (sample.wide() ? report_trees : report_designs)(report, sample, distance, bearable);
    }
    relation_close(relation, AccessShareLock);
    PG_RETURN_NULL();
}
