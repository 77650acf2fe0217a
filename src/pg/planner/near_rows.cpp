#include "pg/planner/near_rows.hpp"

#include "pg/server/sibling.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

FindNearRows source;

// The column of a relation that an operand is, or 0.
AttrNumber column_of(const RelOptInfo *rel, Node *operand)
{
    operand = strip_relabels(operand);
    const auto *var = reinterpret_cast<const Var *>(operand);
    return IsA(operand, Var) && var->varlevelsup == 0 &&
                   var->varno == static_cast<decltype(var->varno)>(rel->relid)
               ? var->varattno
               : InvalidAttrNumber;
}

// Whether no value stands in this relation to itself: <, >, <>.
bool is_irreflexive(Oid op)
{
    Oid family, type;
    int16 strategy;
    if (get_ordering_op_properties(op, &family, &type, &strategy))
        return true;
    const Oid negator = get_negator(op);
    return OidIsValid(negator) && get_mergejoin_opfamilies(negator) != NIL;
}

const Expr *member_of(const EquivalenceClass *equal, const NearRows &rows, int column)
{
    ListCell *cell;
    foreach (cell, equal->ec_members) {
        const auto *member = static_cast<const EquivalenceMember *>(lfirst(cell));
        if (match_index_to_operand(reinterpret_cast<Node *>(member->em_expr), column,
                                   const_cast<IndexOptInfo *>(rows.index)))
            return member->em_expr;
    }
    return nullptr;
}

double number_of_values(PlannerInfo *root, const Expr *value)
{
    VariableStatData statistics;
    bool is_default;
    examine_variable(root, reinterpret_cast<Node *>(const_cast<Expr *>(value)), 0, &statistics);
    const double values = get_variable_numdistinct(&statistics, &is_default);
    ReleaseVariableStats(statistics);
    return std::max(values, 1.0);
}

// The number of values of an index's column that both relations are joined by, or 0 if they are not.
double values_of_column(PlannerInfo *root, const NearRows &a, const NearRows &b, int column)
{
    ListCell *cell;
    foreach (cell, root->eq_classes) {
        const auto *equal = static_cast<const EquivalenceClass *>(lfirst(cell));
        const Expr *value = member_of(equal, a, column);
        if (value != nullptr && member_of(equal, b, column) != nullptr)
            return number_of_values(root, value);
    }
    return 0;
}

// The number of values of a column of both relations that are required to be equal, or 1.
double values_of_class(PlannerInfo *root, const EquivalenceClass *equal, const RelOptInfo *a,
                       const RelOptInfo *b)
{
    ListCell *cell, *other;
    foreach (cell, equal->ec_members) {
        Expr *value = static_cast<const EquivalenceMember *>(lfirst(cell))->em_expr;
        const AttrNumber column = column_of(a, reinterpret_cast<Node *>(value));
        if (column == InvalidAttrNumber)
            continue;
        foreach (other, equal->ec_members) {
            if (column_of(b, reinterpret_cast<Node *>(
                                 static_cast<const EquivalenceMember *>(lfirst(other))->em_expr)) == column)
                return number_of_values(root, value);
        }
    }
    return 1;
}

} // namespace

bool NearRows::reaches(int radius) const
{
    return known() && radius <= neighbor_distance(bits, static_cast<int>(figures.steps) - 1);
}

double NearRows::at(const float *figure, int radius) const
{
    const int last = static_cast<int>(figures.steps) - 1;
    if (radius < 0)
        return 0;
    int step = 0;
    while (step < last && neighbor_distance(bits, step + 1) <= radius)
        step++;
    const int from = neighbor_distance(bits, step);
    const double here = static_cast<double>(figure[step]);
    if (step == last || radius == from)
        return here;
    const int to = neighbor_distance(bits, step + 1);
    return here + (static_cast<double>(figure[step + 1]) - here) * (radius - from) / (to - from);
}

void set_near_rows_source(FindNearRows find) { source = find; }

bool find_near_rows(const RelOptInfo *rel, Node *value, NearRows *found)
{
    found->figures.rows = 0;
    return source != nullptr && rel != nullptr && IS_SIMPLE_REL(rel) && value != nullptr &&
           source(rel, value, found);
}

bool same_table(PlannerInfo *root, const NearRows &a, const NearRows &b)
{
    return a.known() && b.known() &&
           planner_rt_fetch(a.index->rel->relid, root)->relid ==
               planner_rt_fetch(b.index->rel->relid, root)->relid &&
           a.index->indexoid == b.index->indexoid;
}

bool excludes_itself(const RelOptInfo *a, const RelOptInfo *b)
{
    ListCell *cell;
    foreach (cell, a->joininfo) {
        const Expr *clause = static_cast<const RestrictInfo *>(lfirst(cell))->clause;
        const auto *operation = reinterpret_cast<const OpExpr *>(clause);
        if (!IsA(clause, OpExpr) || list_length(operation->args) != 2)
            continue;
        auto *x = static_cast<Node *>(linitial(operation->args)),
             *y = static_cast<Node *>(lsecond(operation->args));
        const AttrNumber left = column_of(a, x), right = column_of(b, y);
        const AttrNumber other_left = column_of(b, x), other_right = column_of(a, y);
        if (((left != InvalidAttrNumber && left == right) ||
             (other_left != InvalidAttrNumber && other_left == other_right)) &&
            is_irreflexive(operation->opno))
            return true;
    }
    return false;
}

JoinedValues joined_values(PlannerInfo *root, const NearRows &a, const NearRows &b)
{
    JoinedValues joined = {1, 1};
    for (int column = 0; column < a.index->nkeycolumns - 1; column++)
        joined.of_columns *= values_of_column(root, a, b, column);
    joined.of_columns = std::max(joined.of_columns, 1.0);
    ListCell *cell;
    foreach (cell, root->eq_classes) {
        const auto *equal = static_cast<const EquivalenceClass *>(lfirst(cell));
        if (!equal->ec_has_const)
            joined.of_all *= values_of_class(root, equal, a.index->rel, b.index->rel);
    }
    return joined;
}

} // namespace simhash
