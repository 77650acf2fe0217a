// Text input of fingerprints and weights: the output of what was read reads back as the same value.
#include "targets.hpp"

#include "core/bits/fingerprint.hpp"
#include "core/features/weights_format.hpp"

#include <memory>

namespace simhash
{

void fuzz_text(const std::uint8_t *data, std::size_t size)
{
    // Without a terminator.
    std::unique_ptr<char[]> text(new char[size]);
    if (size > 0)
        std::memcpy(text.get(), data, size);

    Fingerprint fingerprint, again;
    if (parse_fingerprint(text.get(), size, &fingerprint)) {
        char out[kHexDigits];
        format_fingerprint(fingerprint, out);
        FUZZ_EXPECT(parse_fingerprint(out, sizeof(out), &again) && again == fingerprint);
    }

    Weight weight, weight_again;
    if (parse_weight(text.get(), size, &weight) == WeightsTextError::kNone) {
        char out[kWeightTextMax];
        std::size_t length = format_weight(weight, out);
        FUZZ_EXPECT(length <= sizeof(out));
        FUZZ_EXPECT(parse_weight(out, length, &weight_again) == WeightsTextError::kNone &&
                    weight_again == weight);
    }

    auto weights = std::make_unique<Weights[]>(2);
    WeightsTextFault fault = {};
    if (parse_weights(text.get(), size, &weights[0], &fault) == WeightsTextError::kNone) {
        std::unique_ptr<char[]> out(new char[kWeightsTextMax]);
        std::size_t length = format_weights(weights[0], out.get());
        FUZZ_EXPECT(length <= kWeightsTextMax);
        FUZZ_EXPECT(parse_weights(out.get(), length, &weights[1], &fault) == WeightsTextError::kNone);
        FUZZ_EXPECT(std::memcmp(&weights[0], &weights[1], sizeof(Weights)) == 0);
    } else {
        FUZZ_EXPECT(fault.at <= size && fault.length <= size - fault.at);
    }
}

} // namespace simhash
