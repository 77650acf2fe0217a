#include "am/index/kind.hpp"

namespace simhash
{

namespace
{

constexpr int kMostKinds = 2;

const IndexKind *known[kMostKinds];
int count;

} // namespace

void define_kind(const IndexKind *kind)
{
    Assert(count < kMostKinds);
    known[count++] = kind;
}

const IndexKind &kind_for(Oid type)
{
    const IndexKind *other = nullptr;
    for (int i = 0; i < count; i++) {
        if (known[i]->type == type)
            return *known[i];
        if (known[i]->type == InvalidOid)
            other = known[i];
    }
    Assert(other != nullptr);
    return *other;
}

} // namespace simhash
