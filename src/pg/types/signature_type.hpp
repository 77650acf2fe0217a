// Arguments and results of the type bit, which holds signatures.
#pragma once

#include "core/bits/signature.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

// Returns a view of a value of type bit or varbit. It is valid as long as the value, or, if that is compressed
// or stored out of line, as long as the current memory context.
SignatureView datum_signature(Datum datum);

// Returns a new value of type bit in the current memory context. The caller writes its bits to *data.
Datum make_signature(int bits, std::uint8_t **data);

// Returns a new value with these bits.
Datum signature_value(const SignatureView &signature);

// Raises 22026 if the lengths differ.
void check_lengths(int bits, int other_bits);

// Raises 22026 if the lengths differ.
inline int checked_distance(const SignatureView &a, const SignatureView &b)
{
    check_lengths(a.bits, b.bits);
    return signature_distance(a, b);
}

} // namespace simhash
