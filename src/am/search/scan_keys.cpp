#include "am/search/scan_keys.hpp"

#include "am/search/strategy.hpp"

#include "pg/types/weights_type.hpp"

namespace simhash
{

namespace
{

// Of two balls with the same radius, an exact one leads. So a search is approximate only if the condition
// that permits this is the most restrictive one.
void add_ball(ScanKeys *keys, Ball ball, const GuidedBall *guided = nullptr)
{
    keys->nulls = false;
    if (ball.radius < 0) {
        ask_for_nothing(keys);
        return;
    }
    for (int i = 0; i < keys->balls; i++) {
        if (hamming_distance(ball.center, keys->ball[i].center) > ball.radius + keys->ball[i].radius)
            ask_for_nothing(keys);
    }
    Ball *lead = &keys->ball[0];
    keys->ball[keys->balls++] = ball;
    if (keys->balls == 1 || ball.radius < lead->radius ||
        (ball.radius == lead->radius && keys->guided != nullptr && guided == nullptr)) {
        std::swap(*lead, keys->ball[keys->balls - 1]);
        keys->guided = guided;
    }
}

void read_operator(ScanKeys *keys, const ScanKeyData &key)
{
    switch (key.sk_strategy) {
    case kInBall:
        add_ball(keys, *reinterpret_cast<const Ball *>(DatumGetPointer(key.sk_argument)));
        break;
    case kNearDuplicate:
        add_ball(keys, {datum_fingerprint(key.sk_argument), kNearRadius, 0});
        break;
    case kInGuidedBall: {
        const GuidedBall &ball = datum_guided_ball(key.sk_argument);
        add_ball(keys, {ball.center, ball.radius, 0}, is_exact(ball) ? nullptr : &ball);
        break;
    }
    case kEqual:
        add_ball(keys, {datum_fingerprint(key.sk_argument), 0, 0});
        break;
    default:
        elog(ERROR, "unrecognized strategy number %d of a simhash index", key.sk_strategy);
    }
}

void read_order(ScanKeys *keys, int orders, int number, const ScanKeyData &key)
{
    OrderKey *order = &keys->order[number];
    *order = {(key.sk_flags & SK_ISNULL) != 0, 0};
    if (order->null)
        return;
    order->query = key.sk_strategy == kWeightsOrder ? weights_signs(key.sk_argument)
                                                    : datum_fingerprint(key.sk_argument);
    // ORDER BY h <@> NULL has no effect: the first key that is not NULL leads.
    if (keys->orders > 0)
        return;
    keys->orders = orders;
    keys->lead = order->query;
}

} // namespace

bool read_null_test(ScanKeys *keys, const ScanKeyData &key)
{
    if (key.sk_flags & SK_SEARCHNULL)
        keys->values = false;
    else if (key.sk_flags & SK_SEARCHNOTNULL)
        keys->nulls = false;
    else if (key.sk_flags & SK_ISNULL)
        ask_for_nothing(keys); // the operators are strict
    else
        return false;
    return true;
}

void prepare_scan_keys(ScanKeys *keys, int nkeys, int norderbys)
{
    keys->ball = static_cast<Ball *>(palloc(sizeof(Ball) * static_cast<Size>(nkeys + 1)));
    keys->order = static_cast<OrderKey *>(palloc(sizeof(OrderKey) * static_cast<Size>(norderbys + 1)));
}

void free_scan_keys(ScanKeys *keys)
{
    pfree(keys->ball);
    pfree(keys->order);
}

void read_scan_keys(IndexScanDesc scan, ScanKeys *keys)
{
    keys->values = keys->nulls = true;
    keys->balls = 0;
    keys->guided = nullptr;
    for (int i = 0; i < scan->numberOfKeys; i++) {
        if (!read_null_test(keys, scan->keyData[i]))
            read_operator(keys, scan->keyData[i]);
    }

    keys->orders = 0;
    for (int i = 0; i < scan->numberOfOrderBys; i++)
        read_order(keys, scan->numberOfOrderBys, i, scan->orderByData[i]);
}

} // namespace simhash
