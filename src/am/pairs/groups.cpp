// Groups of near-duplicates, and of the pairs of keys in two arrays: simhash_pair_groups(a, b, kind).
#include "am/pairs/groups.hpp"
#include "am/pairs/pair_output.hpp"

#include "pg/server/compat.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr Size kPortion = 4096; // pairs

Tuplesortstate *begin_number_sort()
{
    return tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false, work_mem, nullptr, false);
}

// Calls visit(number) for the sorted numbers, and ends the sort.
template <typename Visit> void visit_sorted(Tuplesortstate *sort, Visit visit)
{
    Datum number;
    tuplesort_performsort(sort);
    while (next_sorted(sort, &number)) {
        CHECK_FOR_INTERRUPTS();
        visit(DatumGetInt64(number));
    }
    tuplesort_end(sort);
}

// Calls visit(a, b) for each pair.
template <typename Visit> void visit_pairs(PairSpool *pairs, Visit visit)
{
    Rows portion = allocate_rows(kPortion);
    for (uint64 at = 0; at < spooled_rows(pairs, 0); at += portion.count) {
        CHECK_FOR_INTERRUPTS();
        read_rows(pairs, 0, at, kPortion, &portion);
        for (Size i = 0; i < portion.count; i++)
            visit(portion.word[i], portion.tag[i]);
    }
    pfree(portion.word);
    pfree(portion.tag);
}

void spool_pair(void *context, uint64 a, uint64 b, uint64)
{
    add_row(static_cast<PairSpool *>(context), 0, a, b);
}

// The members of the pairs, each once, in ascending order.
int64 *sort_members(PairSpool *pairs, Size *members)
{
    Tuplesortstate *sort = begin_number_sort();
    visit_pairs(pairs, [sort](uint64 a, uint64 b) {
        tuplesort_putdatum(sort, Int64GetDatum(static_cast<int64>(a)), false);
        tuplesort_putdatum(sort, Int64GetDatum(static_cast<int64>(b)), false);
    });
    Size capacity = 1024, count = 0;
    auto *number = allocate<int64>(capacity);
    visit_sorted(sort, [&](int64 member) {
        if (count > 0 && number[count - 1] == member)
            return;
        if (count == capacity)
            number = static_cast<int64 *>(repalloc_huge(number, sizeof(int64) * (capacity *= 2)));
        number[count++] = member;
    });
    *members = count;
    return number;
}

// The keys in arrays, in the order of their type. A key's number is the place of the first one equal to it.
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
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                errmsg("a member of a pair must not be NULL"));
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
    keys.key = allocate_huge<Datum>(most);
    collect_keys(a, &keys);
    collect_keys(b, &keys);
    qsort_arg(keys.key, keys.count, sizeof(Datum), compare_keys, &keys.order);
    return keys;
}

uint64 number_of_key(Keys *keys, Datum key)
{
    return static_cast<uint64>(
        std::lower_bound(keys->key, keys->key + keys->count, key,
                         [&](Datum x, Datum y) { return compare_keys(&x, &y, &keys->order) < 0; }) -
        keys->key);
}

// Adds the pairs of elements in the same places, by their numbers.
void take_arrays(Groups *groups, ArrayType *a, ArrayType *b, Keys *keys)
{
    ArrayIterator left = array_create_iterator(a, 0, nullptr), right = array_create_iterator(b, 0, nullptr);
    for (int64 i = element_count(a); i > 0; i--) {
        const uint64 member = number_of_key(keys, next_element(left));
        add_link(groups, member, number_of_key(keys, next_element(right)), false);
    }
    array_free_iterator(left);
    array_free_iterator(right);
}

} // namespace

bool wants_stars(const text *kind)
{
    const char *name = text_to_cstring(kind);
    if (std::strcmp(name, "star") == 0)
        return true;
    if (std::strcmp(name, "connected") != 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("unrecognized kind of groups: \"%s\"", quoted(name)),
                errhint("Kinds are \"star\" and \"connected\"."));
    return false;
}

Groups begin_groups(uint64 count, bool star, Size bytes)
{
    if (count > kMostGrouped)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("cannot group more than " UINT64_FORMAT " rows at once", kMostGrouped));
    uint32 *parent = allocate_huge<uint32>(count);
    PairSpool *pairs = star ? begin_pair_spool(bytes, 1, static_cast<double>(count)) : nullptr;
    return {star, parent, Components(parent, static_cast<uint32>(count)), pairs, static_cast<uint32>(count)};
}

void add_link(Groups *groups, uint64 a, uint64 b, bool equal)
{
    if (equal || !groups->star)
        groups->components.unite(static_cast<uint32>(a), static_cast<uint32>(b));
    else
        add_row(groups->pairs, 0, a, b);
}

uint32 *end_groups(Groups *groups)
{
    Components *components = &groups->components;
    const uint32 count = groups->count;
    if (groups->star) {
        Stars stars(allocate_huge<uint32>(count), count);
        Tuplesortstate *sort = begin_number_sort();
        visit_pairs(groups->pairs, [&](uint64 x, uint64 y) {
            const uint32 a = components->root(static_cast<uint32>(x)),
                         b = components->root(static_cast<uint32>(y));
            if (a != b)
                tuplesort_putdatum(sort, Int64GetDatum(int64{Min(a, b)} << 32 | Max(a, b)), false);
        });
        end_pair_spool(groups->pairs);
        visit_sorted(
            sort, [&](int64 pair) { stars.add(static_cast<uint32>(pair >> 32), static_cast<uint32>(pair)); });
        uint32 *star = stars.leaders();
        for (uint32 i = 0; i < count; i++)
            groups->parent[i] = star[components->root(i)];
        pfree(star);
    } else {
        for (uint32 i = 0; i < count; i++)
            groups->parent[i] = components->root(i);
    }
    return groups->parent;
}

EqualRows find_equal_rows(PairOutput *output)
{
    const Size bytes = static_cast<Size>(work_mem) * 1024;
    PairSpool *pairs = begin_pair_spool(bytes, 1, static_cast<double>(bytes));
    link_pairs(output, 0, {spool_pair, pairs});
    Size members;
    int64 *number = sort_members(pairs, &members);
    auto place = [&](uint64 row) {
        return static_cast<uint64>(std::lower_bound(number, number + members, static_cast<int64>(row)) -
                                   number);
    };
    Groups groups = begin_groups(members, false, 0);
    visit_pairs(pairs, [&](uint64 a, uint64 b) { add_link(&groups, place(a), place(b), true); });
    end_pair_spool(pairs);
    return {groups.count, number, end_groups(&groups)};
}

} // namespace simhash

SIMHASH_FUNCTION(simhash_pair_groups)
{
    using namespace simhash;
    ArrayType *a = PG_GETARG_ARRAYTYPE_P(0), *b = PG_GETARG_ARRAYTYPE_P(1);
    if (element_count(a) != element_count(b))
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                errmsg("the arrays have different numbers of elements"),
                errdetail("There are %lld and %lld.", static_cast<long long>(element_count(a)),
                          static_cast<long long>(element_count(b))));
    const ResultRows rows = begin_rows(fcinfo);
    const bool star = wants_stars(PG_GETARG_TEXT_PP(2));
    Keys keys = keys_of(a, b, PG_GET_COLLATION());
    Groups groups = begin_groups(keys.count, star, static_cast<Size>(work_mem) * 1024);
    take_arrays(&groups, a, b, &keys);
    const uint32 *leader = end_groups(&groups);
    for (Size i = 0; i < keys.count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (i > 0 && compare_keys(&keys.key[i - 1], &keys.key[i], &keys.order) == 0)
            continue;
        Datum values[2] = {keys.key[i], keys.key[leader[i]]};
        rows.put(values);
    }
    PG_RETURN_NULL();
}
