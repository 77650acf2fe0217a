// Pairs of signatures that are in no index: of rows with any numbers, which wait in a temporary file.
#pragma once

#include "am/pairs/pair_output.hpp"
#include "am/signatures/signature_meta.hpp"

extern "C" {
#include "storage/buffile.h"
}

namespace simhash
{

struct SpooledSignatures {
    int bits;
    StoreShape shape;
    BufFile *file;
    BlockNumber pages; // in the file
    uint64 rows;
    PGAlignedBlock page; // the one being filled
};

void begin_signatures(SpooledSignatures *signatures, int bits);
void add_signature(SpooledSignatures *signatures, const uint8 *signature, uint64 number);
// Finds pairs within a radius, and then closes the file. Rows with equal signatures are each linked to one; so these are
// not all pairs, but enough to find the groups.
void link_signatures(SpooledSignatures *signatures, int radius, PairSink sink);

} // namespace simhash
