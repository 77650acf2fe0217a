#include "pg/features/frequencies_argument.hpp"

#include "pg/server/compat.hpp"
#include "pg/types/frequencies_type.hpp"

extern "C" {
#include "access/xact.h"
}

namespace simhash
{

namespace
{

// What a call site keeps from row to row. The key is the stored datum, byte for byte: the compressed value, or the
// pointer to it. A pointer's number is not given to another value within a statement.
struct Kept {
    FeatureFrequencies frequencies;
    varlena *key;
    varlena *value;
    TimestampTz statement;
};

bool has_key(const Kept &kept, varlena *given)
{
    return kept.key != nullptr && kept.statement == GetCurrentStatementStartTimestamp() &&
           VARSIZE_ANY(kept.key) == VARSIZE_ANY(given) &&
           std::memcmp(kept.key, given, VARSIZE_ANY(given)) == 0;
}

// Without a statement until the value has been opened: an error of that may be caught, and the call site used again.
void keep(Kept *kept, varlena *given, MemoryContext context)
{
    kept->statement = 0;
    if (kept->key != nullptr) {
        pfree(kept->key);
        pfree(kept->value);
        kept->key = nullptr;
    }
    MemoryContext before = MemoryContextSwitchTo(context);
    varlena *value = pg_detoast_datum(given);
    auto *key = static_cast<varlena *>(palloc(VARSIZE_ANY(given)));
    std::memcpy(key, given, VARSIZE_ANY(given));
    MemoryContextSwitchTo(before);
    kept->key = key;
    kept->value = value;
}

} // namespace

const FeatureFrequencies &frequencies_argument(FunctionCallInfo fcinfo, int argument)
{
    auto *kept = static_cast<Kept *>(fcinfo->flinfo->fn_extra);
    if (kept == nullptr) {
        kept = static_cast<Kept *>(MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Kept)));
        fcinfo->flinfo->fn_extra = kept;
    }
    auto *given = reinterpret_cast<varlena *>(PG_GETARG_POINTER(argument));
    if (!VARATT_IS_EXTERNAL_ONDISK(given) && !VARATT_IS_COMPRESSED(given)) {
        open_frequencies(pg_detoast_datum_packed(given), &kept->frequencies);
        if (kept->key != nullptr)
            kept->statement = 0; // the view is of another value now
        return kept->frequencies;
    }
    if (!has_key(*kept, given)) {
        keep(kept, given, fcinfo->flinfo->fn_mcxt);
        open_frequencies(kept->value, &kept->frequencies);
        kept->statement = GetCurrentStatementStartTimestamp();
    }
    return kept->frequencies;
}

Shingles counted_shingles(const FeatureFrequencies &frequencies)
{
    const FrequenciesHeader &header = frequencies.header();
    if (header.unit == FrequencyUnit::kGiven)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("frequencies of given features do not say how to divide a document"),
                errhint("Give features, or frequencies that were made from documents."));
    return {header.unit == FrequencyUnit::kWord ? TextUnit::kWord : TextUnit::kCharacter, header.size};
}

} // namespace simhash
