#include "am/signatures/signature_keys.hpp"

#include "am/search/strategy.hpp"
#include "am/signatures/store.hpp"
#include "pg/types/signature_type.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

struct Reading {
    Relation index;
    const IndexMeta *meta;
    SignatureKeys *keys;
    ScanKeys *generic;
};

const SignatureBall &checked_ball(const Reading &reading, Datum value)
{
    const SignatureBall &ball = datum_signature_ball(value);
    check_lengths(reading.meta->layout.bits, ball.bits);
    return ball;
}

const std::uint8_t *checked_signature(const Reading &reading, Datum value)
{
    SignatureView view = datum_signature(value);
    check_lengths(reading.meta->layout.bits, view.bits);
    return view.data;
}

void add_condition(const Reading &reading, SignatureCondition condition)
{
    SignatureKeys *keys = reading.keys;
    reading.generic->nulls = false;
    if (condition.radius < 0) {
        ask_for_nothing(reading.generic);
        return;
    }
    keys->ball[keys->balls++] = condition;
    if (condition.radius < keys->ball[0].radius)
        std::swap(keys->ball[0], keys->ball[keys->balls - 1]);
}

void read_operator(const Reading &reading, const ScanKeyData &key)
{
    switch (key.sk_strategy) {
    case kInBall: {
        const SignatureBall &ball = checked_ball(reading, key.sk_argument);
        add_condition(reading, {ball.signature, ball.radius, &ball});
        break;
    }
    case kEqual:
        // Strings of another length are not equal.
        if (SignatureView view = datum_signature(key.sk_argument); view.bits == reading.meta->layout.bits)
            add_condition(reading, {view.data, 0, nullptr});
        else
            ask_for_nothing(reading.generic);
        break;
    default:
        elog(ERROR, "unrecognized strategy number %d of a simhash index", key.sk_strategy);
    }
}

void read_order(const Reading &reading, int orders, int number, const ScanKeyData &key)
{
    ScanKeys *generic = reading.generic;
    generic->order[number] = {(key.sk_flags & SK_ISNULL) != 0, 0};
    // ORDER BY sig <@> NULL has no effect: the first key that is not NULL leads.
    if (generic->order[number].null || generic->orders > 0)
        return;
    generic->orders = orders;
    SignatureKeys *keys = reading.keys;
    keys->lead_number = number;
    if (key.sk_strategy == kWeightsOrder) {
        keys->lead_ball = &checked_ball(reading, key.sk_argument);
        keys->lead = keys->lead_ball->signature;
    } else {
        keys->lead = checked_signature(reading, key.sk_argument);
    }
}

} // namespace

void prepare_signature_keys(SignatureKeys *keys, int nkeys)
{
    keys->ball =
        static_cast<SignatureCondition *>(palloc(sizeof(SignatureCondition) * static_cast<Size>(nkeys + 1)));
    keys->context = AllocSetContextCreate(CurrentMemoryContext, "simhash scan keys", ALLOCSET_SMALL_SIZES);
}

void read_signature_keys(IndexScanDesc scan, const IndexMeta &meta, SignatureKeys *keys, ScanKeys *generic)
{
    Reading reading = {scan->indexRelation, &meta, keys, generic};
    MemoryContextReset(keys->context);
    MemoryContext caller = MemoryContextSwitchTo(keys->context);
    generic->values = generic->nulls = true;
    generic->balls = 0;
    generic->guided = nullptr;
    keys->balls = 0;
    for (int i = 0; i < scan->numberOfKeys; i++) {
        if (!read_null_test(generic, scan->keyData[i]))
            read_operator(reading, scan->keyData[i]);
    }

    generic->orders = 0;
    keys->lead = nullptr;
    keys->lead_ball = nullptr;
    for (int i = 0; i < scan->numberOfOrderBys; i++)
        read_order(reading, scan->numberOfOrderBys, i, scan->orderByData[i]);
    MemoryContextSwitchTo(caller);
}

} // namespace simhash
