// Reads the features of function arguments.
#include "pg/features/read_features.hpp"

#include "core/bits/feature_hash.hpp"
#include "pg/features/document_arguments.hpp"
#include "pg/features/utf8_text.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "tsearch/ts_type.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
}

#include <algorithm>

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
    while (features->next(hashes, lengthof(hashes), &count)) {
        CHECK_FOR_INTERRUPTS();
        for (std::size_t i = 0; i < count; i++)
            counted->add(hashes[i], 1);
    }
}

std::uint64_t text_hash(Datum feature) { return text_feature_hash(DatumGetTextPP(feature)); }

std::uint64_t bigint_hash(Datum feature) { return number_hash(DatumGetInt64(feature)); }

std::uint64_t given_hash(Datum hash) { return static_cast<std::uint64_t>(DatumGetInt64(hash)); }

[[noreturn]] void report_jsonb_kind(const char *found)
{
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("features must be a JSON object or array, not %s", found),
            errhint("Give each feature its weight, as in {\"word\": 1.5}, or list them, as in [\"word\"]."));
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

const char *quoted_key(const JsonbValue &key)
{
    const char *text = key.val.string.val;
    return pnstrdup(text, static_cast<Size>(quoted_length(text, static_cast<Size>(key.val.string.len))));
}

Weight jsonb_weight(const JsonbValue &key, const JsonbValue &value)
{
    if (value.type != jbvNumeric)
        ereport(
            ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("weight of feature \"%s\" must be a number, not %s", quoted_key(key), jsonb_kind(value)));
    // Converted from the decimal digits rather than through a double, so that the number is rounded only
    // once.
    char *digits = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value.val.numeric)));
    Weight weight = 0;
    if (parse_weight(digits, std::strlen(digits), &weight) != WeightsTextError::kNone || weight == INT64_MIN)
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("weight of feature \"%s\" is out of range", quoted_key(key)),
                errdetail("%s", kWeightRange));
    if (weight == 0 && std::strpbrk(digits, "123456789") != nullptr)
        report_small_weight();
    pfree(digits);
    return weight;
}

} // namespace

void count_text(FunctionCallInfo fcinfo, int argument, Shingles shingles, CountedFeatures *out)
{
    text *value = document_argument(fcinfo, argument);
    const char *bytes = VARDATA_ANY(value);
    std::size_t length = VARSIZE_ANY_EXHDR(value);
    // In English text, every second or third word is new at first, and fewer are later. Most long shingles are new.
    bool many = shingles.unit == TextUnit::kCharacter && shingles.size >= 4;
    out->expect(std::min<std::size_t>(many ? length : length / 8, 65536));
    TextFeatures features;
    features.init(shingles.unit, shingles.size);
    in_utf8_pieces(bytes, length, [&](const char *piece, std::size_t size, bool last) {
        count_piece(&features, piece, size, last, out);
        return true;
    });
    PG_FREE_IF_COPY(value, argument);
}

FeatureVector document_vector(FunctionCallInfo fcinfo, int argument, Shingles shingles)
{
    CountedFeatures counted;
    count_text(fcinfo, argument, shingles, &counted);
    return open_vector(reinterpret_cast<varlena *>(DatumGetPointer(counted.vector(false))));
}

void count_default(FunctionCallInfo fcinfo, int argument, CountedFeatures *out)
{
    count_text(fcinfo, argument, kDefaultShingles, out);
}

void count_shingles(FunctionCallInfo fcinfo, int argument, CountedFeatures *out)
{
    count_text(fcinfo, argument, shingle_arguments(fcinfo, argument + 1), out);
}

const ElementKind kTexts = {TEXTOID, "features", text_hash};
const ElementKind kNumbers = {INT8OID, "features", bigint_hash};
const ElementKind kHashes = {INT8OID, "hashes", given_hash};

void count_elements(FunctionCallInfo fcinfo, int argument, const ElementKind &kind, CountedFeatures *out)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
    Elements elements = array_elements(array, kind.type);
    out->expect(static_cast<std::size_t>(elements.count));
    for (int i = 0; i < elements.count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (!elements.nulls[i])
            out->add(kind.hash(elements.values[i]), 1);
    }
    free_elements(elements);
    PG_FREE_IF_COPY(array, argument);
}

void count_tsvector(FunctionCallInfo fcinfo, int argument, CountedFeatures *out)
{
    static constexpr std::uint64_t kTimes[4] = {1, 2, 4, 10};
    TSVector vector = PG_GETARG_TSVECTOR(argument);
    const char *strings = STRPTR(vector);
    const WordEntry *entries = ARRPTR(vector);
    out->expect(static_cast<std::size_t>(vector->size));
    for (int i = 0; i < vector->size; i++) {
        CHECK_FOR_INTERRUPTS();
        const WordEntry *entry = &entries[i];
        std::uint64_t times = 0;
        if (entry->haspos) {
            const WordEntryPos *positions = POSDATAPTR(vector, entry);
            for (int position = 0; position < POSDATALEN(vector, entry); position++)
                times += kTimes[WEP_GETWEIGHT(positions[position])];
        }
        out->add(text_feature_hash(strings + entry->pos, entry->len), times == 0 ? 1 : times);
    }
    PG_FREE_IF_COPY(vector, argument);
}

bool is_json_array(FunctionCallInfo fcinfo, int argument)
{
    Jsonb *value = PG_GETARG_JSONB_P(argument);
    return JB_ROOT_IS_ARRAY(value) && !JB_ROOT_IS_SCALAR(value);
}

void count_json_array(FunctionCallInfo fcinfo, int argument, CountedFeatures *out)
{
    Jsonb *array = PG_GETARG_JSONB_P(argument);
    out->expect(JB_ROOT_COUNT(array));
    JsonbIterator *iterator = JsonbIteratorInit(&array->root);
    JsonbValue value;
    (void)JsonbIteratorNext(&iterator, &value, false);
    while (JsonbIteratorNext(&iterator, &value, true) == WJB_ELEM) {
        CHECK_FOR_INTERRUPTS();
        if (value.type == jbvString) {
            out->add(text_feature_hash(value.val.string.val, static_cast<std::size_t>(value.val.string.len)),
                     1);
        } else if (value.type == jbvNumeric) {
            char *digits =
                DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value.val.numeric)));
            out->add(text_feature_hash(digits, std::strlen(digits)), 1);
            pfree(digits);
        } else if (value.type != jbvNull) {
            ereport(
                ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("a feature in a JSON array must be a string or a number, not %s", jsonb_kind(value)));
        }
    }
}

WeightedElements::WeightedElements(FunctionCallInfo fcinfo, int argument, const ElementKind &kind)
    : kind_(&kind), lists_(weighted_lists(fcinfo, argument, kind.type, kind.name))
{
}

bool WeightedElements::next(Feature *feature)
{
    while (next_ < lists_.features.count) {
        CHECK_FOR_INTERRUPTS();
        int i = next_++;
        if (lists_.features.nulls[i] || lists_.weights.nulls[i])
            continue;
        feature->weight = feature_weight(DatumGetFloat8(lists_.weights.values[i]));
        if (feature->weight == 0)
            continue;
        feature->hash = kind_->hash(lists_.features.values[i]);
        return true;
    }
    return false;
}

WeightedObject::WeightedObject(FunctionCallInfo fcinfo, int argument)
{
    Jsonb *object = PG_GETARG_JSONB_P(argument);
    if (JB_ROOT_IS_SCALAR(object)) {
        JsonbValue scalar;
        JsonbExtractScalar(&object->root, &scalar);
        report_jsonb_kind(jsonb_kind(scalar));
    }
    Assert(JB_ROOT_IS_OBJECT(object));
    iterator_ = JsonbIteratorInit(&object->root);
    JsonbValue value;
    [[maybe_unused]] JsonbIteratorToken token = JsonbIteratorNext(&iterator_, &value, false);
    Assert(token == WJB_BEGIN_OBJECT);
}

bool WeightedObject::next(Feature *feature)
{
    JsonbValue key;
    JsonbValue value;
    while (JsonbIteratorNext(&iterator_, &key, true) == WJB_KEY) {
        CHECK_FOR_INTERRUPTS();
        (void)JsonbIteratorNext(&iterator_, &value, true);
        if (value.type == jbvNull)
            continue;
        feature->weight = jsonb_weight(key, value);
        if (feature->weight == 0)
            continue;
        feature->hash = text_feature_hash(key.val.string.val, static_cast<std::size_t>(key.val.string.len));
        return true;
    }
    return false;
}

} // namespace simhash
