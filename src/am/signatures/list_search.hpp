// A search for the nearest rows by lists, with a recall. It reads those with the nearest centers first, until it has read as
// many as the build has measured for the distance of the last row wanted (core/likely/list_recall.hpp), and returns
// the nearest rows in them. A query that is unlike the rows reads all lists. If more rows are wanted, because other
// conditions of the query exclude some, it reads the lists again and more of them, for all rows so far and four times as many
// as before.
//
// It becomes exact if it would read too many lists, or if all of them have too few rows.
#pragma once

#include "am/signatures/signature_search.hpp"

namespace simhash
{

struct ListSearch {
    double recall;
    Size wanted; // rows, in addition to those returned
    Size returned;
    std::uint64_t last;  // the rank of the last row returned; 0 before
    int known;           // the distance within which there are as many rows as wanted, -1 if unknown
    Size rows, capacity; // of the nearest rows found, in no order
    Hit *row;
    struct ListPlace {
        std::uint32_t list;
        BlockNumber head;
    };
    ListPlace *place; // the lists to read
    Size places;
};

// Starts a search for the nearest rows around the center of a ball, for which an exact one has been planned, unless the
// index has no lists or it would read too many of them. Returns whether it has.
bool begin_list_search(SignatureSearch *search, const SignatureBall &ball);
// Sets the results to the next of the nearest rows, sorted. Returns false if an exact search must find them: the rows at
// distance `*done` and nearer have been returned, and those at the next distance that were are in search->by_recall.
bool next_listed(SignatureSearch *search, Results *results, int *done);

// Whether a search for the nearest rows reads lists: if these typically cost less than an exact search, which takes `exact`
// microseconds. Sets the typical number of lists and their cost.
struct ListCost {
    double lists;
    double microseconds;
};
bool lists_suit(const ListMeta &meta, const StoreShape &shape, const SignatureIndexSize &size, double recall,
                double neighbors, double exact, ListCost *cost);

} // namespace simhash
