#include "am/validate.hpp"

#include "am/index/kind.hpp"
#include "am/index/strategy.hpp"

extern "C" {
#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace simhash
{

namespace
{

struct OperatorClass {
    char *name;
    Oid family;
    Oid type;
    Oid handler;   // of the access method
    bool searched; // for the searched column
    int level;     // of what is said: INFO, or ERROR for the first fault
};

bool is_order(int strategy) { return strategy == kDistanceOrder || strategy == kWeightsOrder; }

// Says what is wrong with an operator class. Returns false.
bool invalid(const OperatorClass &opclass, const char *what, const char *hint = nullptr)
{
    ereport(opclass.level, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
            errmsg("operator class \"%s\" of access method %s %s", opclass.name, "simhash", what),
            hint != nullptr ? errhint("%s", hint) : 0);
    return false;
}

// Looks up the operator class and checks the type that it is for.
bool check_type(Oid oid, OperatorClass *opclass)
{
    HeapTuple tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(oid));
    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "cache lookup failed for operator class %u", oid);
    auto *form = reinterpret_cast<Form_pg_opclass>(GETSTRUCT(tuple));
    opclass->name = pstrdup(NameStr(form->opcname));
    opclass->family = form->opcfamily;
    opclass->type = form->opcintype;
    opclass->handler = access_method_handler(form->opcmethod);
    const Oid stored = OidIsValid(form->opckeytype) ? form->opckeytype : form->opcintype;
    ReleaseSysCache(tuple);
    // A class for text that stores text is for equality.
    const bool equality = is_equality_type(opclass->type);
    const bool searched = kind_on(opclass->handler, opclass->type) != nullptr;
    opclass->searched = searched && (!equality || stored != opclass->type);
    if (!equality && !searched)
        return invalid(*opclass,
                       psprintf("is for type %s, which it cannot index", format_type_be(opclass->type)),
                       "Index an expression of type simhash or bit.");
    const bool extracted =
        opclass->searched && OidIsValid(class_extraction(opclass->handler, opclass->family, opclass->type));
    const Oid wanted = extracted ? class_storage(opclass->handler, opclass->type) : opclass->type;
    return stored == wanted || invalid(*opclass, psprintf("stores type %s instead of %s",
                                                          format_type_be(stored), format_type_be(wanted)));
}

// The operator that must have a strategy number, or InvalidOid.
Oid wanted_operator(const OperatorClass &opclass, int strategy)
{
    return class_operator(opclass.handler, opclass.family, opclass.type, opclass.searched, strategy);
}

bool check_operator(const OperatorClass &opclass, const FormData_pg_amop &member)
{
    bool valid = true;
    const char *signature = format_operator(member.amopopr);
    const int strategy = member.amopstrategy;
    const Oid wanted =
        strategy < 1 || strategy > kStrategies ? InvalidOid : wanted_operator(opclass, strategy);
    if (!OidIsValid(wanted))
        return invalid(opclass,
                       psprintf("contains operator %s with invalid strategy number %d", signature, strategy));
    bool order = is_order(strategy);
    if (member.amoppurpose != (order ? AMOP_ORDER : AMOP_SEARCH))
        valid = invalid(opclass, psprintf("contains operator %s with the wrong purpose", signature));
    if (member.amopopr != wanted)
        valid = invalid(opclass,
                        psprintf("contains operator %s instead of %s", signature, format_operator(wanted)));
    if (order && !opfamily_can_sort_type(member.amopsortfamily, INT4OID))
        valid = invalid(
            opclass, psprintf("contains operator %s with an incorrect ORDER BY operator family", signature));
    return valid;
}

// The type of the left operand of the operator that must have a strategy number, or InvalidOid.
Oid left_type(const OperatorClass &opclass, int strategy)
{
    const Oid op = wanted_operator(opclass, strategy);
    Oid left = InvalidOid, right;
    if (OidIsValid(op))
        op_input_types(op, &left, &right);
    return left;
}

bool check_operators(const OperatorClass &opclass)
{
    bool valid = true, present[kStrategies + 1] = {};
    CatCList *operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(opclass.family));
    for (int i = 0; i < operators->n_members; i++) {
        const auto &member = *reinterpret_cast<Form_pg_amop>(GETSTRUCT(&operators->members[i]->tuple));
        valid &= check_operator(opclass, member);
        if (member.amopstrategy >= 1 && member.amopstrategy <= kStrategies &&
            member.amoplefttype == left_type(opclass, member.amopstrategy))
            present[member.amopstrategy] = true;
    }
    ReleaseCatCacheList(operators);
    for (int strategy = 1; strategy <= kStrategies; strategy++) {
        if (!present[strategy] && OidIsValid(wanted_operator(opclass, strategy)))
            valid = invalid(opclass, psprintf("is missing the operator with strategy number %d", strategy));
    }
    return valid;
}

// An operator class has the function of the extension that extracts what is stored of its type, or none.
bool check_functions(const OperatorClass &opclass)
{
    const Oid wanted =
        opclass.searched ? class_extraction(opclass.handler, opclass.family, opclass.type) : InvalidOid;
    bool valid = true, present = false;
    CatCList *functions = SearchSysCacheList1(AMPROCNUM, ObjectIdGetDatum(opclass.family));
    for (int i = 0; i < functions->n_members; i++) {
        const auto &member = *reinterpret_cast<Form_pg_amproc>(GETSTRUCT(&functions->members[i]->tuple));
        const bool right = member.amprocnum == kExtractProc && member.amproc == wanted &&
                           member.amproclefttype == opclass.type && member.amprocrighttype == opclass.type;
        present = present || right;
        if (!right)
            valid = invalid(
                opclass, psprintf("must not contain support function %s", format_procedure(member.amproc)));
    }
    ReleaseCatCacheList(functions);
    if (OidIsValid(wanted) && !present)
        valid = invalid(opclass, psprintf("is missing support function %s", format_procedure(wanted)));
    return valid;
}

bool check_opclass(Oid oid, int level, OperatorClass *opclass)
{
    *opclass = {};
    opclass->level = level;
    if (!check_type(oid, opclass))
        return false;
    bool valid = check_operators(*opclass);
    valid &= check_functions(*opclass);
    return valid;
}

// Whether a column with this class may stand before the searched one: its values are compared, and hashed. PostgreSQL has no
// hash function for bit.
bool has_equality(const OperatorClass &opclass)
{
    return OidIsValid(wanted_operator(opclass, kEqual)) &&
           OidIsValid(lookup_type_cache(opclass.type, TYPECACHE_HASH_EXTENDED_PROC)->hash_extended_proc);
}

} // namespace

bool validate_opclass(Oid oid)
{
    OperatorClass opclass;
    return check_opclass(oid, INFO, &opclass);
}

void require_valid_opclass(Relation index, const uint16 *compared)
{
    bool null;
    const Datum classes = SysCacheGetAttr(INDEXRELID, index->rd_indextuple, Anum_pg_index_indclass, &null);
    const int searched = value_column(index);
    for (int column = 0; column <= searched; column++) {
        OperatorClass opclass;
        check_opclass(reinterpret_cast<const oidvector *>(DatumGetPointer(classes))->values[column], ERROR,
                      &opclass);
        if (column == searched && !opclass.searched)
            ereport(
                ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("the last column of index \"%s\" has no type that can be searched",
                       RelationGetRelationName(index)),
                kind_on(opclass.handler, opclass.type) == nullptr
                    ? errdetail("Type %s is for columns before the searched one.",
                                format_type_be(opclass.type))
                    : errdetail("Operator class \"%s\" is for columns before the searched one.",
                                opclass.name),
                errhint(
                    "Add the column with the fingerprints, or an expression of type simhash, bigint, bit(n) "
                    "or text."));
        if (column < searched && !has_equality(opclass))
            ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("column %d of index \"%s\" has no operator class for equality", column + 1,
                           RelationGetRelationName(index)),
                    errdetail("Only the last column is searched for what is near."),
                    TypeCategory(opclass.type) == TYPCATEGORY_STRING
                        ? errhint("Before it, a text needs simhash_equal_text_ops.")
                        : 0);
        if (column < searched && compared != nullptr && !is_equality(compared[column]))
            ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("column %d of exclusion constraint \"%s\" is not compared for equality",
                           column + 1, RelationGetRelationName(index)),
                    errdetail("Only the last column is searched for what is near."),
                    errhint("Use WITH = for the columns before it, and put the fingerprints last."));
    }
}

} // namespace simhash
