// The type feature_vector: its text and binary forms.
#include "pg/types/vector_type.hpp"

#include "core/features/weights_format.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/binary_form.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "miscadmin.h"
}

namespace simhash
{

namespace
{

constexpr const char *kTypeName = "feature_vector";

FeatureCount weight_slot(std::uint64_t hash, Weight weight)
{
    return {hash, static_cast<std::uint64_t>(weight) + kWeightZero};
}

// Whether feature i may follow those before it. Neither its count nor its weight may be 0, and a count of 0 is no weight.
bool valid_feature(const FeatureCount *features, std::size_t i, bool weighted)
{
    return features[i].count != 0 && (!weighted || features[i].count != kWeightZero) &&
           (i == 0 || features[i - 1].hash < features[i].hash);
}

bool read_feature(TextReader *reader, bool weighted, FeatureCount *out)
{
    std::uint64_t hash;
    if (!reader->read_number(16, UINT64_MAX, &hash) || !reader->take(":"))
        return false;
    if (!weighted) {
        out->hash = hash;
        return reader->read_number(10, UINT32_MAX, &out->count);
    }
    const char *number = reader->at();
    Weight weight;
    if (parse_weight(number, reader->skip_until(",}"), &weight) != WeightsTextError::kNone)
        return false;
    *out = weight_slot(hash, weight);
    return true;
}

} // namespace

FeatureVector open_vector(varlena *value)
{
    FeatureVector features;
    if (!features.open(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)))
        report_stored_value(stored_version(value), kVectorVersion, kTypeName);
    return features;
}

FeatureVector vector_value(FunctionCallInfo fcinfo, int argument)
{
    return open_vector(PG_GETARG_VARLENA_PP(argument));
}

Datum vector_datum(FeatureCount *features, std::size_t count, bool weighted)
{
    std::size_t size = VARHDRSZ + vector_size(weighted, count);
    if (size > MaxAllocSize)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("too many features for type %s", kTypeName),
                errdetail("%zu features take more than %zu bytes, the most that a value can have.", count,
                          static_cast<std::size_t>(MaxAllocSize)));
    auto *value = static_cast<varlena *>(palloc(size));
    SET_VARSIZE(value, size);
    write_vector(weighted, features, count, VARDATA(value), [] { CHECK_FOR_INTERRUPTS(); });
    return PointerGetDatum(value);
}

// feature_vector_in(cstring) -> feature_vector: <counts,{hash:count,...}> or <weights,{hash:weight,...}>.
SIMHASH_FUNCTION(simhash_feature_vector_in)
{
    const char *text = PG_GETARG_CSTRING(0);
    TextReader reader(text);
    bool weighted = reader.take("<weights,{");
    bool valid = weighted || reader.take("<counts,{");
    // A feature takes at least four characters.
    FeatureCount *features = allocate_counts(std::strlen(text) / 4 + 1);
    std::size_t count = 0;
    while (valid && *reader.at() != '}') {
        CHECK_FOR_INTERRUPTS();
        valid = (count == 0 || reader.take(",")) && read_feature(&reader, weighted, &features[count]) &&
                valid_feature(features, count, weighted);
        count++;
    }
    if (!valid || !reader.take("}>") || *reader.at() != '\0')
        SIMHASH_INPUT_ERROR(
            fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            errmsg("invalid input syntax for type %s: \"%s\"", kTypeName, quoted(text)),
            errdetail("The form is <counts,{hash:count,...}> or <weights,{hash:weight,...}>, with ascending "
                      "hashes."),
            errhint("Make values by the function features."));
    return vector_datum(features, count, weighted);
}

SIMHASH_FUNCTION(simhash_feature_vector_out)
{
    FeatureVector features = vector_value(fcinfo, 0);
    StringInfoData text;
    initStringInfo(&text);
    appendStringInfoString(&text, features.weighted() ? "<weights,{" : "<counts,{");
    for (std::size_t i = 0; i < features.size(); i++) {
        CHECK_FOR_INTERRUPTS();
        appendStringInfo(&text, "%s%016llx:", i == 0 ? "" : ",",
                         static_cast<unsigned long long>(features.hash(i)));
        char weight[kWeightTextMax];
        if (features.weighted())
            appendBinaryStringInfo(&text, weight,
                                   static_cast<int>(format_weight(features.weight(i), weight)));
        else
            appendStringInfo(&text, "%u", features.count(i));
    }
    appendStringInfoString(&text, "}>");
    PG_RETURN_CSTRING(text.data);
}

// feature_vector_recv(internal) -> feature_vector: the version 1 and the kind as bytes, the number of features as an
// integer, then for each its hash as a bigint, and its count as an integer or its weight as a bigint, in units of 2^-24.
// Raises 08P01, 0A000 or 22P03.
SIMHASH_FUNCTION(simhash_feature_vector_recv)
{
    StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    receive_version(message, kVectorVersion, kTypeName);
    int kind = pq_getmsgbyte(message);
    bool weighted = kind == 1;
    std::size_t count = pq_getmsgint(message, 4);
    std::size_t left = static_cast<std::size_t>(message->len - message->cursor);
    bool valid = kind <= 1 && left >= vector_size(weighted, count) - vector_size(weighted, 0);
    FeatureCount *features = allocate_counts(valid ? count : 0);
    for (std::size_t i = 0; valid && i < count; i++) {
        auto hash = static_cast<std::uint64_t>(pq_getmsgint64(message));
        if (weighted)
            features[i] = weight_slot(hash, pq_getmsgint64(message));
        else
            features[i] = {hash, pq_getmsgint(message, 4)};
        valid = valid_feature(features, i, weighted);
    }
    if (!valid)
        report_binary_value(kTypeName);
    return vector_datum(features, count, weighted);
}

SIMHASH_FUNCTION(simhash_feature_vector_send)
{
    FeatureVector features = vector_value(fcinfo, 0);
    StringInfoData buffer;
    pq_begintypsend(&buffer);
    pq_sendbyte(&buffer, kVectorVersion);
    pq_sendbyte(&buffer, features.weighted());
    pq_sendint32(&buffer, static_cast<std::uint32_t>(features.size()));
    for (std::size_t i = 0; i < features.size(); i++) {
        pq_sendint64(&buffer, features.hash(i));
        if (features.weighted())
            pq_sendint64(&buffer, features.weight(i));
        else
            pq_sendint32(&buffer, features.count(i));
    }
    PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

} // namespace simhash
