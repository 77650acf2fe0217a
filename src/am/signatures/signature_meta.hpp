// The metapage of an index on signatures.
//
// It has the layout of the keys, chosen from a sample when the index was built, and the place of the store's first map
// page. The entries of the trees hold keys of one or two words, and store positions in place of tids; those of
// the NULLs hold tids.
#pragma once

#include "am/index/meta.hpp"
#include "am/index/options.hpp"

#include "core/page/store_page.hpp"

namespace simhash
{

struct SignatureMeta : IndexMeta {
    int declared; // length of the signatures by the column's type, or -1
    BlockNumber map;
    ListMeta lists;
    SignatureLayout layout; // the last member: its end may be unused

    StoreShape shape() const { return store_shape(layout.bytes(), BLCKSZ); }
};

extern const IndexKind kSignatures;

inline const SignatureMeta &signature_meta(const IndexMeta &meta)
{
    Assert(meta.kind == &kSignatures);
    return static_cast<const SignatureMeta &>(meta);
}

void use_meta_data(const SignatureMetaData &data, SignatureMeta *meta);

// The length of the signatures to index, from the type of the column or expression: bit(n) or a domain over it.
// Returns -1 if there is none.
int declared_bits(Relation index);
// Raises 55000 if the column's type declares another length than the index's. Without a declared length, as after
// ALTER COLUMN TYPE varbit, which rewrites nothing, the metapage decides.
void check_declared_bits(Relation index, const SignatureMeta &meta);
// The number of trees of an index on signatures of n bits: as many as wanted, or as fit.
int signature_trees(const IndexOptions &options, int bits);

} // namespace simhash
