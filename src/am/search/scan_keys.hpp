// The keys of a scan in the form that searches use.
//
// There is one reader for all kinds of values. What it needs to know of a kind are the kind's `Terms`:
//
//   Value                              the center of a ball, the query of ORDER BY: cheap to copy
//   Guide                              a ball that tells where to search first, or permits a recall below 1
//   BallKey<Value, Guide> ball(key)    an operator's ball; no row is in one of a radius below 0
//   QueryKey<Value, Guide> query(key)  the query of an ORDER BY key
//   int distance(Value a, Value b)
//   int bits                           the largest distance
#pragma once

#include "am/index/stored_value.hpp"
#include "am/index/strategy.hpp"
#include "core/page/page.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "access/genam.h"
#include "access/relscan.h"
#include "access/skey.h"
}

#include <utility>

namespace simhash
{

// What does not depend on the values.
struct ScanKeys {
    bool values;  // rows with a value are wanted
    bool nulls;   // rows without one
    int balls;    // all must match
    bool recheck; // rows may not satisfy all conditions
    bool masked;  // the columns before the searched one have values, or there are none
    std::uint64_t mask;

    int orders;       // number of ORDER BY keys; 0 also if all are NULL
    int lead;         // the first that is not NULL, by whose distance rows are searched
    bool *null_order; // whether each is NULL
    bool
        centered; // the search is around the leading query: there is no ball, or the leading one has its center
    int farthest; // the largest distance to the leading query that a row can have

    // Reads the keys of the columns before the searched one.
    void read_mask(IndexScanDesc scan);
    // No row can match.
    void ask_for_nothing() { values = nulls = false; }
    // Reads a key that is IS NULL or IS NOT NULL, or whose argument is NULL. Returns false if it is an operator with an
    // argument. If the index extracts what it stores, the rows without a value may have one in their column.
    bool read_null_test(const ScanKeyData &key, bool extracted);
};

// A condition on the distance to a center.
template <typename Value, typename Guide> struct BallKey {
    Value center;
    int radius;
    bool exact;         // the recall is 1
    const Guide *guide; // null if there is none
};
template <typename Value, typename Guide> struct QueryKey {
    Value value;
    const Guide *guide;
};

template <typename Terms> struct KeysOf : ScanKeys {
    using Value = typename Terms::Value;
    using Guide = typename Terms::Guide;

    BallKey<Value, Guide> *ball; // ball[0] leads: it has the smallest radius
    QueryKey<Value, Guide> *order;

    const QueryKey<Value, Guide> &lead_query() const { return order[lead]; }
};

// Allocates memory for the keys in the current memory context.
template <typename Terms> void prepare_scan_keys(KeysOf<Terms> *keys, int nkeys, int norderbys)
{
    const Size balls = static_cast<Size>(nkeys) + 1, orders = static_cast<Size>(norderbys) + 1;
    keys->ball = static_cast<decltype(keys->ball)>(palloc(sizeof(*keys->ball) * balls));
    keys->order = static_cast<decltype(keys->order)>(palloc(sizeof(*keys->order) * orders));
    keys->null_order = allocate<bool>(orders);
}

// Whether a ball leads before another one. Of two balls with the same radius, an exact one leads. So a search is
// approximate only if the condition that permits this is the most restrictive one.
template <typename B> bool leads(const B &a, const B &b)
{
    return a.radius != b.radius ? a.radius < b.radius
           : a.exact != b.exact ? a.exact
                                : a.guide != nullptr && b.guide == nullptr;
}

template <typename Terms, typename B> void add_ball(const Terms &terms, KeysOf<Terms> *keys, const B &ball)
{
    keys->nulls = false;
    if (ball.radius < 0) {
        keys->ask_for_nothing();
        return;
    }
    for (int i = 0; i < keys->balls; i++) {
        if (terms.distance(ball.center, keys->ball[i].center) > ball.radius + keys->ball[i].radius)
            keys->ask_for_nothing();
    }
    B *lead = &keys->ball[0];
    keys->ball[keys->balls++] = ball;
    if (leads(ball, *lead))
        std::swap(*lead, keys->ball[keys->balls - 1]);
}

// ORDER BY h <@> NULL has no effect: the first key that is not NULL leads.
template <typename Terms>
void read_order(const Terms &terms, KeysOf<Terms> *keys, int orders, int number, const ScanKeyData &key)
{
    keys->null_order[number] = (key.sk_flags & SK_ISNULL) != 0;
    if (keys->null_order[number])
        return;
    keys->order[number] = terms.query(key);
    if (keys->orders > 0)
        return;
    keys->orders = orders;
    keys->lead = number;
}

template <typename Terms> void read_scan_keys(const Terms &terms, IndexScanDesc scan, KeysOf<Terms> *keys)
{
    keys->values = keys->nulls = true;
    keys->balls = 0;
    keys->read_mask(scan);
    const int column = value_column(scan->indexRelation);
    const bool extracted = extracts(scan->indexRelation);
    for (int i = 0; i < scan->numberOfKeys; i++) {
        const ScanKeyData &key = scan->keyData[i];
        if (key.sk_attno != column + 1 || keys->read_null_test(key, extracted))
            continue;
        keys->recheck = keys->recheck || is_rechecked(key.sk_strategy);
        if (keys->masked)
            add_ball(terms, keys, terms.ball(key));
        else
            keys->nulls = false;
    }
    keys->orders = 0;
    for (int i = 0; i < scan->numberOfOrderBys && keys->masked; i++)
        read_order(terms, keys, scan->numberOfOrderBys, i, scan->orderByData[i]);
    if (keys->orders == 0)
        return;
    keys->centered = keys->balls == 0 || terms.distance(keys->ball[0].center, keys->lead_query().value) == 0;
    keys->farthest = keys->balls > 0 && keys->centered ? keys->ball[0].radius : terms.bits;
}

} // namespace simhash
