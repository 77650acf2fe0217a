// A search for many balls at once, whose matches are pulled: for a join that gathers the rows of its outer side.
//
//   MatchSearch *search = begin_match(…);
//   for each round of outer rows:
//       while there are rows and add_query(search, ball, number): the next row
//       while (TupleTableSlot *row = next_match(search, &number)): the row, in the ball of the query with this number
//   end_match(search);
//
// Queries share the leaves that they read, so a round should have as many as there is memory for. But for the first match
// the whole round is planned, so a join that may end early begins with small rounds.
//
// A query sees the rows as of the snapshot, and each row once for each ball that it is in; by weights, as many of them as
// the ball's recall promises. Matches come in no order of queries. Between two calls nothing of the index is pinned or
// locked, only the page of the table that the slot's row is on. Errors and the end of the memory context leave nothing
// behind, except for what the resource owner releases.
#pragma once

#include "pg/types/ball.hpp"

extern "C" {
#include "executor/tuptable.h"
#include "utils/rel.h"
#include "utils/snapshot.h"
}

namespace simhash
{

struct MatchSearch;

// Begins to search an index on fingerprints, and its table, under an MVCC snapshot. The relations stay open and locked
// until end_match. `bytes` are for queries, notes and waiting matches. Needs no privileges: the caller has checked those
// of the query.
MatchSearch *begin_match(Relation table, Relation index, Snapshot snapshot, Size bytes);

// Adds a query, which the caller means by `number`. Returns false, and has not added it, if there is no room: then all
// matches must be taken first.
bool add_query(MatchSearch *search, const GuidedBall &ball, int64 number);

// The next matching row, and the number of its query; null if there are no more of the queries added, which are forgotten
// then. The slot belongs to the search and must hold the row until the next call.
TupleTableSlot *next_match(MatchSearch *search, int64 *number);

// The query of the last match needs no more matches.
void finish_query(MatchSearch *search);

// Forgets all queries and their matches, and keeps the memory.
void reset_match(MatchSearch *search);

// What the search has done so far, for EXPLAIN.
struct MatchCounts {
    uint64 queries;
    uint64 leaves; // read
    uint64 rows;   // of the table that were fetched for those found
};
MatchCounts match_counts(const MatchSearch *search);

void end_match(MatchSearch *search);

} // namespace simhash
