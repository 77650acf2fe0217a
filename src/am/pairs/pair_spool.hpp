// Rows in numbered stores. They stay in memory while there is room; beyond that, stores go to temporary
// files.
#pragma once

#include "am/pairs/joined_rows.hpp"

namespace simhash
{

struct PairSpool;

// A spool for about `rows` rows that uses at most `bytes` bytes.
PairSpool *begin_pair_spool(Size bytes, int stores, double rows);
void end_pair_spool(PairSpool *spool);
void clear_pair_spool(PairSpool *spool); // all stores are empty again
void add_row(PairSpool *spool, int number, Fingerprint word, uint64 tag);
uint64 spooled_rows(const PairSpool *spool, int number);
// Reads up to `most` rows of a store, starting with row number `from`.
void read_rows(PairSpool *spool, int number, uint64 from, Size most, Rows *rows);
// The memory that a store takes besides its rows.
inline constexpr Size kStoreBytes = BLCKSZ + 1024;

} // namespace simhash
