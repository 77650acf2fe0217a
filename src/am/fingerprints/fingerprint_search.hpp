// A search, leaf by leaf, for the rows within a radius (exactly or by weights) or for the NULLs.
#pragma once

#include "am/fingerprints/guided_source.hpp"
#include "am/search/exact_source.hpp"
#include "am/search/scan_keys.hpp"

namespace simhash
{

// Beyond this radius, searches by weights are exact, unless they have a limit of probes. The model describes
// near-duplicates. At this distance most rows are unrelated, and all cells are equally likely to contain them.
inline constexpr int kFarthestGuided = 16;

inline bool is_guided(const GuidedBall &ball, int radius)
{
    return radius <= kFarthestGuided || ball.most_probes > 0;
}

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

// Passed to simhash_index_probe_plan and simhash_index_calibrate for every leaf that a search reads.
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

    bool keep_pin; // keep a leaf's pin until the next leaf is requested
    Buffer pin;
    LeafTrace *trace;     // usually null
    std::uint16_t *match; // memory for a leaf's matches
    Hit *hit;             // memory for a leaf's rows

    bool exactly() const { return reader.source == &exact; }
    bool for_nulls() const { return reader.source == &nulls; }
};

// Prepares a search of an index. It allocates memory in the current memory context.
void prepare_search(Search *search, Relation index, const IndexMeta *meta, const ScanKeys *keys);
void free_search(Search *search);

void begin_search(Search *search, Fingerprint center, int radius);
// Starts a search by weights with a recall below 1. If it would probe more leaves than an exact search reads,
// it searches the rest exactly. So it costs at most about twice as much as an exact search, and always
// reaches its target.
void begin_guided_search(Search *search, const GuidedBall &ball, int radius);
void begin_null_search(Search *search);

// Restricts the rest of the search to rows within this radius.
void narrow_search(Search *search, int radius);

// Reads up to the next leaf that has results. Returns false at the end.
bool next_leaf(Search *search, Results *results);

void release_pin(Search *search);

} // namespace simhash
