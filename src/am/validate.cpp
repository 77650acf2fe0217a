#include "am/handler.hpp"

#include "am/index/strategy.hpp"

#include "pg/types/ball.hpp"
#include "pg/types/guided_ball.hpp"

extern "C" {
#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

struct OperatorClass {
    char *name;
    Oid family;
    Oid type;
};

// Whether an operator class for `type` has an operator with this strategy number.
bool has_strategy(Oid type, int strategy)
{
    if (strategy < 1 || strategy > kStrategies)
        return false;
    return type != BITOID || (strategy != kNearDuplicate && strategy != kInGuidedBall);
}

bool is_signature_ball(Oid type)
{
    int16 length;
    bool by_value;
    char alignment;

    get_typlenbyvalalign(type, &length, &by_value, &alignment);
    return length == -1 && alignment == TYPALIGN_DOUBLE;
}

bool is_right_type(int strategy, Oid type, Oid right)
{
    switch (strategy) {
    case kInBall:
        return type == BITOID ? is_signature_ball(right)
                              : get_typlen(right) == sizeof(Ball) && !get_typbyval(right);
    case kInGuidedBall:
        return get_typlen(right) == sizeof(GuidedBall);
    case kWeightsOrder:
        return type == BITOID ? is_signature_ball(right) : get_typlen(right) == -1;
    default:
        return right == type;
    }
}

bool is_order(int strategy) { return strategy == kDistanceOrder || strategy == kWeightsOrder; }

// Looks up the operator class and checks the type that it is for.
bool check_type(Oid oid, OperatorClass *opclass)
{
    HeapTuple tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(oid));
    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "cache lookup failed for operator class %u", oid);
    auto *form = reinterpret_cast<Form_pg_opclass>(GETSTRUCT(tuple));
    *opclass = {pstrdup(NameStr(form->opcname)), form->opcfamily, form->opcintype};
    bool stores_type = !OidIsValid(form->opckeytype) || form->opckeytype == form->opcintype;
    ReleaseSysCache(tuple);
    if (!stores_type)
        ereport(INFO, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                errmsg("operator class \"%s\" of access method %s must store the type that it indexes",
                       opclass->name, "simhash"));
    bool fits = opclass->type == BITOID ||
                (get_typlen(opclass->type) == sizeof(Fingerprint) && get_typbyval(opclass->type));
    if (!fits)
        ereport(INFO, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                errmsg("operator class \"%s\" of access method %s must be for type bit or a type of 8 bytes "
                       "passed by value, not for type %s",
                       opclass->name, "simhash", format_type_be(opclass->type)));
    return stores_type && fits;
}

// The type to which the results of an operator are coercible.
Oid right_result(int strategy) { return is_order(strategy) ? INT4OID : BOOLOID; }

bool has_right_signature(const FormData_pg_amop &member, Oid type)
{
    return IsBinaryCoercible(get_op_rettype(member.amopopr), right_result(member.amopstrategy)) &&
           member.amoplefttype == type && is_right_type(member.amopstrategy, type, member.amoprighttype);
}

bool check_operator(const OperatorClass &opclass, const FormData_pg_amop &member)
{
    bool valid = true;
    const char *signature = format_operator(member.amopopr);
    if (!has_strategy(opclass.type, member.amopstrategy)) {
        ereport(INFO, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                errmsg("operator class \"%s\" of access method %s contains operator %s with invalid strategy "
                       "number %d",
                       opclass.name, "simhash", signature, member.amopstrategy));
        return false;
    }
    bool order = is_order(member.amopstrategy);
    if (member.amoppurpose != (order ? AMOP_ORDER : AMOP_SEARCH)) {
        ereport(
            INFO, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
            errmsg("operator class \"%s\" of access method %s contains operator %s with the wrong purpose",
                   opclass.name, "simhash", signature));
        valid = false;
    }
    if (!has_right_signature(member, opclass.type)) {
        ereport(INFO, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                errmsg("operator class \"%s\" of access method %s contains operator %s with wrong signature",
                       opclass.name, "simhash", signature));
        valid = false;
    }
    if (order && !opfamily_can_sort_type(member.amopsortfamily, INT4OID)) {
        ereport(
            INFO, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
            errmsg("operator class \"%s\" of access method %s contains operator %s with an incorrect ORDER "
                   "BY operator family",
                   opclass.name, "simhash", signature));
        valid = false;
    }
    return valid;
}

bool check_operators(const OperatorClass &opclass)
{
    bool valid = true, present[kStrategies + 1] = {};
    CatCList *operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(opclass.family));
    for (int i = 0; i < operators->n_members; i++) {
        const auto &member = *reinterpret_cast<Form_pg_amop>(GETSTRUCT(&operators->members[i]->tuple));
        valid &= check_operator(opclass, member);
        if (member.amoplefttype == opclass.type && has_strategy(opclass.type, member.amopstrategy))
            present[member.amopstrategy] = true;
    }
    ReleaseCatCacheList(operators);
    for (int strategy = 1; strategy <= kStrategies; strategy++) {
        if (present[strategy] || !has_strategy(opclass.type, strategy))
            continue;
        ereport(
            INFO, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
            errmsg("operator class \"%s\" of access method %s is missing the operator with strategy number "
                   "%d",
                   opclass.name, "simhash", strategy));
        valid = false;
    }
    return valid;
}

bool check_functions(const OperatorClass &opclass)
{
    CatCList *functions = SearchSysCacheList1(AMPROCNUM, ObjectIdGetDatum(opclass.family));
    bool valid = functions->n_members == 0;
    ReleaseCatCacheList(functions);
    if (!valid)
        ereport(INFO, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                errmsg("operator class \"%s\" of access method %s must not contain support functions",
                       opclass.name, "simhash"));
    return valid;
}

} // namespace

bool validate_opclass(Oid oid)
{
    OperatorClass opclass;
    bool valid = check_type(oid, &opclass);
    valid &= check_operators(opclass);
    valid &= check_functions(opclass);
    return valid;
}

} // namespace simhash
