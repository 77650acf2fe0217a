#include "core/features/signature_sums.hpp"

#include <cstring>

#include "core/bits/contract.hpp"

namespace simhash
{

void clear_sums(SignatureSums sums) { std::memset(sums.word, 0, sums.words * sizeof(Weights)); }

bool add_feature(SignatureSums sums, std::uint64_t hash, Weight weight)
{
    for (std::size_t i = 0; i < sums.words; i++)
        if (!add_feature(&sums.word[i], hash_word(hash, i), weight))
            return false;
    return true;
}

void write_signature(SignatureSums sums, int bits, std::uint8_t *to)
{
    SIMHASH_ASSERT(signature_word_count(bits) <= sums.words);
    for (int bit = 0; bit < bits; bit += kBits) {
        Fingerprint word = weights_fingerprint(sums.word[bit / kBits]);
        int used = bits - bit < kBits ? bits - bit : kBits;
        if (used < kBits)
            word &= ~(~Fingerprint{0} >> used);
        for (int written = 0; written < used; written += 8)
            *to++ = static_cast<std::uint8_t>(word >> (kBits - 8 - written));
    }
}

} // namespace simhash
