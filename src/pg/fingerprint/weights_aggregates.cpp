// The aggregates simhash_agg and simhash_weights_agg. Their input is one row for each feature or for each set
// of weights.
//
// The state is of type simhash_weights, so that partial aggregates can be passed between processes and
// machines. It is kept unpacked and modified in place. NULL is the state before the first feature. When the
// aggregates run as moving aggregates of a window, their state also counts features: the result must be NULL
// again when the last feature leaves the frame.
#include "pg/types/weights_type.hpp"

#include "core/weights/weights_format.hpp"
#include "pg/input/feature_row.hpp"
#include "pg/server/compat.hpp"

namespace simhash
{

namespace
{

struct UnpackedState {
    char length[VARHDRSZ];
    StoredWeightsHeader header;
    Weights weights;
};
static_assert(sizeof(UnpackedState) == VARHDRSZ + kStoredWeightsMax);
static_assert(offsetof(UnpackedState, weights) == VARHDRSZ + sizeof(StoredWeightsHeader));

// Returns the state, argument 0, in a form that may be modified.
UnpackedState *running_state(FunctionCallInfo fcinfo)
{
    MemoryContext context = aggregate_context(fcinfo);
    Weights weights = {};
    if (!PG_ARGISNULL(0)) {
        // Only this file creates the unpacked form with a four-byte header, and always in the aggregate's
        // memory context.
        Pointer pointer = DatumGetPointer(PG_GETARG_DATUM(0));
        auto *state = reinterpret_cast<UnpackedState *>(pointer);
        if (VARATT_IS_4B_U(pointer) && VARSIZE(pointer) == sizeof(UnpackedState) &&
            is_unpacked(state->header))
            return state;
        read_weights(PG_GETARG_DATUM(0), &weights);
    }
    auto *state = static_cast<UnpackedState *>(MemoryContextAlloc(context, sizeof(UnpackedState)));
    SET_VARSIZE(state, sizeof(UnpackedState));
    state->header = {kWeightsVersion, 0, sizeof(Weight), 0};
    state->weights = weights;
    return state;
}

Datum same_state(FunctionCallInfo fcinfo)
{
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

struct MovingState {
    Weights weights;
    std::int64_t count; // number of features or sets of weights in the frame
};

MovingState *moving_state(FunctionCallInfo fcinfo)
{
    MemoryContext context = aggregate_context(fcinfo);
    if (!PG_ARGISNULL(0))
        return reinterpret_cast<MovingState *>(PG_GETARG_POINTER(0));
    return static_cast<MovingState *>(MemoryContextAllocZero(context, sizeof(MovingState)));
}

// Adds a feature to the frame (direction 1) or removes it (-1) by adding the opposite weight.
Datum move_feature(FunctionCallInfo fcinfo, int direction)
{
    MovingState *state = moving_state(fcinfo);
    Feature feature;
    if (get_feature(fcinfo, PG_NARGS() > 2, &feature)) {
        if (!add_feature(&state->weights, feature.hash, direction * feature.weight))
            report_weights_overflow();
        state->count += direction;
    }
    PG_RETURN_POINTER(state);
}

} // namespace

// simhash_weights_accumulate(simhash_weights, text [, float8]): the transition function for features.
SIMHASH_FUNCTION(simhash_weights_accumulate)
{
    Feature feature;
    if (!get_feature(fcinfo, PG_NARGS() > 2, &feature))
        return same_state(fcinfo);
    UnpackedState *state = running_state(fcinfo);
    if (!add_feature(&state->weights, feature.hash, feature.weight))
        report_weights_overflow();
    PG_RETURN_POINTER(state);
}

// simhash_weights_combine(simhash_weights, simhash_weights): the transition function for sets of weights, and
// the combine function of both aggregates.
SIMHASH_FUNCTION(simhash_weights_combine)
{
    if (PG_ARGISNULL(1))
        return same_state(fcinfo);
    UnpackedState *state = running_state(fcinfo);
    Weights other;
    read_weights(PG_GETARG_DATUM(1), &other);
    if (!add_weights(&state->weights, other))
        report_weights_overflow();
    PG_RETURN_POINTER(state);
}

// simhash_weights_final(simhash_weights) -> simhash_weights: packs the state.
SIMHASH_FUNCTION(simhash_weights_final)
{
    Weights weights;
    read_weights(PG_GETARG_DATUM(0), &weights);
    return weights_datum(weights);
}

SIMHASH_FUNCTION(simhash_weights_move_in)
{
    return move_feature(fcinfo, 1);
}
SIMHASH_FUNCTION(simhash_weights_move_out)
{
    return move_feature(fcinfo, -1);
}

SIMHASH_FUNCTION(simhash_weights_move_in_weights)
{
    MovingState *state = moving_state(fcinfo);
    if (!PG_ARGISNULL(1)) {
        Weights other;
        read_weights(PG_GETARG_DATUM(1), &other);
        if (!add_weights(&state->weights, other))
            report_weights_overflow();
        state->count++;
    }
    PG_RETURN_POINTER(state);
}

SIMHASH_FUNCTION(simhash_weights_move_out_weights)
{
    MovingState *state = moving_state(fcinfo);
    if (!PG_ARGISNULL(1)) {
        Weights other;
        read_weights(PG_GETARG_DATUM(1), &other);
        if (!subtract_weights(&state->weights, other))
            report_weights_overflow();
        state->count--;
    }
    PG_RETURN_POINTER(state);
}

// The final functions for a frame. They are called with NULL if there was no row.
SIMHASH_FUNCTION(simhash_weights_moving_final)
{
    if (PG_ARGISNULL(0) || moving_state(fcinfo)->count == 0)
        PG_RETURN_NULL();
    return weights_datum(moving_state(fcinfo)->weights);
}

SIMHASH_FUNCTION(simhash_moving_final)
{
    if (PG_ARGISNULL(0) || moving_state(fcinfo)->count == 0)
        PG_RETURN_NULL();
    PG_RETURN_FINGERPRINT(weights_fingerprint(moving_state(fcinfo)->weights));
}

} // namespace simhash
