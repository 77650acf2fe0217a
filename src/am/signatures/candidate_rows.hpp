// From keys to candidates, and from candidates to the rows that a search returns: their whole signatures are compared, on
// their body pages. A page is read once for all of its candidates. A slot may hold another row than the one that the
// entry was made for, so the signature and the tid are read under one lock. All searches of an index on signatures end
// here.
#pragma once

#include "am/signatures/signature_search.hpp"

namespace simhash
{

void set_query_key(SignatureSearch *search, int tree);
// What is within a radius of the query's key in a tree.
LeafQuery key_query(const SignatureSearch &search, int tree, int radius);

// Sets the hits to the rows of the candidates in search->position that match. `returns` tells whether a row within the
// radius is one to return, if not all are. Returns the number of hits.
Size verify(SignatureSearch *search, Size count,
            bool (*returns)(const SignatureSearch &search, const std::uint8_t *signature) = nullptr);

// Finds the buffer of a body page that will be read next, or an invalid one.
Buffer find_body(const SignatureSearch &search, BlockNumber block);
// Adds the rows of a locked body page that match to the hits, and releases it. Fetches the lines of the next page
// meanwhile: if all were asked for at once, the processor would wait for them. Returns the number of hits.
Size add_body_rows(SignatureSearch *search, Buffer buffer, Buffer next, Size hits);

inline void note_tids(NumberSet *noted, const Hit *hit, Size hits)
{
    for (Size i = 0; i < hits; i++)
        insert(noted, hit[i].tid());
}

} // namespace simhash
