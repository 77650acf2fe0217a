#include "pg/server/query_rows.hpp"

#include "pg/server/compat.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

Portal open_query(const char *query)
{
    SPIPlanPtr plan = SPI_prepare_cursor(query, 0, nullptr, CURSOR_OPT_NO_SCROLL);
    if (plan == nullptr || !SPI_is_cursor_plan(plan))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("the query must be a single statement that returns rows"));
    return SPI_cursor_open(nullptr, plan, nullptr, nullptr, true);
}

// The text is parsed as the list of what a query without anything else returns. So it cannot close a parenthesis, nor
// leave a string or a comment open.
void require_expression(const char *text)
{
    List *statements = pg_parse_query(psprintf("SELECT %s\n", text));
    bool right = list_length(statements) == 1;
    const auto *statement = right ? linitial_node(RawStmt, statements)->stmt : nullptr;
    right = right && IsA(statement, SelectStmt);
    const auto *select = reinterpret_cast<const SelectStmt *>(statement);
    const auto is_star = [](const Node *value) {
        return IsA(value, ColumnRef) &&
               IsA(linitial(reinterpret_cast<const ColumnRef *>(value)->fields), A_Star);
    };
    right = right && list_length(select->targetList) == 1 && select->op == SETOP_NONE &&
            select->distinctClause == NIL && select->intoClause == nullptr && select->fromClause == NIL &&
            select->whereClause == nullptr && select->groupClause == NIL && select->havingClause == nullptr &&
            select->windowClause == NIL && select->sortClause == NIL && select->limitOffset == nullptr &&
            select->limitCount == nullptr && select->lockingClause == NIL &&
            linitial_node(ResTarget, select->targetList)->name == nullptr &&
            !is_star(linitial_node(ResTarget, select->targetList)->val);
    if (!right)
        ereport(ERROR, errcode(ERRCODE_SYNTAX_ERROR), errmsg("\"%s\" is not an expression", text),
                errhint("Give a single expression of the table's columns."));
}

void require_row_type(TupleDesc found, TupleDesc wanted)
{
    bool equal = found->natts == wanted->natts;
    for (int i = 0; equal && i < wanted->natts; i++)
        equal = TupleDescAttr(found, i)->atttypid == TupleDescAttr(wanted, i)->atttypid;
    if (!equal)
        ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
                errmsg("the query does not return the columns of the function"),
                errhint("Look for functions of others in the schema of the extension."));
}

void require_types(TupleDesc found, std::initializer_list<Oid> wanted)
{
    Assert(static_cast<Size>(found->natts) == wanted.size());
    int i = 0;
    for (const Oid type : wanted) {
        const Oid is = TupleDescAttr(found, i++)->atttypid;
        if (getBaseType(is) != getBaseType(type))
            ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("values of type %s were expected, but the query returns %s", format_type_be(type),
                           format_type_be(is)),
                    errdetail("What the query names is no longer what it was."));
    }
}

Oid integer_type(TupleDesc columns, int number)
{
    Oid type = getBaseType(SPI_gettypeid(columns, number));
    return type == INT2OID || type == INT4OID || type == INT8OID ? type : InvalidOid;
}

int64 integer_column(const QueryRow &row, int number, Oid type, const char *what)
{
    Assert(type == INT2OID || type == INT4OID || type == INT8OID);
    bool null;
    Datum value = row.column(number, &null);
    if (null)
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be NULL", what));
    switch (type) {
    case INT2OID:
        return DatumGetInt16(value);
    case INT4OID:
        return DatumGetInt32(value);
    default:
        return DatumGetInt64(value);
    }
}

} // namespace simhash
