// Arguments and results of the type simhash_weights.
#pragma once

#include "core/features/weights.hpp"
#include "core/features/weights_format.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

// Reads a stored value, which may be toasted. Raises XX001 if no version of the extension could have written
// it.
Weights read_weights(Datum datum);

// Reads the external form from a message. Another version raises 0A000.
void receive_weights(struct StringInfoData *message, Weights *out);

// Returns the fingerprint that the signs of stored weights form.
Fingerprint weights_signs(Datum datum);

// Returns a new value in the current memory context.
Datum weights_datum(const Weights &weights);

// The nearest real, which has the same sign. A conversion through double would round twice.
inline Datum weight_real(Weight weight)
{
    return Float4GetDatum(static_cast<float4>(weight) / static_cast<float4>(kWeightOne));
}

struct Feature {
    std::uint64_t hash;
    Weight weight;
};

inline constexpr const char *kWeightRange = "Weights lie between -2^39 and 2^39, about 549 billion.";

// Converts a feature's weight. NaN and infinities raise 22023, numbers out of range raise 22003.
Weight checked_weight(double number);

// The same for the weight of a feature. One that is not 0 but would be rounded to 0 raises 22003.
Weight feature_weight(double number);

[[noreturn]] void report_weights_overflow();
[[noreturn]] void report_small_weight();

} // namespace simhash
