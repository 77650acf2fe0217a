// The options WITH (design_radius = …, trees = …, lists = …, fillfactor = …). They are copied to the metapage when the index
// is built. ALTER INDEX … SET takes effect at the next REINDEX.
#pragma once

#include "core/layout/tree_design.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "utils/rel.h"
}

namespace simhash
{

inline constexpr int kDefaultDistance = 3;
inline constexpr int kDefaultTextDistance =
    5; // texts are searched within 8: fewer pages than with 3 (bench/texts)
inline constexpr int kDefaultFillfactor = 90;
inline constexpr int kDefaultTrees = -1;
inline constexpr int kDefaultLists = -1;

// In the form of rd_options.
struct IndexOptions {
    int32 vl_len_;
    int design_radius;
    int trees = kDefaultTrees; // as many as suit the kind and the rows
    int lists = kDefaultLists; // of an index on signatures; as many as suit the rows
    int fillfactor = kDefaultFillfactor;
};
bytea *parse_index_options(Datum reloptions, bool validate);
IndexOptions index_options(Relation index);
// Whether the option "design_radius" is set, or lists are asked for.
bool design_radius_given(Relation index);
bool lists_given(Relation index);
// Warns of an option that an index on such values ignores. It is no error, because ALTER INDEX cannot refuse it: later
// TRUNCATE or a restored dump would fail.
void warn_of_option(Relation index, const char *option, const char *values, const char *hint);
// Chooses the design of a fingerprint index for these options. Where there is none, the default number of trees takes the
// place of the given one.
void design_from_options(const IndexOptions &options, TreeDesign *design);
// Raises an error, with a hint, if they have no design; a warning if the index is built again, for the reason above.
void check_design_options(Relation index, const IndexOptions &options);

} // namespace simhash
