// Plain SQL joins on the distance between a row's value and another row's: FROM q JOIN page ON page.h <@> q.h <= 3.
//
// PostgreSQL joins by a nested loop, with an index scan of the inner table for each outer row. A Simhash Join gathers outer
// rows, from any plan, as many as there is memory for, and searches the index for all of them together (am/match): queries
// share the leaves that they read.
//
//   join_path   adds the path to a join if the planner has an index scan of the inner table with a ball around outer
//               values; estimates its cost
//   join_plan   makes the plan node of the path
//   join_scan   executes it      join_explain   shows it
//   join_pairs_path, join_pairs   another method, if both tables have an index (join_pairs.hpp)
//
// window_groups is apart: simhash_group, by the pairs of the rows of a window.
//
// The planner has matched the condition with the index, so everything that it requires holds: security barriers, partial
// indexes, operator classes. What it leaves to the node:
//
//   - The values of a row of the outer side, of which it makes what a scan of the index would search for: a ball, with the
//     mask of the columns before the searched one, or the sketch of a text.
//   - All conditions of the join, with that of the index, and those of the inner table are tested for each row found. So
//     the index may find more, and an EvalPlanQual test needs no index.
//   - Inner, left, semi and anti joins. The table must be the inner side; PostgreSQL offers both orders.
//   - The rows come in no order. The node cannot run backwards or return to a mark: PostgreSQL adds a Materialize.
//   - Of partitions and children, those that are left at planning are searched one after the other for each batch. The
//     rows found are fetched as rows of the parent.
//   - The node is not offered for partitions that a comparison of their key excludes during execution, or whose rows an
//     EvalPlanQual test may need; for lateral references, TABLESAMPLE, WHERE CURRENT OF, and conditions without columns,
//     which older versions lose above a custom scan of a join.
#pragma once

namespace simhash
{

// Registers the plan node and adds a hook to the planner. Call once, when the library is loaded.
void install_joins();

} // namespace simhash
