#include "am/signatures/signature_search.hpp"

#include "am/index/strategy.hpp"

#include "pg/server/settings.hpp"
#include "pg/types/signature_type.hpp"

namespace simhash
{

BallKey<const std::uint8_t *, SignatureBall> SignatureTerms::ball(const ScanKeyData &key) const
{
    switch (key.sk_strategy) {
    case kInBall: {
        const SignatureBall &ball = datum_signature_ball(key.sk_argument);
        check_lengths(bits, ball.bits);
        return {ball.signature, ball.radius, is_exact(ball), &ball};
    }
    case kEqual: {
        // Strings of another length are not equal.
        SignatureView view = datum_signature(key.sk_argument);
        return {view.data, view.bits == bits ? 0 : -1, true, nullptr};
    }
    case kBallsMeet: {
        // Balls of another length are not met.
        const SignatureBall &ball = datum_signature_ball(key.sk_argument);
        return {ball.signature, ball.bits == bits ? ball.radius : -1, true, nullptr};
    }
    default:
        elog(ERROR, "unrecognized strategy number %d of a simhash index", key.sk_strategy);
    }
    pg_unreachable();
}

QueryKey<const std::uint8_t *, SignatureBall> SignatureTerms::query(const ScanKeyData &key) const
{
    if (key.sk_strategy == kWeightsOrder) {
        const SignatureBall &ball = datum_signature_ball(key.sk_argument);
        check_lengths(bits, ball.bits);
        return {ball.signature, is_exact(ball) ? nullptr : &ball};
    }
    SignatureView view = datum_signature(key.sk_argument);
    check_lengths(bits, view.bits);
    return {view.data, nullptr};
}

int SignatureTerms::distance(Value a, Value b) const { return signature_distance(a, b, (bits + 7) / 8); }

void set_query_key(SignatureSearch *search, int table)
{
    std::uint64_t key[kMostKeyWords];
    signature_key(search->meta->layout, table, search->query, key);
    search->key[table] = key[0];
    search->second_word[table] = key[1];
}

LeafQuery key_query(const SignatureSearch &search, int table, int radius)
{
    return {{{search.key[table], search.meta->words == 2 ? search.second_word[table] : 0}}, radius, 0, 0};
}

double store_cost(const SignatureSearch &search, int radius)
{
    return scan_cost(search.meta->layout, search.shape, radius, search.size);
}

SignatureIndexSize signature_index_size(const SignatureLayout &layout, BlockNumber blocks)
{
    StoreShape shape = store_shape(layout.bytes(), BLCKSZ);
    double leaves_of_segment = layout.tables * shape.rows() / signature_leaf_rows(layout, BLCKSZ);
    double segments = blocks / (shape.pages() + leaves_of_segment);
    return signature_index_size(layout, shape, BLCKSZ, segments * shape.rows());
}

void set_query(SignatureSearch *search, const std::uint8_t *query, int radius)
{
    search->query = query;
    search->radius = radius;
    signature_sketch(search->meta->layout, query, search->sketch);
    double trees = plan_trees(search->meta->layout, radius, search->size, &search->exact.plan);
    search->scan_cost = store_cost(*search, radius);
    search->scanning = trees > search->scan_cost;
    search->exact_cost = Min(trees, search->scan_cost);
}

int planned_ring_end(const SignatureSearch &search, int done)
{
    return next_ring_end(search.meta->layout, done, store_cost(search, search.meta->bits), search.size);
}

} // namespace simhash
