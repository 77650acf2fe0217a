// The keys of a scan in the form that searches use.
#pragma once

#include "pg/types/ball.hpp"
#include "pg/types/guided_ball.hpp"

extern "C" {
#include "access/genam.h"
#include "access/relscan.h"
#include "access/skey.h"
}

namespace simhash
{

struct OrderKey {
    bool null;
    Fingerprint query;
};

struct ScanKeys {
    bool values; // rows with a fingerprint are wanted
    bool nulls;  // rows without one
    int balls;   // all must match; ball[0] has the smallest radius
    Ball *ball;
    const GuidedBall *guided; // ball[0] if it is one around weights with a recall below 1, otherwise null

    int orders; // number of ORDER BY keys; 0 also if all are NULL
    OrderKey *order;
    Fingerprint lead; // the query of the first ORDER BY key that is not NULL

    // Whether a fingerprint is within all balls.
    bool accept(Fingerprint fingerprint) const
    {
        for (int i = 0; i < balls; i++) {
            if (!in_ball(fingerprint, ball[i]))
                return false;
        }
        return true;
    }
};

// Reads a key that is IS NULL or IS NOT NULL, or whose argument is NULL. Returns false if it is an operator with an
// argument.
bool read_null_test(ScanKeys *keys, const ScanKeyData &key);
// No row can match.
inline void ask_for_nothing(ScanKeys *keys) { keys->values = keys->nulls = false; }

// Allocates memory for the keys in the current memory context.
void prepare_scan_keys(ScanKeys *keys, int nkeys, int norderbys);
void free_scan_keys(ScanKeys *keys);

// Reads the keys of the scan.
void read_scan_keys(IndexScanDesc scan, ScanKeys *keys);

} // namespace simhash
