// Signatures as SQL values: bit strings, and arrays of the sums that decide their bits.
#pragma once

#include "core/features/weights.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

// Numbers of bits that a signature cannot have raise 22023.
int checked_signature_bits(int bits);

// Memory for the sums, which is not cleared.
SignatureSums allocate_sums(int bits, MemoryContext context);

Datum signature_datum(SignatureSums sums, int bits);

// A real[] of the numbers nearest to the sums. The rounding keeps their signs.
Datum sums_datum(SignatureSums sums, int bits);

// The results of functions that sum features or project a vector. Without any, there is none: otherwise all empty documents
// would be duplicates of each other.
using Sum = bool (*)(FunctionCallInfo, SignatureSums);
Datum return_fingerprint(FunctionCallInfo fcinfo, Sum sum);
Datum return_weights(FunctionCallInfo fcinfo, Sum sum);
// result: signature_datum or sums_datum
Datum return_sums(FunctionCallInfo fcinfo, Sum sum, int bits, Datum (*result)(SignatureSums sums, int bits));

} // namespace simhash
