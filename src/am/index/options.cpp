#include "am/index/options.hpp"

extern "C" {
#include "access/reloptions.h"
#include "lib/stringinfo.h"
}

namespace simhash
{

namespace
{

constexpr int kDistanceNotGiven = 0;

relopt_kind options_kind()
{
    static relopt_kind kind = static_cast<relopt_kind>(0);
    if (kind == 0) {
        kind = add_reloption_kind();
        add_int_reloption(kind, "distance", "Hamming distance that the index is designed for",
                          kDistanceNotGiven, kMinDistance, kMaxDistance, AccessExclusiveLock);
        add_int_reloption(kind, "tables",
                          "number of copies of the data (-1: by the kind of index and the number of rows; 0: "
                          "none, in an index on signatures)",
                          kDefaultTables, kDefaultTables, kMaxTables, AccessExclusiveLock);
        add_int_reloption(
            kind, "lists",
            "number of lists of near rows in an index on signatures (-1: by the number of rows)",
            kDefaultLists, kDefaultLists, kMostLists, AccessExclusiveLock);
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

} // namespace

void design_from_options(const IndexOptions &options, TableDesign *design)
{
    int tables = options.tables == kDefaultTables ? default_tables(options.distance) : options.tables;
    if (make_design(options.distance, tables, design))
        return;

    StringInfoData list;
    initStringInfo(&list);
    for (int other = 1; other <= kMaxTables; other++) {
        TableDesign exists;
        if (make_design(options.distance, other, &exists))
            appendStringInfo(&list, "%s%d", list.len > 0 ? ", " : "", other);
    }
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("there is no design with tables = %d for distance = %d", tables, options.distance),
            errhint("For distance = %d, tables can be %s.", options.distance, list.data));
}

bytea *parse_index_options(Datum reloptions, bool validate)
{
    const relopt_parse_elt elements[] = {
        option("distance", RELOPT_TYPE_INT, offsetof(IndexOptions, distance)),
        option("tables", RELOPT_TYPE_INT, offsetof(IndexOptions, tables)),
        option("lists", RELOPT_TYPE_INT, offsetof(IndexOptions, lists)),
        option("fillfactor", RELOPT_TYPE_INT, offsetof(IndexOptions, fillfactor)),
    };
    auto *options = static_cast<bytea *>(build_reloptions(
        reloptions, validate, options_kind(), sizeof(IndexOptions), elements, lengthof(elements)));
    // The type of the column is not known here. Without a distance, the number of tables may be that of an index of
    // another kind.
    auto *given = reinterpret_cast<IndexOptions *>(options);
    if (validate && given != nullptr && given->distance != kDistanceNotGiven) {
        TableDesign design;
        design_from_options(*given, &design);
    }
    return options;
}

bool distance_given(Relation index)
{
    return index->rd_options != nullptr &&
           reinterpret_cast<IndexOptions *>(index->rd_options)->distance != kDistanceNotGiven;
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
    if (options.distance == kDistanceNotGiven)
        options.distance = kDefaultDistance;
    return options;
}

} // namespace simhash
