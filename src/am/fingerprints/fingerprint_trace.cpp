// simhash_index_trace(index, ball): the leaves that a search reads, in order; for a partitioned index, one partition
// after the other.
// It runs the search but does not read the table.
//
// Both the matches and the leaves reveal fingerprints: the boundary between two leaves is the key of some
// row. So these functions are for users who may read the rows, not for those who may only monitor.
#include "am/fingerprints/fingerprint_search.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
}

namespace simhash
{

namespace
{

// The numbers of the bits that are set, ascending, as an integer[]. Bit 0 is the lowest.
Datum bit_numbers(Fingerprint bits)
{
    Datum element[kBits];
    int count = 0;
    for (int bit = 0; bit < kBits; bit++) {
        if (bits >> bit & 1)
            element[count++] = Int32GetDatum(bit);
    }
    return PointerGetDatum(construct_array(element, count, INT4OID, 4, true, TYPALIGN_INT));
}

void add_leaf(const LeafRead &read, void *context)
{
    auto *rows = static_cast<TraceRows *>(context);
    Datum values[8];
    bool nulls[8] = {};
    values[0] = Int32GetDatum(++rows->steps);
    values[1] = Int32GetDatum(read.tree + 1);
    values[2] = Int64GetDatum(read.block);
    values[3] = Int32GetDatum(static_cast<int32>(read.matches));
    nulls[4] = nulls[5] = nulls[6] = read.probe == nullptr; // the search is exact, or has become so
    if (read.probe != nullptr) {
        values[4] = bit_numbers(read.probe->flips);
        values[5] = Float8GetDatum(read.probe->gain);
        values[6] = Float8GetDatum(read.probe->recall);
    }
    values[7] = ObjectIdGetDatum(rows->index);
    rows->rows.put(values, nulls);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_trace)
{
    using namespace simhash;
    run_trace(fcinfo, kFingerprints, [&](Relation index, TraceRows *rows) {
        IndexScanDesc scan = begin_scan(index, 1, 0);
        LeafTrace trace = {add_leaf, rows};
        fingerprint_search(scan)->trace = &trace;
        fingerprint_search(scan)->inspected = true;
        run_search(scan, kInBall, PG_GETARG_DATUM(1));
        discard_scan(scan);
    });
    PG_RETURN_NULL();
}
