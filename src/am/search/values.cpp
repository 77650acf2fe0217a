// Searches for rows with a value, of a fingerprint or of a signature.
#include "am/search/scan.hpp"

namespace simhash
{

namespace
{

bool same_signature(const ScanState &state, const std::uint8_t *a, const std::uint8_t *b)
{
    return std::memcmp(a, b, static_cast<Size>(state.signatures->shape.bytes)) == 0;
}

// Starts the search for the leading ball.
void begin_leading_ball(ScanState *state)
{
    if (state->signatures != nullptr) {
        const SignatureCondition &ball = state->signatures->keys.ball[0];
        if (ball.ball != nullptr && state->keys.orders == 0)
            begin_ball_search(state->signatures, *ball.ball, ball.radius);
        else
            begin_signature_search(state->signatures, ball.center, ball.radius);
    } else {
        const Ball &ball = state->keys.ball[0];
        begin_search(&state->search, ball.center, ball.radius);
    }
}

bool any_ball(const ScanState &state)
{
    return state.signatures != nullptr ? state.signatures->keys.balls > 0 : state.keys.balls > 0;
}

} // namespace

void begin_conditions(ScanState *state)
{
    const GuidedBall *guided = state->keys.guided;
    if (guided != nullptr && is_guided(*guided, guided->radius))
        begin_guided_search(&state->search, *guided, guided->radius);
    else if (any_ball(*state))
        begin_leading_ball(state);
    else if (state->signatures != nullptr)
        begin_signature_search(state->signatures, state->signatures->nowhere, state->meta->layout.bits);
    else
        begin_search(&state->search, 0, kBits);
}

bool begin_neighbors(ScanState *state)
{
    SignatureSearch *search = state->signatures;
    if (search == nullptr || search->keys.lead_ball == nullptr || is_exact(*search->keys.lead_ball) ||
        any_ball(*state))
        return false;
    return begin_ball_search(search, *search->keys.lead_ball, state->meta->layout.bits);
}

bool is_centered(const ScanState &state)
{
    if (!any_ball(state))
        return true;
    if (state.signatures != nullptr)
        return same_signature(state, state.signatures->keys.ball[0].center, state.signatures->keys.lead);
    return state.keys.ball[0].center == state.keys.lead;
}

int farthest_distance(const ScanState &state)
{
    bool within = any_ball(state) && is_centered(state);
    if (state.signatures != nullptr)
        return within ? state.signatures->keys.ball[0].radius : state.meta->layout.bits;
    return within ? state.keys.ball[0].radius : kBits;
}

void search_ring(ScanState *state, int high)
{
    const GuidedBall *guided = state->keys.guided;
    if (!is_centered(*state))
        begin_leading_ball(state);
    else if (state->signatures != nullptr)
        begin_signature_search(state->signatures, state->signatures->keys.lead, high);
    else if (guided != nullptr && is_guided(*guided, high))
        begin_guided_search(&state->search, *guided, high);
    else
        begin_search(&state->search, state->keys.lead, high);
}

void narrow_ring(ScanState *state, int radius)
{
    if (state->signatures != nullptr)
        narrow_signature_search(state->signatures, radius);
    else
        narrow_search(&state->search, radius);
}

bool next_values(ScanState *state, Results *results)
{
    return state->signatures != nullptr ? next_signatures(state->signatures, results)
                                        : next_leaf(&state->search, results);
}

int row_distance(const ScanState &state, const Hit &hit, int order)
{
    if (state.signatures != nullptr)
        return static_cast<int>(hit.fingerprint);
    return hamming_distance(hit.fingerprint, state.keys.order[order].query);
}

int lead_distance(const ScanState &state, const Hit &hit)
{
    if (state.signatures != nullptr)
        return static_cast<int>(hit.fingerprint);
    return hamming_distance(hit.fingerprint, state.keys.lead);
}

} // namespace simhash
