// The samples, and a cache of what is computed from them. Reading the values of a column takes far longer than comparing
// them with a query, and comparing the pairs of two columns longer still, but both depend on the rows of pg_statistic
// alone.
#include "pg/planner/column_sample.hpp"

#include "pg/server/settings.hpp"
#include "pg/texts/kept_text.hpp"
#include "pg/types/signature_type.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
}

namespace simhash
{

bool read_words(Datum value, Oid type, const SampleValues &sample, Fingerprint *words)
{
    const int bits = sample.bits;
    if (type == TEXTOID)
        return text_fingerprint(value, sample.unit, words);
    if (type != BITOID) {
        *words = datum_fingerprint(value);
        return bits == kBits;
    }
    const SignatureView signature = datum_signature(value);
    if (signature.bits != bits)
        return false;
    const int count = signature_words(bits);
    if (count > 0)
        words[count - 1] = 0;
    std::memcpy(words, signature.data, static_cast<Size>(signature.bytes));
    return true;
}

namespace
{

// The most values of each kind that are compared with those of another column.
constexpr int kPairSample = 100;

bool holds_values(const AttStatsSlot &slot, Oid type)
{
    int16 length;
    bool by_value;

    const Oid base = getBaseType(slot.valuetype); // ANALYZE stores the values of a domain as such
    if (type == BITOID)
        return base == BITOID || base == VARBITOID;
    if (type == TEXTOID)
        return base == TEXTOID || base == VARCHAROID;
    get_typlenbyval(slot.valuetype, &length, &by_value);
    return length == sizeof(Fingerprint) && by_value;
}

// Room for the values of each of the two. Of longer bit strings than these, which no index has, fewer are compared.
constexpr int kMostWords = kMostValues * (kMostSignatureBits / kBits);

int slot_values(bool exists, const AttStatsSlot &slot, Oid type, int limit)
{
    return exists && holds_values(slot, type) ? std::min(slot.nvalues, limit) : 0;
}

// Adds a value that represents a fraction of the rows.
void add_value(SampleValues *sample, Datum value, Oid type, double weight)
{
    if (read_words(value, type, *sample, value_at(*sample, sample->count)))
        sample->weights[sample->count++] = weight;
}

// Loads at most `limit` of the most common values, and as many evenly spaced histogram bounds, except of texts: to sketch
// them would take too long for values that are not common.
SampleValues load_values(const ColumnSample &of, Oid type, int limit)
{
    HeapTuple statistics = of.statistics;
    AttStatsSlot common, histogram;
    const bool has_common = get_attstatsslot(&common, statistics, STATISTIC_KIND_MCV, InvalidOid,
                                             ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
    const bool has_histogram =
        type != TEXTOID &&
        get_attstatsslot(&histogram, statistics, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES);
    limit = std::min(limit, kMostWords / std::max(value_words(of), 1));
    const int n_common = slot_values(has_common, common, type, limit);
    const int n_histogram = slot_values(has_histogram, histogram, type, limit);
    const Size room = static_cast<Size>(n_common) + static_cast<Size>(n_histogram);
    SampleValues sample = {};

    sample.bits = of.bits;
    sample.unit = of.unit;
    sample.words = static_cast<Fingerprint *>(
        palloc(room * static_cast<Size>(value_words(sample)) * sizeof(Fingerprint)));
    sample.weights = static_cast<double *>(palloc(room * sizeof(double)));
    if (has_common) {
        for (int i = 0; i < common.nnumbers; i++)
            sample.common_rows += static_cast<double>(common.numbers[i]);
        sample.common_distinct = common.nvalues;
        for (int i = 0; i < n_common; i++)
            add_value(&sample, common.values[i], type, static_cast<double>(common.numbers[i]));
        free_attstatsslot(&common);
    }
    sample.common = sample.count;
    if (has_histogram) {
        const double rest = clamp_fraction(1 - of.nulls - sample.common_rows);
        for (int i = 0; i < n_histogram; i++) {
            const int64 pick = n_histogram == histogram.nvalues
                                   ? i
                                   : static_cast<int64>(i) * histogram.nvalues / n_histogram;
            add_value(&sample, histogram.values[pick], type, rest / n_histogram);
        }
        free_attstatsslot(&histogram);
    }
    return sample;
}

enum class Cached { values, pairs, pairs_of_any };

struct CacheEntry {
    MemoryContext context; // null if it is unused
    Cached kind;
    StatisticsRow row[2];   // the second one only of pairs
    SampleValues values[2]; // of pairs without the values themselves
    PairFractions pairs;
};

// Entries for the partitions of a table, of which each has its own statistics; the oldest ones make room for others.
constexpr int kCacheEntries = 1024;
constexpr Size kCacheBytes = 16 * 1024 * 1024;
CacheEntry cache[kCacheEntries];
int used_entries, next_entry; // the oldest one, once all are used
Size cached_bytes;

const CacheEntry *find_entry(Cached kind, const SampleValues &of, HeapTuple a, HeapTuple b)
{
    for (int i = 0; i < used_entries; i++) {
        const CacheEntry &entry = cache[i];
        if (entry.context != nullptr && entry.kind == kind && entry.values[0].bits == of.bits &&
            entry.values[0].unit == of.unit && is_row(entry.row[0], a) &&
            (kind == Cached::values || is_row(entry.row[1], b)))
            return &entry;
    }
    return nullptr;
}

void drop_entry(CacheEntry *entry)
{
    if (entry->context == nullptr)
        return;
    cached_bytes -= MemoryContextMemAllocated(entry->context, true);
    MemoryContextDelete(entry->context);
    entry->context = nullptr;
}

// Replaces an entry. Its context becomes permanent at last, when all has been computed.
const CacheEntry *keep_entry(MemoryContext context, const CacheEntry &entry)
{
    CacheEntry *kept = &cache[next_entry];
    const Size bytes = MemoryContextMemAllocated(context, true);
    drop_entry(kept);
    next_entry = (next_entry + 1) % kCacheEntries;
    used_entries = std::max(used_entries, static_cast<int>(kept - cache) + 1);
    for (int i = next_entry; cached_bytes > 0 && cached_bytes + bytes > kCacheBytes;
         i = (i + 1) % kCacheEntries)
        drop_entry(&cache[i]);
    *kept = entry;
    MemoryContextSetParent(context, CacheMemoryContext);
    kept->context = context;
    cached_bytes += bytes;
    return kept;
}

MemoryContext begin_entry()
{
    return AllocSetContextCreate(CurrentMemoryContext, "simhash statistics", ALLOCSET_SMALL_SIZES);
}

void use_values(const SampleValues &values, ColumnSample *sample)
{
    static_cast<SampleValues &>(*sample) = values;
    sample->rest = clamp_fraction(1 - sample->nulls - sample->common_rows);
    sample->rest_distinct = std::max(sample->distinct - sample->common_distinct, 1.0);
}

void report_reading(const char *what, HeapTuple statistics)
{
    const auto *row = reinterpret_cast<const FormData_pg_statistic *>(GETSTRUCT(statistics));
    elog(DEBUG2, "%s the statistics of column %d of relation %u", what, row->staattnum, row->starelid);
}

SampleValues values_of(const ColumnSample &sample, Oid type, int limit)
{
    SampleValues none = {};
    none.bits = sample.bits;
    none.unit = sample.unit;
    return sample.statistics == nullptr ? none : load_values(sample, type, limit);
}

// A value that is a bound of both histograms says nothing about its frequency, so such pairs are not counted.
PairFractions compare_pairs(const SampleValues &a, const SampleValues &b, bool any)
{
    constexpr int kMostPlaces = kMostSignatureBits + 1;
    PairFractions pairs = {};
    if (a.count == 0 || b.count == 0)
        return pairs;
    while (a.bits >> pairs.shift >= kMostPlaces)
        pairs.shift++;
    const int places = (a.bits >> pairs.shift) + 1;
    pairs.common = allocate_zero<double>(places);
    pairs.others = allocate_zero<double>(places);
    int distance[2 * kPairSample];
    Assert(b.count <= 2 * kPairSample);
    for (int i = 0; i < a.count; i++) {
        const bool common = i < a.common;
        double *within = common ? pairs.common : pairs.others;
        const double weight = any ? 1 : a.weights[i];
        value_distances(b, value_at(a, i), distance);
        for (int j = 0; j < b.count; j++) {
            if (common || j < b.common || distance[j] > 0)
                within[distance[j] >> pairs.shift] += weight * b.weights[j];
        }
    }
    for (int i = 1; i < places; i++) {
        pairs.common[i] += pairs.common[i - 1];
        pairs.others[i] += pairs.others[i - 1];
    }
    return pairs;
}

} // namespace

bool is_row(const StatisticsRow &row, HeapTuple tuple)
{
    return ItemPointerEquals(const_cast<ItemPointer>(&row.place), &tuple->t_self) &&
           row.written == HeapTupleHeaderGetRawXmin(tuple->t_data) &&
           std::memcmp(row.fixed, GETSTRUCT(tuple), sizeof(row.fixed)) == 0;
}

void note_row(HeapTuple tuple, StatisticsRow *row)
{
    row->place = tuple->t_self;
    row->written = HeapTupleHeaderGetRawXmin(tuple->t_data);
    std::memcpy(row->fixed, GETSTRUCT(tuple), sizeof(row->fixed));
}

ColumnSample describe_column(PlannerInfo *root, VariableStatData vardata, const DistanceTerms &terms)
{
    ColumnSample sample = {};
    bool is_default;

    sample.bits = terms.bits;
    sample.unit = terms.unit;
    sample.rest = 1;
    const double rows = vardata.rel != nullptr ? table_rows(vardata.rel) : 0;
    sample.rows = rows > 0 ? rows : kUnknownRows;
    sample.distinct = get_variable_numdistinct(&vardata, &is_default);
    if (is_default)
        sample.distinct = sample.rows;
    sample.distinct = sample.rest_distinct = std::max(sample.distinct, 1.0);

    if (HeapTupleIsValid(vardata.statsTuple)) {
        sample.nulls =
            clamp_fraction(reinterpret_cast<Form_pg_statistic>(GETSTRUCT(vardata.statsTuple))->stanullfrac);
        sample.rest = 1 - sample.nulls;
    }
    if (!statistic_proc_security_check(&vardata, terms.function))
        return sample;
    find_near_rows(root, vardata.rel, vardata.var, terms.unit, &sample.near);
    if (!HeapTupleIsValid(vardata.statsTuple))
        return sample;
    sample.statistics = vardata.statsTuple;
    sample.readable = vardata.acl_ok;
    sample.known = vardata.freefunc == ReleaseSysCache;
    return sample;
}

void read_all_values(ColumnSample *sample, Oid type)
{
    if (!sample->known) {
        use_values(values_of(*sample, type, kMostValues), sample);
        return;
    }
    const CacheEntry *found = find_entry(Cached::values, *sample, sample->statistics, nullptr);
    if (found == nullptr) {
        report_reading("loading", sample->statistics);
        MemoryContext context = begin_entry(), caller = MemoryContextSwitchTo(context);
        CacheEntry entry = {};
        entry.kind = Cached::values;
        note_row(sample->statistics, &entry.row[0]);
        entry.values[0] = values_of(*sample, type, kMostValues);
        MemoryContextSwitchTo(caller);
        found = keep_entry(context, entry);
    }
    use_values(found->values[0], sample);
}

PairFractions read_pairs(ColumnSample *a, ColumnSample *b, Oid type, bool any)
{
    const Cached kind = any ? Cached::pairs_of_any : Cached::pairs;
    const bool known = a->known && b->known;
    const CacheEntry *found = known ? find_entry(kind, *a, a->statistics, b->statistics) : nullptr;
    CacheEntry entry = {};
    if (found == nullptr) {
        const int limit = type == TEXTOID ? 0 : kPairSample;
        SampleValues values[] = {values_of(*a, type, limit), values_of(*b, type, limit)};
        MemoryContext context = begin_entry(), caller = MemoryContextSwitchTo(context);
        entry.kind = kind;
        entry.pairs = compare_pairs(values[0], values[1], any);
        MemoryContextSwitchTo(caller);
        for (int i = 0; i < 2; i++) {
            entry.values[i] = values[i];
            entry.values[i].words = nullptr;
            entry.values[i].weights = nullptr;
        }
        if (known) {
            report_reading("comparing", a->statistics);
            note_row(a->statistics, &entry.row[0]);
            note_row(b->statistics, &entry.row[1]);
            keep_entry(context, entry);
        }
        found = &entry;
    }
    const SampleValues first = found->values[0], second = found->values[1];
    const PairFractions pairs = found->pairs;
    use_values(first, a);
    use_values(second, b);
    return pairs;
}

void value_distances(const SampleValues &sample, const Fingerprint *center, int *distance)
{
    const int words = value_words(sample), bytes = words * static_cast<int>(sizeof(Fingerprint));
    if (words > 1 && bytes <= kMostSignatureBytes) {
        constexpr int kTogether = 256;
        std::uint16_t found[kTogether];
        for (int i = 0; i < sample.count; i += kTogether) {
            const int count = std::min(sample.count - i, kTogether);
            find_distances(reinterpret_cast<const std::uint8_t *>(center), bytes,
                           reinterpret_cast<const std::uint8_t *>(value_at(sample, i)),
                           static_cast<Size>(bytes), count, found);
            std::copy(found, found + count, distance + i);
        }
        return;
    }
    for (int i = 0; i < sample.count; i++) {
        const Fingerprint *value = value_at(sample, i);
        distance[i] = 0;
        for (int word = 0; word < words; word++)
            distance[i] += hamming_distance(value[word], center[word]);
    }
}

} // namespace simhash
