// The number of tables that an index gets if its owner does not choose.
#pragma once

namespace simhash
{

// With more rows than this under each value of a header, 1.5 leaves of 8 kB, an additional table pays.
inline constexpr int kMostRowsOfHeader = 768;

// The least number of tables for which no header has too many of `rows` uniform rows; a search within the distance then
// reads one or two leaves of each. At distance 3: 4; 5 from 50 million rows, 6 from 201 million, 7 from 1.6 billion, and
// 8 from 3.2 billion. Beyond distance 3 always distance + 1: there, headers long enough would take several times the
// space. Requires: a distance from kMinDistance to kMaxDistance.
int default_tables(int distance, double rows);

} // namespace simhash
