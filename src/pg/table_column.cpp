#include "pg/table_column.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace simhash
{

void check_column(Relation table, const char *column, Oid type)
{
    AttrNumber number = get_attnum(RelationGetRelid(table), column);
    if (number == InvalidAttrNumber)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("column \"%s\" of \"%s\" does not exist",
                                                                  column, RelationGetRelationName(table))));
    if (getBaseType(get_atttype(RelationGetRelid(table), number)) != type)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("column \"%s\" of \"%s\" is not of type %s", column,
                               RelationGetRelationName(table), format_type_be(type))));
}

} // namespace simhash
