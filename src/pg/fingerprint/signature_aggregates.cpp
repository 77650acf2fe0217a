// The aggregates signature_agg and signature_weights_agg. Their input is one row for each feature.
//
// The state holds the sums, and how many features are in them: without features the result is NULL. The same state
// serves groups and the moving frames of windows, from which features are removed again.
#include "core/weights/weights_format.hpp"
#include "pg/fingerprint/signature_value.hpp"
#include "pg/input/feature_row.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace simhash
{

namespace
{

struct SignatureState {
    SignatureSums sums; // if bits > 0
    int bits;           // 0 before the first feature
    std::int64_t features;
};

SignatureState *state_argument(FunctionCallInfo fcinfo, int argument)
{
    return reinterpret_cast<SignatureState *>(PG_GETARG_POINTER(argument));
}

SignatureState *running_state(FunctionCallInfo fcinfo)
{
    MemoryContext context = aggregate_context(fcinfo);
    if (!PG_ARGISNULL(0))
        return state_argument(fcinfo, 0);
    return static_cast<SignatureState *>(MemoryContextAllocZero(context, sizeof(SignatureState)));
}

// All features of a group are given with the same number of bits.
void set_bits(FunctionCallInfo fcinfo, SignatureState *state, int bits)
{
    if (state->bits == checked_signature_bits(bits))
        return;
    if (state->bits != 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of bits must be the same for all features of a signature"),
                errdetail("It is %d, and was %d before.", bits, state->bits));
    SignatureSums sums = allocate_sums(bits, aggregate_context(fcinfo));
    clear_sums(sums);
    state->sums = sums;
    state->bits = bits;
}

// Adds the row's feature (direction 1) or removes it (-1) by adding the opposite weight. A row whose number of bits
// is NULL is skipped, like one whose feature is.
Datum move_feature(FunctionCallInfo fcinfo, int direction)
{
    SignatureState *state = running_state(fcinfo);
    int last = PG_NARGS() - 1;
    Feature feature;
    if (!PG_ARGISNULL(last) && get_feature(fcinfo, last == 3, &feature)) {
        set_bits(fcinfo, state, PG_GETARG_INT32(last));
        if (!add_feature(state->sums, feature.hash, direction * feature.weight))
            report_weights_overflow();
        state->features += direction;
    }
    PG_RETURN_POINTER(state);
}

// The binary form: the number of bits and of features, and the weights of each word.
bytea *write_state(const SignatureState &state)
{
    StringInfoData buffer;
    pq_begintypsend(&buffer);
    pq_sendint32(&buffer, static_cast<uint32>(state.bits));
    pq_sendint64(&buffer, static_cast<uint64>(state.features));
    for (std::size_t i = 0; i < signature_word_count(state.bits); i++) {
        std::uint8_t word[kExternalWeightsSize];
        write_external_weights(state.sums.word[i], word);
        pq_sendbytes(&buffer, reinterpret_cast<const char *>(word), sizeof(word));
    }
    return pq_endtypsend(&buffer);
}

SignatureState *read_state(bytea *bytes)
{
    StringInfoData buffer = {};
    buffer.data = VARDATA_ANY(bytes);
    buffer.len = buffer.maxlen = static_cast<int>(VARSIZE_ANY_EXHDR(bytes));
    auto *state = static_cast<SignatureState *>(palloc0(sizeof(SignatureState)));
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

// signature_move_in(internal, text [, float8], integer) and signature_move_out: the transition functions.
SIMHASH_FUNCTION(signature_move_in)
{
    return move_feature(fcinfo, 1);
}
SIMHASH_FUNCTION(signature_move_out)
{
    return move_feature(fcinfo, -1);
}

// signature_combine(internal, internal) -> internal
SIMHASH_FUNCTION(signature_combine)
{
    SignatureState *state = running_state(fcinfo);
    const SignatureState *other = PG_ARGISNULL(1) ? nullptr : state_argument(fcinfo, 1);
    if (other != nullptr && other->bits != 0) {
        set_bits(fcinfo, state, other->bits);
        for (std::size_t i = 0; i < state->sums.words; i++)
            if (!add_weights(&state->sums.word[i], other->sums.word[i]))
                report_weights_overflow();
        state->features += other->features;
    }
    PG_RETURN_POINTER(state);
}

SIMHASH_FUNCTION(signature_serialize)
{
    aggregate_context(fcinfo);
    PG_RETURN_BYTEA_P(write_state(*state_argument(fcinfo, 0)));
}

SIMHASH_FUNCTION(signature_deserialize)
{
    aggregate_context(fcinfo);
    PG_RETURN_POINTER(read_state(PG_GETARG_BYTEA_PP(0)));
}

SIMHASH_FUNCTION(signature_final)
{
    aggregate_context(fcinfo);
    const SignatureState *state = state_argument(fcinfo, 0);
    if (state->features == 0)
        PG_RETURN_NULL();
    return signature_datum(state->sums, state->bits);
}

SIMHASH_FUNCTION(signature_weights_final)
{
    aggregate_context(fcinfo);
    const SignatureState *state = state_argument(fcinfo, 0);
    if (state->features == 0)
        PG_RETURN_NULL();
    return sums_datum(state->sums, state->bits);
}

} // namespace simhash
