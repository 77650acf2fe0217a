#include "am/validate.hpp"

#include "am/search/strategy.hpp"

#include "pg/types/ball.hpp"

extern "C" {
#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

// Complains about a member of the operator class's family.
__attribute__((format(printf, 3, 4))) void complain(const char *opclass, bool *valid, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    *valid = false;
    ereport(INFO, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
            errmsg("operator class \"%s\" of access method simhash %s", opclass, message));
}

} // namespace

bool validate_opclass(Oid opclass_oid)
{
    bool valid = true;
    HeapTuple tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass_oid));
    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "cache lookup failed for operator class %u", opclass_oid);
    auto *form = reinterpret_cast<Form_pg_opclass>(GETSTRUCT(tuple));
    Oid family = form->opcfamily, type = form->opcintype;
    char *name = pstrdup(NameStr(form->opcname));
    if (OidIsValid(form->opckeytype) && form->opckeytype != type)
        complain(name, &valid, "must store the type that it indexes");
    ReleaseSysCache(tuple);
    if (get_typlen(type) != sizeof(Fingerprint) || !get_typbyval(type))
        complain(name, &valid, "must be for a type of 8 bytes passed by value, not %s", format_type_be(type));

    bool present[kStrategies + 1] = {};
    CatCList *operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(family));
    for (int i = 0; i < operators->n_members; i++) {
        auto *member = reinterpret_cast<Form_pg_amop>(GETSTRUCT(&operators->members[i]->tuple));
        const char *signature = format_operator(member->amopopr);
        if (member->amopstrategy < 1 || member->amopstrategy > kStrategies) {
            complain(name, &valid, "contains operator %s with invalid strategy number %d", signature,
                     member->amopstrategy);
            continue;
        }
        bool order = member->amopstrategy == kDistanceOrder || member->amopstrategy == kGuidedOrder;
        if (member->amoppurpose != (order ? AMOP_ORDER : AMOP_SEARCH))
            complain(name, &valid, "contains operator %s with the wrong purpose", signature);
        Oid result = order ? getBaseType(get_op_rettype(member->amopopr)) : get_op_rettype(member->amopopr);
        bool right;
        switch (member->amopstrategy) {
        case kInBall:
            right = get_typlen(member->amoprighttype) == sizeof(Ball) && !get_typbyval(member->amoprighttype);
            break;
        case kInGuidedBall:
        case kGuidedOrder:
            right = get_typlen(member->amoprighttype) == -1;
            break;
        default:
            right = member->amoprighttype == type;
        }
        if (result != (order ? INT4OID : BOOLOID) || member->amoplefttype != type || !right)
            complain(name, &valid, "contains operator %s with the wrong signature", signature);
        if (order && !opfamily_can_sort_type(member->amopsortfamily, INT4OID))
            complain(name, &valid, "orders by operator %s with a family that does not sort integers",
                     signature);
        if (member->amoplefttype == type)
            present[member->amopstrategy] = true;
    }
    ReleaseCatCacheList(operators);
    for (int strategy = 1; strategy <= kStrategies; strategy++) {
        if (!present[strategy])
            complain(name, &valid, "lacks the operator with strategy number %d", strategy);
    }

    CatCList *functions = SearchSysCacheList1(AMPROCNUM, ObjectIdGetDatum(family));
    if (functions->n_members > 0)
        complain(name, &valid, "contains support functions, of which there are none");
    ReleaseCatCacheList(functions);
    return valid;
}

} // namespace simhash
