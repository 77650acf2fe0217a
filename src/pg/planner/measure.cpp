#include "pg/planner/measure.hpp"

#include "core/minhash/estimate.hpp"
#include "pg/planner/expression.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
}

namespace simhash
{

namespace
{

// The similarity that is assumed of a threshold that the planner does not know.
constexpr double kUnknownSimilarity = 0.8;

// The limit of a distance is the radius itself.
Node *distance_radius(PlannerInfo * /*root*/, Oid /*schema*/, Node *limit, int /*bits*/) { return limit; }

// Returns a call that the planner evaluates if it can. It computes the radius by similarity_estimate, as the condition
// computes the similarity, so both agree for every threshold.
Node *similarity_limit_radius(PlannerInfo *root, Oid schema, Node *limit, int bits)
{
    const Oid types[] = {FLOAT8OID, INT4OID};
    const Oid function = find_function(schema, "minhash_threshold_radius", types, lengthof(types));

    if (!OidIsValid(function) || bits <= 0)
        return nullptr;
    Node *length = reinterpret_cast<Node *>(
        makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(bits), false, true));
    Node *radius = call_function(function, INT4OID, list_make2(copyObjectImpl(limit), length));
    return eval_const_expressions(root, cast_implicitly(radius, INT8OID));
}

// A null limit matches nothing.
int estimate_similarity_radius(PlannerInfo *root, Node *limit, int bits)
{
    Node *node = estimate_expression_value(root, limit);
    const Const *constant = reinterpret_cast<const Const *>(node);

    if (bits <= 0)
        return kEmptyRadius;
    if (!IsA(node, Const) || constant->consttype != FLOAT8OID)
        return similarity_radius(kUnknownSimilarity, bits);
    return constant->constisnull ? kEmptyRadius
                                 : similarity_radius(DatumGetFloat8(constant->constvalue), bits);
}

} // namespace

const Measure kDistanceMeasure = {false, distance_radius, estimate_radius};
const Measure kSimilarityMeasure = {true, similarity_limit_radius, estimate_similarity_radius};

} // namespace simhash
