#include "pg/planner/column_sample.hpp"

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

bool read_words(Datum value, Oid type, int bits, Fingerprint *words)
{
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

bool holds_values(const AttStatsSlot &slot, Oid type)
{
    int16 length;
    bool by_value;

    if (type == BITOID) {
        const Oid base = getBaseType(slot.valuetype); // ANALYZE stores the values of a domain as such
        return base == BITOID || base == VARBITOID;
    }
    get_typlenbyval(slot.valuetype, &length, &by_value);
    return length == sizeof(Fingerprint) && by_value;
}

int slot_values(bool exists, const AttStatsSlot &slot, Oid type, int limit)
{
    return exists && holds_values(slot, type) ? std::min(slot.nvalues, limit) : 0;
}

// Adds a value that represents a fraction of the rows.
void add_value(SampleValues *sample, Datum value, Oid type, double weight)
{
    if (read_words(value, type, sample->bits, value_at(*sample, sample->count)))
        sample->weights[sample->count++] = weight;
}

// Loads at most `limit` of the most common values, and as many evenly spaced histogram bounds. `rows` is the
// fraction of rows that are not null.
SampleValues load_values(HeapTuple statistics, Oid type, int bits, double rows, int limit)
{
    AttStatsSlot common, histogram;
    const bool has_common = get_attstatsslot(&common, statistics, STATISTIC_KIND_MCV, InvalidOid,
                                             ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
    const bool has_histogram =
        get_attstatsslot(&histogram, statistics, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES);
    const int n_common = slot_values(has_common, common, type, limit);
    const int n_histogram = slot_values(has_histogram, histogram, type, limit);
    const Size room = static_cast<Size>(n_common) + static_cast<Size>(n_histogram);
    SampleValues sample = {};

    sample.bits = bits;
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
        const double rest = clamp_fraction(rows - sample.common_rows);
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

// Cache of all values of the last column used, and the pg_statistic row that they come from. The elements of
// an array are estimated one by one, and loading the values takes far longer than comparing them.
struct KnownValues {
    MemoryContext context; // null if the cache is empty
    ItemPointerData row;
    TransactionId written;
    char key[sizeof(FormData_pg_statistic)]; // its fixed columns
    SampleValues values;
};

KnownValues known_values;

bool is_known(HeapTuple statistics, int bits)
{
    return known_values.context != nullptr && known_values.values.bits == bits &&
           ItemPointerEquals(&known_values.row, &statistics->t_self) &&
           known_values.written == HeapTupleHeaderGetRawXmin(statistics->t_data) &&
           std::memcmp(known_values.key, GETSTRUCT(statistics), sizeof(known_values.key)) == 0;
}

// Returns all values. The caller must not free them. They are valid until the next call.
SampleValues all_values(HeapTuple statistics, const DistanceTerms &terms, double rows)
{
    if (is_known(statistics, terms.bits))
        return known_values.values;
    if (known_values.context != nullptr)
        MemoryContextDelete(known_values.context);
    known_values.context = nullptr;
    auto row = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics));
    elog(DEBUG2, "loading the statistics of column %d of relation %u", row->staattnum, row->starelid);

    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash statistics", ALLOCSET_SMALL_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    known_values.values = load_values(statistics, terms.type, terms.bits, rows, PG_INT32_MAX);
    MemoryContextSwitchTo(caller);
    known_values.row = statistics->t_self;
    known_values.written = HeapTupleHeaderGetRawXmin(statistics->t_data);
    std::memcpy(known_values.key, GETSTRUCT(statistics), sizeof(known_values.key));
    MemoryContextSetParent(context, CacheMemoryContext);
    known_values.context = context;
    return known_values.values;
}

} // namespace

Sample load_sample(VariableStatData *vardata, const DistanceTerms &terms, int limit)
{
    Sample sample = {};
    bool is_default;

    sample.bits = terms.bits;
    sample.rest = 1;
    sample.rows = vardata->rel != nullptr && vardata->rel->tuples > 0 ? vardata->rel->tuples : kUnknownRows;
    sample.distinct = get_variable_numdistinct(vardata, &is_default);
    if (is_default)
        sample.distinct = sample.rows;
    sample.distinct = sample.rest_distinct = std::max(sample.distinct, 1.0);

    if (!HeapTupleIsValid(vardata->statsTuple))
        return sample;
    sample.nulls =
        clamp_fraction(reinterpret_cast<Form_pg_statistic>(GETSTRUCT(vardata->statsTuple))->stanullfrac);
    sample.rest = 1 - sample.nulls;
    if (!statistic_proc_security_check(vardata, terms.function))
        return sample;

    static_cast<SampleValues &>(sample) =
        limit == kAllValues && vardata->freefunc == ReleaseSysCache
            ? all_values(vardata->statsTuple, terms, sample.rest)
            : load_values(vardata->statsTuple, terms.type, terms.bits, sample.rest, limit);
    sample.rest = clamp_fraction(sample.rest - sample.common_rows);
    sample.rest_distinct = std::max(sample.distinct - sample.common_distinct, 1.0);
    return sample;
}

void free_sample(Sample &sample)
{
    if (sample.words == nullptr || sample.words == known_values.values.words)
        return;
    pfree(sample.words);
    pfree(sample.weights);
}

} // namespace simhash
