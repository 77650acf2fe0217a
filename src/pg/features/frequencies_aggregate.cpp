// feature_frequencies_agg: in how many documents each feature occurs. feature_frequency and feature_rarity look one up.
//
// The state counts up to a million features exactly. When there are more, it forgets the rarer half and remembers how
// often the most frequent of these occurred: no count is too low by more than the sum of these numbers.
#include <new>

#include "pg/features/feature_aggregate.hpp"
#include "pg/features/read_features.hpp"
#include "pg/types/frequencies_type.hpp"

namespace simhash
{

namespace
{

constexpr std::size_t kCountedMax = 1048576;
// Results of this size weigh as well as larger ones (doc/features.md).
constexpr std::uint32_t kKeptDefault = 16384;

struct FrequenciesState {
    MemoryContext context; // null before the first document
    CountedFeatures *features;
    FrequenciesHeader header;
};

FeatureFrequency *list_features(const FeatureCounts &counts)
{
    auto *list = static_cast<FeatureFrequency *>(
        palloc_extended(Max(counts.size(), 1) * sizeof(FeatureFrequency), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
    std::size_t next = 0;
    for (const FeatureCount *slot = counts.slots(); slot < counts.slots() + counts.capacity(); slot++)
        if (slot->count != 0) {
            list[next].hash = slot->hash;
            list[next++].documents = static_cast<std::uint32_t>(slot->count);
        }
    return list;
}

// Begins a state in a memory context, or checks that it counts such features.
void set_features(MemoryContext context, FrequenciesState *state, FrequencyUnit unit, int size)
{
    FrequenciesHeader header = {};
    header.unit = unit;
    header.size = static_cast<std::uint8_t>(size);
    if (state->context != nullptr) {
        check_same_features(state->header, header);
        return;
    }
    state->context = context;
    state->features = new (MemoryContextAlloc(state->context, sizeof(CountedFeatures))) CountedFeatures;
    state->header = header;
}

void forget_rare(FrequenciesState *state)
{
    FeatureFrequency *list = list_features(state->features->counts());
    std::uint32_t kept =
        keep_frequent(list, state->features->counts().size(), kCountedMax / 2, &state->header.missed);
    state->features->release();
    new (state->features) CountedFeatures;
    state->features->expect(kCountedMax);
    for (std::uint32_t i = 0; i < kept; i++)
        state->features->add(list[i].hash, list[i].documents);
    pfree(list);
}

void add_feature(FrequenciesState *state, std::uint64_t hash, std::uint32_t documents)
{
    if (state->features->counts().size() == kCountedMax)
        forget_rare(state);
    state->features->add(hash, documents);
}

// Adds the documents of another state or value, but not its features.
void add_header(FrequenciesState *state, const FrequenciesHeader &other)
{
    state->header.documents = add_documents(state->header.documents, other.documents);
    state->header.missed = add_documents(state->header.missed, other.missed);
}

// Counts a document, unless it is empty.
void begin_document(FrequenciesState *state, std::size_t features)
{
    FrequenciesHeader one = {};
    one.documents = features > 0;
    add_header(state, one);
}

// Counts the features of one document.
void add_document(FrequenciesState *state, CountedFeatures *document)
{
    const FeatureCounts &counts = document->counts();
    begin_document(state, counts.size());
    MemoryContext before = MemoryContextSwitchTo(state->context);
    document->in_pieces([&](std::size_t from, std::size_t to) {
        for (const FeatureCount *slot = counts.slots() + from; slot < counts.slots() + to; slot++)
            if (slot->count != 0)
                add_feature(state, slot->hash, 1);
    });
    MemoryContextSwitchTo(before);
    document->release();
}

void add_listed(FrequenciesState *state, const FeatureFrequency *features, std::size_t count)
{
    MemoryContext before = MemoryContextSwitchTo(state->context);
    for (std::size_t i = 0; i < count; i++) {
        if (i % 65536 == 0)
            CHECK_FOR_INTERRUPTS();
        add_feature(state, features[i].hash, features[i].documents);
    }
    MemoryContextSwitchTo(before);
}

Datum accumulate_text(FunctionCallInfo fcinfo, Shingles shingles)
{
    auto *state = running_state<FrequenciesState>(fcinfo);
    if (!PG_ARGISNULL(1)) {
        set_features(aggregate_context(fcinfo), state,
                     shingles.unit == TextUnit::kWord ? FrequencyUnit::kWord : FrequencyUnit::kCharacter,
                     shingles.size);
        CountedFeatures document;
        count_text(fcinfo, 1, shingles, &document);
        add_document(state, &document);
    }
    PG_RETURN_POINTER(state);
}

// A state between processes: the header, whose count is that of the features, and these.
struct PassedState {
    FrequenciesHeader header;
    std::uint32_t zero;
};
static_assert(sizeof(PassedState) % alignof(FeatureFrequency) == 0);

} // namespace

// feature_frequencies_accumulate(internal, text [, unit, size]): the transition functions.
SIMHASH_FUNCTION(simhash_feature_frequencies_accumulate_text)
{
    return accumulate_text(fcinfo, kDefaultShingles);
}
SIMHASH_FUNCTION(simhash_feature_frequencies_accumulate_shingles)
{
    if (PG_ARGISNULL(2) || PG_ARGISNULL(3))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("unit and size must not be NULL"));
    return accumulate_text(fcinfo, shingle_arguments(fcinfo, 2));
}
SIMHASH_FUNCTION(simhash_feature_frequencies_accumulate_vector)
{
    auto *state = running_state<FrequenciesState>(fcinfo);
    if (!PG_ARGISNULL(1)) {
        set_features(aggregate_context(fcinfo), state, FrequencyUnit::kGiven, 1);
        FeatureVector document = vector_value(fcinfo, 1);
        begin_document(state, document.size());
        MemoryContext before = MemoryContextSwitchTo(state->context);
        for (std::size_t i = 0; i < document.size(); i++) {
            if (i % 65536 == 0)
                CHECK_FOR_INTERRUPTS();
            add_feature(state, document.hash(i), 1);
        }
        MemoryContextSwitchTo(before);
    }
    PG_RETURN_POINTER(state);
}

// feature_frequencies_accumulate(internal, feature_frequencies): adds a value.
SIMHASH_FUNCTION(simhash_feature_frequencies_accumulate_value)
{
    auto *state = running_state<FrequenciesState>(fcinfo);
    if (!PG_ARGISNULL(1)) {
        FeatureFrequencies value = frequencies_value(fcinfo, 1);
        set_features(aggregate_context(fcinfo), state, value.header().unit, value.header().size);
        add_header(state, value.header());
        for (std::uint32_t i = 0; i < value.header().count; i++) {
            FeatureFrequency feature = value.at(i);
            add_listed(state, &feature, 1);
        }
    }
    PG_RETURN_POINTER(state);
}

SIMHASH_FUNCTION(simhash_feature_frequencies_combine)
{
    auto *state = running_state<FrequenciesState>(fcinfo);
    const FrequenciesState *other = PG_ARGISNULL(1) ? nullptr : state_argument<FrequenciesState>(fcinfo, 1);
    if (other != nullptr && other->context != nullptr) {
        set_features(aggregate_context(fcinfo), state, other->header.unit, other->header.size);
        add_header(state, other->header);
        FeatureFrequency *list = list_features(other->features->counts());
        add_listed(state, list, other->features->counts().size());
        pfree(list);
    }
    PG_RETURN_POINTER(state);
}

SIMHASH_FUNCTION(simhash_feature_frequencies_serialize)
{
    aggregate_context(fcinfo);
    const auto *state = state_argument<FrequenciesState>(fcinfo, 0);
    bool empty = state->context == nullptr;
    std::size_t count = empty ? 0 : state->features->counts().size();
    PassedState passed = {state->header, 0};
    passed.header.count = static_cast<std::uint32_t>(count);
    passed.header.version = empty ? 0 : kFrequenciesVersion;
    std::size_t size = VARHDRSZ + sizeof(passed) + count * sizeof(FeatureFrequency);
    auto *bytes = static_cast<bytea *>(palloc(size));
    SET_VARSIZE(bytes, size);
    std::memcpy(VARDATA(bytes), &passed, sizeof(passed));
    if (!empty) {
        FeatureFrequency *list = list_features(state->features->counts());
        std::memcpy(VARDATA(bytes) + sizeof(passed), list, count * sizeof(FeatureFrequency));
        pfree(list);
    }
    PG_RETURN_BYTEA_P(bytes);
}

SIMHASH_FUNCTION(simhash_feature_frequencies_deserialize)
{
    aggregate_context(fcinfo);
    bytea *bytes = PG_GETARG_BYTEA_PP(0);
    PassedState passed;
    std::memcpy(&passed, VARDATA_ANY(bytes), sizeof(passed));
    auto *state = allocate_zero<FrequenciesState>();
    if (passed.header.version == kFrequenciesVersion) {
        // Only until it has been combined with another.
        set_features(CurrentMemoryContext, state, passed.header.unit, passed.header.size);
        add_header(state, passed.header);
        state->features->expect(std::size_t{passed.header.count} * 4 / 3);
        for (std::uint32_t i = 0; i < passed.header.count; i++) {
            FeatureFrequency feature;
            std::memcpy(&feature, VARDATA_ANY(bytes) + sizeof(passed) + i * sizeof(feature), sizeof(feature));
            add_listed(state, &feature, 1);
        }
    }
    PG_RETURN_POINTER(state);
}

SIMHASH_FUNCTION(simhash_feature_frequencies_final)
{
    aggregate_context(fcinfo);
    const auto *state = PG_ARGISNULL(0) ? nullptr : state_argument<FrequenciesState>(fcinfo, 0);
    if (state == nullptr || state->context == nullptr)
        PG_RETURN_NULL();
    FeatureFrequency *list = list_features(state->features->counts());
    return frequencies_datum(state->header, list, state->features->counts().size(), kKeptDefault);
}

// feature_frequency(feature_frequencies, feature text) -> bigint: the documents that have it; NULL if it is not kept.
SIMHASH_FUNCTION(simhash_feature_frequency)
{
    FeatureFrequencies frequencies = frequencies_value(fcinfo, 0);
    std::int64_t place = frequencies.find(text_feature_hash(PG_GETARG_TEXT_PP(1)));
    if (place < 0)
        PG_RETURN_NULL();
    PG_RETURN_INT64(frequencies.at(static_cast<std::uint32_t>(place)).documents);
}

// feature_rarity(feature_frequencies, feature text) -> float8: the factor of its weight.
SIMHASH_FUNCTION(simhash_feature_rarity)
{
    PG_RETURN_FLOAT8(frequencies_value(fcinfo, 0).rarity_of(text_feature_hash(PG_GETARG_TEXT_PP(1))) / 256.0);
}

} // namespace simhash
