// The type feature_frequencies: its text and binary forms, sums and excerpts.
#include "pg/types/frequencies_type.hpp"

#include "core/text/text_features.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/binary_form.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace simhash
{

namespace
{

constexpr const char *kTypeName = "feature_frequencies";
constexpr const char *kUnitNames[] = {"word", "character", "given"};

FeatureFrequency *allocate_features(std::size_t count)
{
    return static_cast<FeatureFrequency *>(palloc(Max(count, 1) * sizeof(FeatureFrequency)));
}

bool valid_header(const FrequenciesHeader &header)
{
    int most = header.unit == FrequencyUnit::kGiven ? 1 : kShingleSizeMax;
    return header.unit <= FrequencyUnit::kGiven && header.size >= 1 && header.size <= most &&
           header.documents <= kDocumentsMax && header.missed <= header.documents && header.count <= kKeptMax;
}

// Whether a feature may follow another.
bool valid_feature(const FrequenciesHeader &header, const FeatureFrequency &feature,
                   const FeatureFrequency *before)
{
    return feature.documents >= 1 && feature.documents <= header.documents &&
           (before == nullptr || before->hash < feature.hash);
}

bool read_unit(TextReader *reader, FrequencyUnit *out)
{
    for (std::size_t unit = 0; unit < lengthof(kUnitNames); unit++)
        if (reader->take(kUnitNames[unit])) {
            *out = static_cast<FrequencyUnit>(unit);
            return true;
        }
    return false;
}

bool read_header(TextReader *reader, FrequenciesHeader *out)
{
    std::uint64_t size, documents, missed;
    if (!reader->take("<") || !read_unit(reader, &out->unit) || !reader->take(",") ||
        !reader->read_number(10, kShingleSizeMax, &size) || !reader->take(",") ||
        !reader->read_number(10, kDocumentsMax, &documents) || !reader->take(",") ||
        !reader->read_number(10, kDocumentsMax, &missed) || !reader->take(",{"))
        return false;
    out->size = static_cast<std::uint8_t>(size);
    out->documents = static_cast<std::uint32_t>(documents);
    out->missed = static_cast<std::uint32_t>(missed);
    return valid_header(*out);
}

bool read_feature(TextReader *reader, FeatureFrequency *out)
{
    std::uint64_t documents;
    if (!reader->read_number(16, UINT64_MAX, &out->hash) || !reader->take(":") ||
        !reader->read_number(10, kDocumentsMax, &documents))
        return false;
    out->documents = static_cast<std::uint32_t>(documents);
    return true;
}

} // namespace

FeatureFrequencies open_frequencies(varlena *value)
{
    FeatureFrequencies frequencies;
    if (!frequencies.open(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)))
        report_stored_value(stored_version(value), kFrequenciesVersion, kTypeName);
    return frequencies;
}

FeatureFrequencies frequencies_value(FunctionCallInfo fcinfo, int argument)
{
    return open_frequencies(PG_GETARG_VARLENA_PP(argument));
}

Datum frequencies_datum(FrequenciesHeader header, FeatureFrequency *features, std::size_t count,
                        std::uint32_t most)
{
    std::uint32_t kept = keep_frequent(features, count, most, &header.missed);
    header.missed = Min(header.missed, header.documents);
    std::size_t size = VARHDRSZ + frequencies_size(kept);
    auto *value = static_cast<varlena *>(palloc(size));
    SET_VARSIZE(value, size);
    write_frequencies(header, features, kept, VARDATA(value));
    return PointerGetDatum(value);
}

void check_same_features(const FrequenciesHeader &a, const FrequenciesHeader &b)
{
    if (a.unit != b.unit || a.size != b.size)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("cannot add frequencies of different features"),
                errdetail("One counts features of the kind %s, %d, the other %s, %d.",
                          kUnitNames[static_cast<int>(a.unit)], a.size, kUnitNames[static_cast<int>(b.unit)],
                          b.size));
}

std::uint32_t add_documents(std::uint32_t a, std::uint32_t b)
{
    if (b > kDocumentsMax - a)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("too many documents for type %s", kTypeName),
                errdetail("It counts at most %u.", kDocumentsMax));
    return a + b;
}

// feature_frequencies_in(cstring) -> feature_frequencies
SIMHASH_FUNCTION(simhash_feature_frequencies_in)
{
    const char *text = PG_GETARG_CSTRING(0);
    TextReader reader(text);
    FrequenciesHeader header = {};
    bool valid = read_header(&reader, &header);
    // A feature takes at least four characters.
    FeatureFrequency *features = allocate_features(Min(std::strlen(text) / 4, kKeptMax));
    while (valid && *reader.at() != '}') {
        CHECK_FOR_INTERRUPTS();
        bool first = header.count == 0;
        FeatureFrequency *feature = &features[header.count];
        valid = header.count < kKeptMax && (first || reader.take(",")) && read_feature(&reader, feature) &&
                valid_feature(header, *feature, first ? nullptr : feature - 1);
        header.count++;
    }
    if (!valid || !reader.take("}>") || *reader.at() != '\0')
        SIMHASH_INPUT_ERROR(
            fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            errmsg("invalid input syntax for type %s: \"%s\"", kTypeName, quoted(text)),
            errdetail(
                "The form is <unit,size,documents,missed,{hash:documents,...}>, with ascending hashes."),
            errhint("Make values by feature_frequencies_agg."));
    return frequencies_datum(header, features, header.count, kKeptMax);
}

SIMHASH_FUNCTION(simhash_feature_frequencies_out)
{
    FeatureFrequencies frequencies = frequencies_value(fcinfo, 0);
    const FrequenciesHeader &header = frequencies.header();
    StringInfoData text;
    initStringInfo(&text);
    appendStringInfo(&text, "<%s,%d,%u,%u,{", kUnitNames[static_cast<int>(header.unit)], header.size,
                     header.documents, header.missed);
    for (std::uint32_t i = 0; i < header.count; i++) {
        CHECK_FOR_INTERRUPTS();
        FeatureFrequency feature = frequencies.at(i);
        appendStringInfo(&text, "%s%016llx:%u", i == 0 ? "" : ",",
                         static_cast<unsigned long long>(feature.hash), feature.documents);
    }
    appendStringInfoString(&text, "}>");
    PG_RETURN_CSTRING(text.data);
}

// feature_frequencies_recv(internal) -> feature_frequencies: the version 1, unit and size as bytes, documents, missed
// and the number of features as integers, then a bigint and an integer for each. Raises 08P01, 0A000 or 22P03.
SIMHASH_FUNCTION(simhash_feature_frequencies_recv)
{
    StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    FrequenciesHeader header = {};
    receive_version(message, kFrequenciesVersion, kTypeName);
    header.unit = static_cast<FrequencyUnit>(pq_getmsgbyte(message));
    header.size = static_cast<std::uint8_t>(pq_getmsgbyte(message));
    header.documents = pq_getmsgint(message, 4);
    header.missed = pq_getmsgint(message, 4);
    header.count = pq_getmsgint(message, 4);
    bool valid = valid_header(header);
    FeatureFrequency *features = allocate_features(valid ? header.count : 0);
    for (std::uint32_t i = 0; valid && i < header.count; i++) {
        features[i].hash = static_cast<std::uint64_t>(pq_getmsgint64(message));
        features[i].documents = pq_getmsgint(message, 4);
        valid = valid_feature(header, features[i], i == 0 ? nullptr : &features[i - 1]);
    }
    if (!valid)
        report_binary_value(kTypeName);
    return frequencies_datum(header, features, header.count, kKeptMax);
}

SIMHASH_FUNCTION(simhash_feature_frequencies_send)
{
    FeatureFrequencies frequencies = frequencies_value(fcinfo, 0);
    const FrequenciesHeader &header = frequencies.header();
    StringInfoData buffer;
    pq_begintypsend(&buffer);
    pq_sendbyte(&buffer, kFrequenciesVersion);
    pq_sendbyte(&buffer, static_cast<std::uint8_t>(header.unit));
    pq_sendbyte(&buffer, header.size);
    pq_sendint32(&buffer, header.documents);
    pq_sendint32(&buffer, header.missed);
    pq_sendint32(&buffer, header.count);
    for (std::uint32_t i = 0; i < header.count; i++) {
        FeatureFrequency feature = frequencies.at(i);
        pq_sendint64(&buffer, feature.hash);
        pq_sendint32(&buffer, feature.documents);
    }
    PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

// feature_frequencies_top(feature_frequencies, features integer): the most frequent ones alone.
SIMHASH_FUNCTION(simhash_feature_frequencies_top)
{
    FeatureFrequencies frequencies = frequencies_value(fcinfo, 0);
    int most = PG_GETARG_INT32(1);
    if (most < 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of features %d is negative", most));
    std::uint32_t count = frequencies.header().count;
    FeatureFrequency *features = allocate_features(count);
    for (std::uint32_t i = 0; i < count; i++)
        features[i] = frequencies.at(i);
    return frequencies_datum(frequencies.header(), features, count, static_cast<std::uint32_t>(most));
}

} // namespace simhash
