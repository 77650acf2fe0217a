// The aggregates minhash_agg and minhash_values_agg. Their input is one row for each feature.
//
// The state collects elements and adds them to the sketch many at a time, which is cheaper than one by one. A group
// of few features needs memory for them only.
#include "core/bits/feature_hash.hpp"
#include "pg/features/feature_aggregate.hpp"
#include "pg/features/minhash_value.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace simhash
{

namespace
{

constexpr int kFewElements = 32;
constexpr int kMostElements = 1024;

struct MinhashState {
    MinhashSketch sketch;
    Minima minima;           // of the sketch; without values while all elements are in `elements`
    std::uint64_t *elements; // not yet in the sketch
    int used, allocated;
};

void set_size(MinhashState *state, int size)
{
    set_result_size(&state->minima.size, checked_minhash_size(size),
                    "number of minima must be the same for all features of a sketch");
}

// Adds the collected elements to the sketch. The state stands for the same set as before.
void update_sketch(MinhashState *state, MemoryContext context)
{
    if (state->minima.values == nullptr) {
        state->minima = allocate_minima(state->minima.size, context);
        state->sketch.init(state->minima.values, state->minima.size);
    }
    state->sketch.add(state->elements, static_cast<std::size_t>(state->used));
    state->used = 0;
}

void add_element(MinhashState *state, std::uint64_t element, MemoryContext context)
{
    if (state->used == state->allocated && state->allocated == kMostElements)
        update_sketch(state, context);
    if (state->used == state->allocated) {
        int larger = state->allocated == 0 ? kFewElements : 2 * state->allocated;
        std::size_t bytes = static_cast<std::size_t>(larger) * sizeof(std::uint64_t);
        state->elements =
            static_cast<std::uint64_t *>(state->elements == nullptr ? MemoryContextAlloc(context, bytes)
                                                                    : repalloc(state->elements, bytes));
        state->allocated = larger;
    }
    state->elements[state->used++] = element;
}

bool without_features(const MinhashState &state) { return state.used == 0 && state.minima.values == nullptr; }

// Returns result(minima) of all elements, and NULL of none.
Datum finish(FunctionCallInfo fcinfo, Datum (*result)(Minima))
{
    MinhashState *state = state_argument<MinhashState>(fcinfo, 0);
    if (without_features(*state))
        PG_RETURN_NULL();
    update_sketch(state, aggregate_context(fcinfo));
    return result(state->minima);
}

Datum add_row(FunctionCallInfo fcinfo, std::uint64_t element)
{
    MinhashState *state = running_state<MinhashState>(fcinfo);
    set_size(state, PG_GETARG_INT32(2));
    add_element(state, element, aggregate_context(fcinfo));
    PG_RETURN_POINTER(state);
}

} // namespace

// minhash_accumulate(internal, text, integer). A row whose feature or
// size is NULL is skipped.
SIMHASH_FUNCTION(simhash_minhash_accumulate)
{
    Feature feature;
    if (PG_ARGISNULL(2) || !get_feature(fcinfo, false, &feature))
        PG_RETURN_POINTER(running_state<MinhashState>(fcinfo));
    return add_row(fcinfo, feature.hash);
}

// minhash_combine(internal, internal) -> internal
SIMHASH_FUNCTION(simhash_minhash_combine)
{
    MemoryContext context = aggregate_context(fcinfo);
    MinhashState *state = running_state<MinhashState>(fcinfo);
    const MinhashState *other = PG_ARGISNULL(1) ? nullptr : state_argument<MinhashState>(fcinfo, 1);
    if (other == nullptr || without_features(*other))
        PG_RETURN_POINTER(state);
    set_size(state, other->minima.size);
    for (int i = 0; i < other->used; i++)
        add_element(state, other->elements[i], context);
    if (other->minima.values != nullptr) {
        update_sketch(state, context);
        state->sketch.unite(other->minima.values);
    }
    PG_RETURN_POINTER(state);
}

// The binary form: the number of minima, that of elements, the elements, and if there are any, the minima.
SIMHASH_FUNCTION(simhash_minhash_serialize)
{
    aggregate_context(fcinfo);
    const MinhashState *state = state_argument<MinhashState>(fcinfo, 0);
    StringInfoData buffer;
    pq_begintypsend(&buffer);
    pq_sendint32(&buffer, static_cast<uint32>(state->minima.size));
    pq_sendint32(&buffer, static_cast<uint32>(state->used));
    for (int i = 0; i < state->used; i++)
        pq_sendint64(&buffer, state->elements[i]);
    for (int i = 0; state->minima.values != nullptr && i < state->minima.size; i++)
        pq_sendint64(&buffer, state->minima.values[i]);
    PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

SIMHASH_FUNCTION(simhash_minhash_deserialize)
{
    aggregate_context(fcinfo);
    StringInfoData buffer = state_reader(PG_GETARG_BYTEA_PP(0));
    auto *state = allocate_zero<MinhashState>();
    int size = static_cast<int>(pq_getmsgint(&buffer, 4));
    int used = static_cast<int>(pq_getmsgint(&buffer, 4));
    if (size != 0)
        set_size(state, size);
    for (int i = 0; i < used; i++)
        add_element(state, static_cast<std::uint64_t>(pq_getmsgint64(&buffer)), CurrentMemoryContext);
    if (buffer.cursor < buffer.len) {
        Minima minima = allocate_minima(size, CurrentMemoryContext);
        for (int i = 0; i < size; i++)
            minima.values[i] = static_cast<std::uint64_t>(pq_getmsgint64(&buffer));
        update_sketch(state, CurrentMemoryContext);
        state->sketch.unite(minima.values);
    }
    pq_getmsgend(&buffer);
    PG_RETURN_POINTER(state);
}

SIMHASH_FUNCTION(simhash_minhash_final)
{
    return finish(fcinfo, minhash_bits_datum);
}

SIMHASH_FUNCTION(simhash_minhash_values_final)
{
    return finish(fcinfo, minima_datum);
}

} // namespace simhash
