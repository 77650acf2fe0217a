#include "pg/features/document_arguments.hpp"

#include "core/text/feature_literal.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "access/xact.h"
}

namespace simhash
{

namespace
{

// A column holds documents, whatever they look like: only parameters and literals can be of the wrong type. Such a
// condition may be evaluated for every row, but is reported once in a statement.
void warn_of_features(FunctionCallInfo fcinfo, int argument, text *document)
{
    static TimestampTz warned = 0;
    const char *bytes = VARDATA_ANY(document);
    std::size_t length = VARSIZE_ANY_EXHDR(document);
    if (length == 0 || (bytes[0] != '{' && bytes[0] != '['))
        return;
    if (!get_fn_expr_arg_stable(fcinfo->flinfo, argument) || warned == GetCurrentStatementStartTimestamp() ||
        !is_feature_literal(bytes, length))
        return;
    warned = GetCurrentStatementStartTimestamp();
    ereport(WARNING, errmsg("text that looks like a list of features was read as a document"),
            errhint("Cast features to their type, $1::text[] or $1::jsonb; functions without such an "
                    "argument take features($1::text[])."));
}

} // namespace

text *document_argument(FunctionCallInfo fcinfo, int argument)
{
    text *document = PG_GETARG_TEXT_PP(argument);
    warn_of_features(fcinfo, argument, document);
    return document;
}

} // namespace simhash
