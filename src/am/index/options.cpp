#include "am/index/options.hpp"

#include "am/index/kind.hpp"

#include "am/index/stored_value.hpp"

#include "core/likely/list_centers.hpp"

extern "C" {
#include "access/reloptions.h"
#include "catalog/index.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
}

namespace simhash
{

namespace
{

constexpr int kDistanceNotGiven = PG_INT32_MIN;

relopt_kind options_kind()
{
    static relopt_kind kind = static_cast<relopt_kind>(0);
    if (kind == 0) {
        kind = add_reloption_kind();
        // The type of the column is not known when options are read, so here are those of all kinds. Defaults are not
        // among the values that can be given.
        add_int_reloption(kind, "design_radius",
                          "radius of the searches that an index on fingerprints is designed for",
                          kDistanceNotGiven, kMinDistance, kMaxDistance, AccessExclusiveLock);
        add_int_reloption(kind, "trees", "number of copies of the data (0: none, in an index on signatures)",
                          kDefaultTrees, 0, kMaxTrees, AccessExclusiveLock);
        add_int_reloption(kind, "lists", "number of lists of near rows in an index on signatures",
                          kDefaultLists, 0, kMostLists, AccessExclusiveLock);
        add_int_reloption(kind, "fillfactor", "how full a build packs pages, in percent", kDefaultFillfactor,
                          50, 100, ShareUpdateExclusiveLock);
    }
    return kind;
}

// Members that exist only in some versions stay zero.
relopt_parse_elt option(const char *name, relopt_type type, std::size_t offset)
{
    relopt_parse_elt element = {};
    element.optname = name;
    element.opttype = type;
    element.offset = static_cast<int>(offset);
    return element;
}

const char *possible_trees(int distance)
{
    StringInfoData list;
    initStringInfo(&list);
    for (int trees = 1; trees <= kMaxTrees; trees++) {
        TreeDesign design;
        if (make_design(distance, trees, &design))
            appendStringInfo(&list, "%s%d", list.len > 0 ? ", " : "", trees);
    }
    return list.data;
}

} // namespace

void design_from_options(const IndexOptions &options, TreeDesign *design)
{
    const int distance = options.design_radius;
    const int trees = options.trees == kDefaultTrees ? default_trees(distance) : options.trees;
    if (!make_design(distance, trees, design))
        make_design(distance, default_trees(distance), design);
}

void check_design_options(Relation index, const IndexOptions &options)
{
    // An index that exists is built anew with what ALTER INDEX has accepted: when this is called its file may be empty.
    const bool fresh = index->rd_createSubid != InvalidSubTransactionId &&
                       !ReindexIsProcessingIndex(RelationGetRelid(index));
    const int level = fresh ? ERROR : WARNING;
    TreeDesign design;
    design_from_options(options, &design);
    if (options.trees != kDefaultTrees && options.trees != design.trees)
        ereport(level, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("there is no design with trees = %d for design_radius = %d", options.trees,
                       design.distance),
                errdetail("Index \"%s\" is on fingerprints.", RelationGetRelationName(index)),
                errhint("For design_radius = %d, trees can be %s.", design.distance,
                        possible_trees(design.distance)));
}

bytea *parse_index_options(Datum reloptions, bool validate)
{
    const relopt_parse_elt elements[] = {
        option("design_radius", RELOPT_TYPE_INT, offsetof(IndexOptions, design_radius)),
        option("trees", RELOPT_TYPE_INT, offsetof(IndexOptions, trees)),
        option("lists", RELOPT_TYPE_INT, offsetof(IndexOptions, lists)),
        option("fillfactor", RELOPT_TYPE_INT, offsetof(IndexOptions, fillfactor)),
    };
    return static_cast<bytea *>(build_reloptions(reloptions, validate, options_kind(), sizeof(IndexOptions),
                                                 elements, lengthof(elements)));
}

bool design_radius_given(Relation index)
{
    return index->rd_options != nullptr &&
           reinterpret_cast<IndexOptions *>(index->rd_options)->design_radius != kDistanceNotGiven;
}

bool lists_given(Relation index)
{
    return index->rd_options != nullptr && reinterpret_cast<IndexOptions *>(index->rd_options)->lists > 0;
}

void warn_of_option(Relation index, const char *option, const char *values, const char *hint)
{
    ereport(WARNING, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("option \"%s\" does not apply to index \"%s\"", option, RelationGetRelationName(index)),
            errdetail("The index is on %s.", values), errhint("%s", hint));
}

IndexOptions index_options(Relation index)
{
    IndexOptions options = {0, kDistanceNotGiven};
    if (index->rd_options != nullptr)
        options = *reinterpret_cast<IndexOptions *>(index->rd_options);
    if (options.design_radius == kDistanceNotGiven)
        options.design_radius = indexes_texts(index) ? kDefaultTextDistance : kDefaultDistance;
    // Rows are near a list's center by what is stored, which the other columns change.
    if (value_column(index) > 0 && stored_type(index) == BITOID)
        options.lists = 0;
    return options;
}

} // namespace simhash
