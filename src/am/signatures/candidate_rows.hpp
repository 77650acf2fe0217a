// Verification: from the positions of candidates to the rows that the search returns. Compares the whole signatures,
// on their body pages; a page is read once for all of its candidates. A slot may hold another row than the one that
// the entry was made for, so the signature and the tid are read under one lock. All searches of a wide index end
// here.
#pragma once

#include "am/signatures/signature_search.hpp"

namespace simhash
{

// Adds a row of a locked body page to the hits unless its slot is free, it is outside one of the balls, or it has been
// returned. `distance` is to the query of the search.
void add_hit(SignatureSearch *search, const char *page, std::uint64_t position, int distance, Size *hits);
// Adds the rows of the candidates in search->position that match, ordered by page, to the hits. `step` is that of the
// plan whose leaf they come from, -1 if there is none.
Size verify(SignatureSearch *search, Size count, int step);

} // namespace simhash
