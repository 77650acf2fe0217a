// to_simhash, to_simhash_weights, to_signature and to_signature_weights: the fingerprint or the signature of a
// document's features, and the sums whose signs it consists of.
#include "pg/types/weights.hpp"

#include "core/fingerprint/feature_hash.hpp"
#include "core/text/text_features.hpp"
#include "pg/features/array_elements.hpp"
#include "pg/features/counted_features.hpp"
#include "pg/features/shingle_arguments.hpp"
#include "pg/features/signature_value.hpp"
#include "pg/features/text_feature_hash.hpp"
#include "pg/features/utf8_text.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "tsearch/ts_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
}

namespace simhash
{

namespace
{

void count_piece(TextFeatures *features, const char *text, std::size_t length, bool last,
                 CountedFeatures *counted)
{
    std::uint64_t hashes[256];
    std::size_t count;
    features->read_from(text, length, last);
    while ((count = features->next(hashes, lengthof(hashes))) > 0) {
        CHECK_FOR_INTERRUPTS();
        for (std::size_t i = 0; i < count; i++)
            counted->add(hashes[i], 1);
    }
}

// A large document is converted to UTF-8 in pieces. Each begins at a byte below 0x80, which is an ASCII
// character in every server encoding.
void count_converted(TextFeatures *features, const char *text, std::size_t length, CountedFeatures *counted)
{
    constexpr std::size_t kPiece = 1024 * 1024;
    for (std::size_t from = 0;;) {
        std::size_t end = std::min(length, from + kPiece);
        while (end < length && IS_HIGHBIT_SET(text[end]))
            end++;
        char *converted = pg_server_to_any(text + from, static_cast<int>(end - from), PG_UTF8);
        bool same = converted == text + from;
        count_piece(features, converted, same ? end - from : std::strlen(converted), end == length, counted);
        if (!same)
            pfree(converted);
        if (end == length)
            break;
        from = end;
    }
}

bool sum_text(Datum document, TextUnit unit, int size, SignatureSums out)
{
    text *value = DatumGetTextPP(document);
    const char *bytes = VARDATA_ANY(value);
    std::size_t length = VARSIZE_ANY_EXHDR(value);
    // In English text, every second or third word is new at first, and fewer are later.
    CountedFeatures counted(std::min<std::size_t>(length / 8, 65536));
    TextFeatures features;
    features.init(unit, size);
    if (needs_conversion() && !is_ascii(bytes, length))
        count_converted(&features, bytes, length, &counted);
    else
        count_piece(&features, bytes, length, true, &counted);
    if (reinterpret_cast<Pointer>(value) != DatumGetPointer(document))
        pfree(value);
    return counted.finish(out);
}

// (document text): the default features, which were chosen by measurement, see doc/features.md.
bool sum_default(FunctionCallInfo fcinfo, SignatureSums out)
{
    return sum_text(PG_GETARG_DATUM(0), TextUnit::kWord, 1, out);
}

// (document text, unit text, size integer): shingles with weight 1 + ln tf.
bool sum_shingles(FunctionCallInfo fcinfo, SignatureSums out)
{
    TextUnit unit = text_unit(PG_GETARG_TEXT_PP(1));
    int size = checked_shingle_size(PG_GETARG_INT32(2), kShingleSizeMax);
    return sum_text(PG_GETARG_DATUM(0), unit, size, out);
}

// (text[]): features with weight 1 + ln tf. NULL elements are skipped.
bool sum_array(FunctionCallInfo fcinfo, SignatureSums out)
{
    Elements elements = array_elements(PG_GETARG_ARRAYTYPE_P(0), TEXTOID);
    CountedFeatures counted(static_cast<std::size_t>(elements.count));
    for (int i = 0; i < elements.count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (elements.nulls[i])
            continue;
        text *feature = DatumGetTextPP(elements.values[i]);
        counted.add(text_feature_hash(VARDATA_ANY(feature), VARSIZE_ANY_EXHDR(feature)), 1);
    }
    return counted.finish(out);
}

// (text[], float8[]): features with given weights. The weights of a repeated feature are added. A feature is
// skipped if it is NULL or its weight is NULL or 0.
bool sum_weighted_array(FunctionCallInfo fcinfo, SignatureSums out)
{
    Elements features = list_argument(fcinfo, 0, TEXTOID, "features");
    Elements weights = list_argument(fcinfo, 1, FLOAT8OID, "weights");
    if (features.count != weights.count)
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                errmsg("there must be as many weights as features"),
                errdetail("There are %d features and %d weights.", features.count, weights.count));

    clear_sums(out);
    bool any = false;
    for (int i = 0; i < features.count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (features.nulls[i] || weights.nulls[i])
            continue;
        Weight weight = checked_weight(DatumGetFloat8(weights.values[i]));
        if (weight == 0)
            continue;
        text *feature = DatumGetTextPP(features.values[i]);
        if (!add_feature(out, text_feature_hash(VARDATA_ANY(feature), VARSIZE_ANY_EXHDR(feature)), weight))
            report_weights_overflow();
        any = true;
    }
    return any;
}

// (tsvector): lexemes. Each position counts 1, 2, 4 or 10 times if its label is D, C, B or A. A lexeme
// without positions counts once.
bool sum_tsvector(FunctionCallInfo fcinfo, SignatureSums out)
{
    static constexpr std::uint64_t kTimes[4] = {1, 2, 4, 10};
    TSVector vector = PG_GETARG_TSVECTOR(0);
    const char *strings = STRPTR(vector);
    const WordEntry *entries = ARRPTR(vector);
    CountedFeatures counted(static_cast<std::size_t>(vector->size));
    for (int i = 0; i < vector->size; i++) {
        CHECK_FOR_INTERRUPTS();
        const WordEntry *entry = &entries[i];
        std::uint64_t times = 0;
        if (entry->haspos) {
            const WordEntryPos *positions = POSDATAPTR(vector, entry);
            for (int position = 0; position < POSDATALEN(vector, entry); position++)
                times += kTimes[WEP_GETWEIGHT(positions[position])];
        }
        counted.add(text_feature_hash(strings + entry->pos, entry->len), times == 0 ? 1 : times);
    }
    return counted.finish(out);
}

[[noreturn]] void report_jsonb_kind(const char *found)
{
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("features must be a JSON object of numbers, not %s", found),
            errhint("Give each feature its weight, as in {\"word\": 1.5}."));
    pg_unreachable();
}

const char *jsonb_kind(const JsonbValue &value)
{
    switch (value.type) {
    case jbvString:
        return "a string";
    case jbvBool:
        return "a boolean";
    case jbvNumeric:
        return "a number";
    case jbvNull:
        return "null";
    case jbvArray:
        return "an array";
    case jbvObject:
        return "an object";
    case jbvBinary:
        return JsonContainerIsArray(value.val.binary.data) ? "an array" : "an object";
    default:
        return "of another kind";
    }
}

Weight jsonb_weight(const JsonbValue &key, const JsonbValue &value)
{
    if (value.type != jbvNumeric)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("weight of feature \"%.*s\" must be a number, not %s", key.val.string.len,
                       key.val.string.val, jsonb_kind(value)));
    // Converted from the decimal digits rather than through a double, so that the number is rounded only
    // once.
    const char *digits =
        DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value.val.numeric)));
    Weight weight = 0;
    if (parse_weight(digits, std::strlen(digits), &weight) != WeightsTextError::kNone)
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("weight of feature \"%.*s\" is out of range", key.val.string.len, key.val.string.val),
                errdetail("Weights lie between -2^39 and 2^39, about 549 billion."));
    return weight;
}

// (jsonb): {"feature": weight, ...}. Features with a weight of null or 0 are skipped.
bool sum_jsonb(FunctionCallInfo fcinfo, SignatureSums out)
{
    Jsonb *object = PG_GETARG_JSONB_P(0);
    if (JB_ROOT_IS_SCALAR(object)) {
        JsonbValue scalar;
        JsonbExtractScalar(&object->root, &scalar);
        report_jsonb_kind(jsonb_kind(scalar));
    }
    if (!JB_ROOT_IS_OBJECT(object))
        report_jsonb_kind("an array");

    clear_sums(out);
    bool any = false;
    JsonbIterator *iterator = JsonbIteratorInit(&object->root);
    JsonbValue key;
    JsonbValue value;
    JsonbIteratorToken token = JsonbIteratorNext(&iterator, &value, false);
    Assert(token == WJB_BEGIN_OBJECT);
    while ((token = JsonbIteratorNext(&iterator, &key, true)) == WJB_KEY) {
        CHECK_FOR_INTERRUPTS();
        (void)JsonbIteratorNext(&iterator, &value, true);
        if (value.type == jbvNull)
            continue;
        Weight weight = jsonb_weight(key, value);
        if (weight == 0)
            continue;
        std::uint64_t hash =
            text_feature_hash(key.val.string.val, static_cast<std::size_t>(key.val.string.len));
        if (!add_feature(out, hash, weight))
            report_weights_overflow();
        any = true;
    }
    return any;
}

using SumFeatures = bool (*)(FunctionCallInfo, SignatureSums);

// A document without features has no fingerprint: otherwise all empty documents would be duplicates of each
// other.
Datum return_fingerprint(FunctionCallInfo fcinfo, SumFeatures sum)
{
    Weights weights;
    if (!sum(fcinfo, {&weights, 1}))
        PG_RETURN_NULL();
    PG_RETURN_FINGERPRINT(weights_fingerprint(weights));
}

Datum return_weights(FunctionCallInfo fcinfo, SumFeatures sum)
{
    Weights weights;
    if (!sum(fcinfo, {&weights, 1}))
        PG_RETURN_NULL();
    return weights_datum(weights);
}

// The last argument is the number of bits.
Datum return_signature(FunctionCallInfo fcinfo, SumFeatures sum)
{
    int bits = checked_signature_bits(PG_GETARG_INT32(PG_NARGS() - 1));
    SignatureSums sums = allocate_sums(bits, CurrentMemoryContext);
    if (!sum(fcinfo, sums))
        PG_RETURN_NULL();
    return signature_datum(sums, bits);
}

Datum return_signature_weights(FunctionCallInfo fcinfo, SumFeatures sum)
{
    int bits = checked_signature_bits(PG_GETARG_INT32(PG_NARGS() - 1));
    SignatureSums sums = allocate_sums(bits, CurrentMemoryContext);
    if (!sum(fcinfo, sums))
        PG_RETURN_NULL();
    return sums_datum(sums, bits);
}

} // namespace

std::uint64_t text_feature_hash(const char *text, std::size_t length)
{
    Utf8Text feature = utf8_text(text, length);
    std::uint64_t hash = feature_hash(feature.bytes, feature.length);
    if (feature.bytes != text)
        pfree(const_cast<char *>(feature.bytes));
    return hash;
}

// For each kind of argument, one function returns the fingerprint and another the weights whose signs it consists
// of, and two more do the same for signatures.

SIMHASH_FUNCTION(to_simhash_text)
{
    return return_fingerprint(fcinfo, sum_default);
}
SIMHASH_FUNCTION(to_simhash_shingles)
{
    return return_fingerprint(fcinfo, sum_shingles);
}
SIMHASH_FUNCTION(to_simhash_array)
{
    return return_fingerprint(fcinfo, sum_array);
}
SIMHASH_FUNCTION(to_simhash_weighted_array)
{
    return return_fingerprint(fcinfo, sum_weighted_array);
}
SIMHASH_FUNCTION(to_simhash_tsvector)
{
    return return_fingerprint(fcinfo, sum_tsvector);
}
SIMHASH_FUNCTION(to_simhash_jsonb)
{
    return return_fingerprint(fcinfo, sum_jsonb);
}

SIMHASH_FUNCTION(to_simhash_weights_text)
{
    return return_weights(fcinfo, sum_default);
}
SIMHASH_FUNCTION(to_simhash_weights_shingles)
{
    return return_weights(fcinfo, sum_shingles);
}
SIMHASH_FUNCTION(to_simhash_weights_array)
{
    return return_weights(fcinfo, sum_array);
}
SIMHASH_FUNCTION(to_simhash_weights_weighted_array)
{
    return return_weights(fcinfo, sum_weighted_array);
}
SIMHASH_FUNCTION(to_simhash_weights_tsvector)
{
    return return_weights(fcinfo, sum_tsvector);
}
SIMHASH_FUNCTION(to_simhash_weights_jsonb)
{
    return return_weights(fcinfo, sum_jsonb);
}

SIMHASH_FUNCTION(to_signature_text)
{
    return return_signature(fcinfo, sum_default);
}
SIMHASH_FUNCTION(to_signature_shingles)
{
    return return_signature(fcinfo, sum_shingles);
}
SIMHASH_FUNCTION(to_signature_array)
{
    return return_signature(fcinfo, sum_array);
}
SIMHASH_FUNCTION(to_signature_weighted_array)
{
    return return_signature(fcinfo, sum_weighted_array);
}
SIMHASH_FUNCTION(to_signature_tsvector)
{
    return return_signature(fcinfo, sum_tsvector);
}
SIMHASH_FUNCTION(to_signature_jsonb)
{
    return return_signature(fcinfo, sum_jsonb);
}

SIMHASH_FUNCTION(to_signature_weights_text)
{
    return return_signature_weights(fcinfo, sum_default);
}
SIMHASH_FUNCTION(to_signature_weights_shingles)
{
    return return_signature_weights(fcinfo, sum_shingles);
}
SIMHASH_FUNCTION(to_signature_weights_array)
{
    return return_signature_weights(fcinfo, sum_array);
}
SIMHASH_FUNCTION(to_signature_weights_weighted_array)
{
    return return_signature_weights(fcinfo, sum_weighted_array);
}
SIMHASH_FUNCTION(to_signature_weights_tsvector)
{
    return return_signature_weights(fcinfo, sum_tsvector);
}
SIMHASH_FUNCTION(to_signature_weights_jsonb)
{
    return return_signature_weights(fcinfo, sum_jsonb);
}

} // namespace simhash
