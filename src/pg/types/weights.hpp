// The type simhash_weights as functions receive and return it.
#pragma once

#include "core/fingerprint/weights.hpp"
#include "core/fingerprint/weights_text.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

// Reads a stored value, toasted or not. What no version of the extension could have written is XX001.
void read_weights(Datum datum, Weights *out);

// The fingerprint that is the signs of stored weights.
Fingerprint weights_signs(Datum datum);

// A new value in the current memory context.
Datum weights_datum(const Weights &weights);

// A feature's weight. NaN and infinities are 22023, what is out of range is 22003.
Weight checked_weight(double number);

[[noreturn]] void report_weights_overflow();

} // namespace simhash
