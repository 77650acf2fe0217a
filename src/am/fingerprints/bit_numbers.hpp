// Bits of a fingerprint in a result of a function that inspects a search.
#pragma once

#include "core/fingerprint/fingerprint.hpp"
#include "pg/server/postgres.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
}

namespace simhash
{

// The numbers of the bits that are set, ascending, as an integer[]. Bit 0 is the lowest.
inline Datum bit_numbers(Fingerprint bits)
{
    Datum element[kBits];
    int count = 0;
    for (int bit = 0; bit < kBits; bit++) {
        if (bits >> bit & 1)
            element[count++] = Int32GetDatum(bit);
    }
    return PointerGetDatum(construct_array(element, count, INT4OID, 4, true, TYPALIGN_INT));
}

} // namespace simhash
