// The two kinds of indexes. No other file knows both.
#include "am/handler.hpp"

#include "am/fingerprints/fingerprint_meta.hpp"
#include "am/index/kind.hpp"
#include "am/signatures/signature_meta.hpp"

namespace simhash
{

void define_kinds()
{
    define_kind(&kFingerprints);
    define_kind(&kSignatures);
}

} // namespace simhash
