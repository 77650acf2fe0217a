// The aggregates of features into sums: simhash_agg and simhash_weights_agg, signature_agg and
// signature_weights_agg. Their input is one row for each feature, or for the first two, for each set of weights.
//
// The state is the sums and how many features are in them: without one, the result is NULL. A fingerprint's sums are one
// word.
#include "core/features/weights_format.hpp"
#include "pg/features/feature_aggregate.hpp"
#include "pg/features/signature_value.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace simhash
{

namespace
{

struct SumsState {
    SignatureSums sums; // if bits > 0
    int bits;           // 0 before the first feature
    std::int64_t features;
};

void set_bits(FunctionCallInfo fcinfo, SumsState *state, int bits)
{
    if (!set_result_size(&state->bits, checked_signature_bits(bits),
                         "number of bits must be the same for all features of a signature"))
        return;
    state->sums = allocate_sums(bits, aggregate_context(fcinfo));
    clear_sums(state->sums);
}

// Adds the row's feature.
Datum accumulate_feature(FunctionCallInfo fcinfo, bool weighted, int bits)
{
    SumsState *state = running_state<SumsState>(fcinfo);
    Feature feature;
    if (get_feature(fcinfo, weighted, &feature)) {
        set_bits(fcinfo, state, bits);
        if (!add_feature(state->sums, feature.hash, feature.weight))
            report_weights_overflow();
        state->features++;
    }
    PG_RETURN_POINTER(state);
}

// Returns result(state) of a group, and NULL of one without features. Some final functions are called with NULL if there was
// no row.
template <typename Result> Datum finish(FunctionCallInfo fcinfo, Result result)
{
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    aggregate_context(fcinfo);
    const auto *state = state_argument<SumsState>(fcinfo, 0);
    if (state->features == 0)
        PG_RETURN_NULL();
    return result(*state);
}

// The binary form: the number of bits and of features, and the weights of each word.
bytea *write_state(const SumsState &state)
{
    StringInfoData buffer;
    pq_begintypsend(&buffer);
    pq_sendint32(&buffer, static_cast<uint32>(state.bits));
    pq_sendint64(&buffer, static_cast<uint64>(state.features));
    for (std::size_t i = 0; i < state.sums.words; i++) {
        std::uint8_t word[kExternalWeightsSize];
        write_external_weights(state.sums.word[i], word);
        pq_sendbytes(&buffer, reinterpret_cast<const char *>(word), sizeof(word));
    }
    return pq_endtypsend(&buffer);
}

SumsState *read_state(bytea *bytes)
{
    StringInfoData buffer = state_reader(bytes);
    auto *state = allocate_zero<SumsState>();
    state->bits = static_cast<int>(pq_getmsgint(&buffer, 4));
    state->features = pq_getmsgint64(&buffer);
    if (state->bits != 0)
        state->sums = allocate_sums(checked_signature_bits(state->bits), CurrentMemoryContext);
    for (std::size_t i = 0; i < state->sums.words; i++) {
        const char *word = pq_getmsgbytes(&buffer, kExternalWeightsSize);
        if (!read_external_weights(reinterpret_cast<const std::uint8_t *>(word), &state->sums.word[i]))
            ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                    errmsg("unsupported version of the state of an aggregate"));
    }
    pq_getmsgend(&buffer);
    return state;
}

} // namespace

// simhash_weights_accumulate(internal, text [, float8])
SIMHASH_FUNCTION(simhash_weights_accumulate)
{
    return accumulate_feature(fcinfo, PG_NARGS() > 2, kBits);
}

// simhash_weights_accumulate_weights(internal, simhash_weights)
SIMHASH_FUNCTION(simhash_weights_accumulate_weights)
{
    SumsState *state = running_state<SumsState>(fcinfo);
    if (!PG_ARGISNULL(1)) {
        const Weights other = read_weights(PG_GETARG_DATUM(1));
        set_bits(fcinfo, state, kBits);
        if (!add_weights(state->sums.word, other))
            report_weights_overflow();
        state->features++;
    }
    PG_RETURN_POINTER(state);
}

SIMHASH_FUNCTION(simhash_weights_final)
{
    return finish(fcinfo, [](const SumsState &state) { return weights_datum(state.sums.word[0]); });
}
SIMHASH_FUNCTION(simhash_final)
{
    return finish(fcinfo, [](const SumsState &state) {
        return fingerprint_datum(weights_fingerprint(state.sums.word[0]));
    });
}

// signature_accumulate(internal, text [, float8], integer). A row whose number of bits is NULL is skipped, like one whose
// feature is.
SIMHASH_FUNCTION(simhash_signature_accumulate)
{
    int last = PG_NARGS() - 1;
    if (PG_ARGISNULL(last))
        PG_RETURN_POINTER(running_state<SumsState>(fcinfo));
    return accumulate_feature(fcinfo, last == 3, PG_GETARG_INT32(last));
}

// signature_combine(internal, internal) -> internal
SIMHASH_FUNCTION(simhash_signature_combine)
{
    auto *state = running_state<SumsState>(fcinfo);
    const SumsState *other = PG_ARGISNULL(1) ? nullptr : state_argument<SumsState>(fcinfo, 1);
    if (other != nullptr && other->bits != 0) {
        set_bits(fcinfo, state, other->bits);
        for (std::size_t i = 0; i < state->sums.words; i++)
            if (!add_weights(&state->sums.word[i], other->sums.word[i]))
                report_weights_overflow();
        state->features += other->features;
    }
    PG_RETURN_POINTER(state);
}

SIMHASH_FUNCTION(simhash_signature_serialize)
{
    aggregate_context(fcinfo);
    PG_RETURN_BYTEA_P(write_state(*state_argument<SumsState>(fcinfo, 0)));
}
SIMHASH_FUNCTION(simhash_signature_deserialize)
{
    aggregate_context(fcinfo);
    PG_RETURN_POINTER(read_state(PG_GETARG_BYTEA_PP(0)));
}

SIMHASH_FUNCTION(simhash_signature_final)
{
    return finish(fcinfo, [](const SumsState &state) { return signature_datum(state.sums, state.bits); });
}
SIMHASH_FUNCTION(simhash_signature_weights_final)
{
    return finish(fcinfo, [](const SumsState &state) { return sums_datum(state.sums, state.bits); });
}

} // namespace simhash
