// A search for the rows within a radius, leaf by leaf: exact, by weights, or for the rows that are NULL.
#pragma once

#include "am/search/exact_source.hpp"
#include "am/search/guided_source.hpp"
#include "am/search/scan_keys.hpp"

namespace simhash
{

// Beyond this radius searches by weights are exact. The model is one of near-duplicates: so far out most rows
// are none, and no cell is likelier than another.
inline constexpr int kFarthestGuided = 16;

struct Hit {
    Fingerprint fingerprint;
    uint64 tid; // packed, in the low 48 bits
};

// Rows to return.
struct Results {
    Hit *hit;
    Size hits;
    Size returned;
};

// What simhash_probe_plan and simhash_calibrate are told of every leaf that a search reads.
struct LeafRead {
    int table;
    BlockNumber block;
    Size matches;
    const GuidedProbe *probe; // null in an exact search
};

struct LeafTrace {
    void (*leaf)(const LeafRead &read, void *context);
    void *context;
};

struct Search {
    const IndexMeta *meta;
    const ScanKeys *keys; // rows are checked against all of their balls
    MemoryContext context;

    LeafReader reader;
    ExactSource exact;
    TreeWalk nulls;
    GuidedSource *guided; // null until one is needed
    bool by_weights;      // the search began with the guided source

    bool keep_pin; // a leaf's pin is kept until the next leaf is asked for
    Buffer pin;
    LeafTrace *trace;     // usually null
    std::uint16_t *match; // room for a leaf
    Hit *hit;             // likewise

    bool exactly() const { return reader.source == &exact; }
    bool for_nulls() const { return reader.source == &nulls; }
};

// Makes a search of an index, which allocates in the current memory context.
void prepare_search(Search *search, Relation index, const IndexMeta *meta, const ScanKeys *keys);
void free_search(Search *search);

void begin_search(Search *search, Fingerprint center, int radius);
// A search by weights that aims at a recall below 1. One that would probe more leaves than an exact search
// reads gives up and searches the rest exactly: so it costs at most about twice as much, and always reaches
// its target.
void begin_guided_search(Search *search, const GuidedBall &ball, int radius);
void begin_null_search(Search *search);

// From now on, only rows within this radius are needed.
void narrow_search(Search *search, int radius);

// Reads on to the next leaf that has results. False at the end.
bool next_leaf(Search *search, Results *results);

void release_pin(Search *search);

} // namespace simhash
