// The keys of a scan of a wide index.
#pragma once

#include "am/search/scan_keys.hpp"
#include "pg/types/signature_ball.hpp"

namespace simhash
{

// A ball of the WHERE clause.
struct SignatureCondition {
    const std::uint8_t *center;
    int radius;
    const SignatureBall *ball; // null if it came from another operator
};

struct SignatureKeys {
    int balls; // all must match; ball[0] has the smallest radius
    SignatureCondition *ball;
    const std::uint8_t *lead;       // the query of the first ORDER BY key that is not NULL
    const SignatureBall *lead_ball; // its ball, or null if it is a signature
    int lead_number;
    MemoryContext context; // of detoasted values; reset by each rescan
};

void prepare_signature_keys(SignatureKeys *keys, int nkeys);

// Reads the keys of the scan. What does not depend on the type of the column is read to `generic`.
void read_signature_keys(IndexScanDesc scan, const struct IndexMeta &meta, SignatureKeys *keys,
                         ScanKeys *generic);

} // namespace simhash
