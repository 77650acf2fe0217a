// simhash_groups(index, radius, kind), simhash_pair_groups(query, kind) and simhash_pair_groups(a, b, kind): groups of
// near-duplicates.
//
// Pairs come in any order. They wait in a tuplestore while their members are sorted; a member's number is its
// position in that order. Besides work_mem this takes 12 bytes of memory for each member, or 16 for stars
// (and up to 24 while the members are being numbered).
#include "am/pairs/groups.hpp"
#include "am/pairs/pairs.hpp"

#include "core/bits/components.hpp"

#include "pg/server/query_rows.hpp"
#include "pg/server/result_rows.hpp"

extern "C" {
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr int kColumns = 3; // at most
constexpr Size kMostMembers = 0xFFFFFFFE;
constexpr const char *kMember = "a member of a pair";

struct Grouping {
    bool star;
    TupleDesc member_row; // (bigint)
    TupleDesc pair_row;   // (bigint, bigint, equal boolean)
    TupleTableSlot *member_slot;
    TupleTableSlot *pair_slot;
    Tuplesortstate *members;
    Tuplestorestate *pairs;
    int64 *id; // of each member, ascending
    uint32 count;
};

TupleDesc bigint_row(int columns)
{
    TupleDesc row = CreateTemplateTupleDesc(columns);
    for (int i = 1; i <= columns; i++)
        TupleDescInitEntry(row, static_cast<AttrNumber>(i), nullptr, i < kColumns ? INT8OID : BOOLOID, -1, 0);
    finish_row_type(row);
    return row;
}

Tuplesortstate *begin_sort(TupleDesc row, int keys, int kilobytes)
{
    AttrNumber column[2] = {1, 2};
    Oid less[2] = {Int8LessOperator, Int8LessOperator}, collation[2] = {InvalidOid, InvalidOid};
    bool nulls_first[2] = {};
    return tuplesort_begin_heap(row, keys, column, less, collation, nulls_first, kilobytes, nullptr, 0);
}

void sort_row(Tuplesortstate *sort, TupleTableSlot *slot, int64 a, int64 b)
{
    ExecClearTuple(slot);
    slot->tts_values[0] = Int64GetDatum(a);
    slot->tts_isnull[0] = false;
    if (slot->tts_tupleDescriptor->natts > 1) {
        slot->tts_values[1] = Int64GetDatum(b);
        slot->tts_isnull[1] = false;
    }
    ExecStoreVirtualTuple(slot);
    tuplesort_puttupleslot(sort, slot);
}

int64 column_of(TupleTableSlot *slot, int column)
{
    bool null;
    return DatumGetInt64(slot_getattr(slot, column, &null));
}

// Whether the kind of groups is "star". It is a name, not a boolean, so that there can be others.
bool wants_stars(const text *kind)
{
    const char *name = text_to_cstring(kind);
    if (std::strcmp(name, "star") == 0)
        return true;
    if (std::strcmp(name, "connected") != 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("unrecognized kind of groups: \"%s\"", name),
                errhint("Kinds are \"star\" and \"connected\"."));
    return false;
}

void begin_grouping(Grouping *grouping, bool star)
{
    *grouping = {};
    grouping->star = star;
    grouping->member_row = bigint_row(1);
    grouping->pair_row = bigint_row(kColumns);
    grouping->member_slot = MakeSingleTupleTableSlot(grouping->member_row, &TTSOpsVirtual);
    grouping->pair_slot = MakeSingleTupleTableSlot(grouping->pair_row, &TTSOpsMinimalTuple);
    grouping->members = begin_sort(grouping->member_row, 1, work_mem);
    grouping->pairs = tuplestore_begin_heap(false, false, work_mem);
}

void end_grouping(Grouping *grouping)
{
    tuplesort_end(grouping->members);
    tuplestore_end(grouping->pairs);
    ExecDropSingleTupleTableSlot(grouping->member_slot);
    ExecDropSingleTupleTableSlot(grouping->pair_slot);
    if (grouping->id != nullptr)
        pfree(grouping->id);
}

void add_members(Grouping *grouping, int64 a, int64 b, bool equal)
{
    sort_row(grouping->members, grouping->member_slot, a, 0);
    sort_row(grouping->members, grouping->member_slot, b, 0);
    Datum values[kColumns] = {Int64GetDatum(a), Int64GetDatum(b), BoolGetDatum(equal)};
    bool nulls[kColumns] = {};
    tuplestore_putvalues(grouping->pairs, grouping->pair_row, values, nulls);
}

void number_members(Grouping *grouping)
{
    tuplesort_performsort(grouping->members);
    TupleTableSlot *slot = MakeSingleTupleTableSlot(grouping->member_row, &TTSOpsMinimalTuple);
    Size capacity = 1024, count = 0;
    grouping->id = static_cast<int64 *>(palloc(sizeof(int64) * capacity));
    while (tuplesort_gettupleslot(grouping->members, true, false, slot, nullptr)) {
        CHECK_FOR_INTERRUPTS();
        int64 id = column_of(slot, 1);
        if (count > 0 && grouping->id[count - 1] == id)
            continue;
        if (count == kMostMembers)
            ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("more than %zu rows have near-duplicates", kMostMembers));
        if (count == capacity) {
            capacity *= 2;
            grouping->id = static_cast<int64 *>(repalloc_huge(grouping->id, sizeof(int64) * capacity));
        }
        grouping->id[count++] = id;
    }
    ExecDropSingleTupleTableSlot(slot);
    grouping->id = static_cast<int64 *>(repalloc_huge(grouping->id, sizeof(int64) * Max(count, Size{1})));
    grouping->count = static_cast<uint32>(count);
}

uint32 number_of(const Grouping &grouping, int64 id)
{
    return static_cast<uint32>(std::lower_bound(grouping.id, grouping.id + grouping.count, id) - grouping.id);
}

// Calls visit(a, b, equal) for each pair of members.
template <typename Visit> void visit_pairs(Grouping *grouping, Visit visit)
{
    tuplestore_rescan(grouping->pairs);
    TupleTableSlot *slot = grouping->pair_slot;
    while (tuplestore_gettupleslot(grouping->pairs, true, false, slot)) {
        CHECK_FOR_INTERRUPTS();
        bool null;
        visit(number_of(*grouping, column_of(slot, 1)), number_of(*grouping, column_of(slot, 2)),
              DatumGetBool(slot_getattr(slot, 3, &null)));
    }
}

uint32 *allocate_numbers(uint32 count)
{
    return static_cast<uint32 *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * Max(count, uint32{1})));
}

// Rows with equal fingerprints have the same neighbors. They are united in `components` and count as one
// row, the first of them, even where only some of their pairs are known.
Stars find_stars(Grouping *grouping, Components *components)
{
    visit_pairs(grouping, [components](uint32 a, uint32 b, bool equal) {
        if (equal)
            components->unite(a, b);
    });
    Stars stars(allocate_numbers(grouping->count), grouping->count);
    TupleDesc row = bigint_row(2);
    TupleTableSlot *edge = MakeSingleTupleTableSlot(row, &TTSOpsVirtual);
    Tuplesortstate *sort = begin_sort(row, 2, work_mem);
    visit_pairs(grouping, [&](uint32 a, uint32 b, bool) {
        a = components->root(a);
        b = components->root(b);
        if (a != b)
            sort_row(sort, edge, Min(a, b), Max(a, b));
    });
    tuplesort_performsort(sort);
    TupleTableSlot *slot = MakeSingleTupleTableSlot(row, &TTSOpsMinimalTuple);
    while (tuplesort_gettupleslot(sort, true, false, slot, nullptr)) {
        CHECK_FOR_INTERRUPTS();
        stars.add(static_cast<uint32>(column_of(slot, 1)), static_cast<uint32>(column_of(slot, 2)));
    }
    ExecDropSingleTupleTableSlot(slot);
    ExecDropSingleTupleTableSlot(edge);
    tuplesort_end(sort);
    return stars;
}

// Calls put(member, leader) for each member, in ascending order.
template <typename Put> void put_groups(Grouping *grouping, Put put)
{
    number_members(grouping);
    Components components(allocate_numbers(grouping->count), grouping->count);
    Stars stars(nullptr, 0);
    if (grouping->star)
        stars = find_stars(grouping, &components);
    else
        visit_pairs(grouping, [&components](uint32 a, uint32 b, bool) { components.unite(a, b); });
    for (uint32 i = 0; i < grouping->count; i++) {
        CHECK_FOR_INTERRUPTS();
        uint32 root = components.root(i);
        put(grouping->id[i], grouping->id[grouping->star ? stars.leader(root) : root]);
    }
}

void take_pair(void *context, uint64 a, uint64 b, uint64 distance)
{
    add_members(static_cast<Grouping *>(context), static_cast<int64>(a), static_cast<int64>(b),
                distance == 0);
}

// Finds the types of the two columns. Raises an error unless they are integers.
void find_pair_types(TupleDesc row, Oid type[2])
{
    bool right = row->natts == 2;
    for (int i = 0; right && i < 2; i++) {
        type[i] = integer_type(row, i + 1);
        right = OidIsValid(type[i]);
    }
    if (!right)
        ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the query must return pairs of integers"),
                errdetail("It needs two columns of type smallint, integer or bigint."),
                errhint("For example: SELECT x.id, y.id FROM simhash_pairs('page_h_idx') p "
                        "JOIN page x ON x.ctid = p.a JOIN page y ON y.ctid = p.b"));
}

// Runs the query with the caller's privileges and adds the pairs that it returns.
void take_query(Grouping *grouping, const char *query)
{
    Oid type[2];
    for_each_query_row(
        query, [&type](TupleDesc row) { find_pair_types(row, type); },
        [grouping, &type](const QueryRow &row) {
            CHECK_FOR_INTERRUPTS();
            add_members(grouping, integer_column(row, 1, type[0], kMember),
                        integer_column(row, 2, type[1], kMember), false);
        });
}

// The keys in arrays, in the order of their type. A member's number is the place of the first key equal to its own.
struct Keys {
    Datum *key;
    Size count;
    SortSupportData order;
};

int compare_keys(const void *a, const void *b, void *order)
{
    CHECK_FOR_INTERRUPTS();
    return ApplySortComparator(*static_cast<const Datum *>(a), false, *static_cast<const Datum *>(b), false,
                               static_cast<SortSupport>(order));
}

void begin_order(Oid type, Oid collation, SortSupport order)
{
    const Oid less = lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr;
    if (!OidIsValid(less))
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_FUNCTION),
                errmsg("could not identify an ordering operator for type %s", format_type_be(type)));
    *order = {};
    order->ssup_cxt = CurrentMemoryContext;
    order->ssup_collation = collation;
    PrepareSortSupportFromOrderingOp(less, order);
}

int64 element_count(ArrayType *array) { return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)); }

Datum next_element(ArrayIterator elements)
{
    Datum value = 0;
    bool null = false;
    array_iterate(elements, &value, &null);
    if (null)
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be NULL", kMember));
    return value;
}

void collect_keys(ArrayType *array, Keys *keys)
{
    ArrayIterator elements = array_create_iterator(array, 0, nullptr);
    for (int64 i = element_count(array); i > 0; i--)
        keys->key[keys->count++] = next_element(elements);
    array_free_iterator(elements);
}

Keys keys_of(ArrayType *a, ArrayType *b, Oid collation)
{
    Keys keys = {};
    begin_order(ARR_ELEMTYPE(a), collation, &keys.order);
    const Size most = static_cast<Size>(element_count(a) + element_count(b));
    keys.key = static_cast<Datum *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * Max(most, Size{1})));
    collect_keys(a, &keys);
    collect_keys(b, &keys);
    qsort_arg(keys.key, keys.count, sizeof(Datum), compare_keys, &keys.order);
    return keys;
}

int64 number_of_key(Keys *keys, Datum key)
{
    return std::lower_bound(keys->key, keys->key + keys->count, key,
                            [&](Datum x, Datum y) { return compare_keys(&x, &y, &keys->order) < 0; }) -
           keys->key;
}

// Adds the pairs of elements in the same places, by their numbers.
void take_arrays(Grouping *grouping, ArrayType *a, ArrayType *b, Keys *keys)
{
    ArrayIterator left = array_create_iterator(a, 0, nullptr), right = array_create_iterator(b, 0, nullptr);
    for (int64 i = element_count(a); i > 0; i--) {
        const int64 member = number_of_key(keys, next_element(left));
        add_members(grouping, member, number_of_key(keys, next_element(right)), false);
    }
    array_free_iterator(left);
    array_free_iterator(right);
}

} // namespace

EqualRows find_equal_rows(PairOutput *output)
{
    Grouping grouping;
    begin_grouping(&grouping, false);
    find_open_pairs(output, 0, PairsWanted::links, {take_pair, &grouping});
    number_members(&grouping);
    EqualRows equal = {grouping.count, grouping.id, allocate_numbers(grouping.count)};
    Components components(equal.first, equal.count);
    visit_pairs(&grouping, [&components](uint32 a, uint32 b, bool) { components.unite(a, b); });
    for (uint32 i = 0; i < equal.count; i++)
        equal.first[i] = components.root(i);
    grouping.id = nullptr;
    end_grouping(&grouping);
    return equal;
}

} // namespace simhash

SIMHASH_FUNCTION(simhash_groups)
{
    using namespace simhash;
    TupleDesc row;
    Tuplestorestate *store = begin_rows(fcinfo, &row);
    Oid index = PG_GETARG_OID(0);
    Grouping grouping;
    begin_grouping(&grouping, wants_stars(PG_GETARG_TEXT_PP(2)));
    TableRows rows;
    find_pairs(&index, 1, PG_GETARG_INT32(1), PairsWanted::links, {take_pair, &grouping}, &rows);
    put_groups(&grouping, [&](int64 member, int64 leader) {
        auto a = static_cast<uint64>(member), b = static_cast<uint64>(leader);
        ItemPointerData tid[2] = {rows.tid_of(a), rows.tid_of(b)};
        Datum values[4] = {PointerGetDatum(&tid[0]), PointerGetDatum(&tid[1]),
                           ObjectIdGetDatum(rows.table_of(a)), ObjectIdGetDatum(rows.table_of(b))};
        bool nulls[4] = {};
        tuplestore_putvalues(store, row, values, nulls);
    });
    end_grouping(&grouping);
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_pair_groups)
{
    using namespace simhash;
    TupleDesc row;
    Tuplestorestate *store = begin_rows(fcinfo, &row);
    Grouping grouping;
    begin_grouping(&grouping, wants_stars(PG_GETARG_TEXT_PP(1)));
    take_query(&grouping, text_to_cstring(PG_GETARG_TEXT_PP(0)));
    put_groups(&grouping, [&](int64 member, int64 leader) {
        Datum values[2] = {Int64GetDatum(member), Int64GetDatum(leader)};
        bool nulls[2] = {};
        tuplestore_putvalues(store, row, values, nulls);
    });
    end_grouping(&grouping);
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_pair_groups_of_arrays)
{
    using namespace simhash;
    ArrayType *a = PG_GETARG_ARRAYTYPE_P(0), *b = PG_GETARG_ARRAYTYPE_P(1);
    if (element_count(a) != element_count(b))
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                errmsg("the arrays have different numbers of elements"),
                errdetail("There are %lld and %lld.", static_cast<long long>(element_count(a)),
                          static_cast<long long>(element_count(b))));
    TupleDesc row;
    Tuplestorestate *store = begin_rows(fcinfo, &row);
    Grouping grouping;
    begin_grouping(&grouping, wants_stars(PG_GETARG_TEXT_PP(2)));
    Keys keys = keys_of(a, b, PG_GET_COLLATION());
    take_arrays(&grouping, a, b, &keys);
    put_groups(&grouping, [&](int64 member, int64 leader) {
        Datum values[2] = {keys.key[member], keys.key[leader]};
        bool nulls[2] = {};
        tuplestore_putvalues(store, row, values, nulls);
    });
    end_grouping(&grouping);
    pfree(keys.key);
    PG_RETURN_NULL();
}
