#include "am/signatures/list_build.hpp"

#include "core/bits/split_mix.hpp"
#include "pg/server/settings.hpp"

#include <algorithm>
#include <numeric>

extern "C" {
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// By default a list has this many rows. A table of fewer lists has none: an exact search takes 60 microseconds at most
// (bench/wide/lists.sh).
constexpr double kRowsOfList = 480;
constexpr double kFewestLists = 10;
// Of each list that is to be chosen.
constexpr int kSampleOfList = 50, kLeastOfList = 8;
// The rows that are searched to measure the recall.
constexpr int kQueries = 400;

// A row in the sort: its list and its tid, highest byte first, and the signature. So rows are sorted as bytes.
constexpr Size kListBytes = sizeof(std::uint32_t), kTidBytes = 6, kHeadBytes = kListBytes + kTidBytes;

void put_number(std::uint64_t number, Size bytes, std::uint8_t *at)
{
    for (Size i = 0; i < bytes; i++)
        at[i] = static_cast<std::uint8_t>(number >> 8 * (bytes - 1 - i));
}

std::uint64_t get_number(const std::uint8_t *at, Size bytes)
{
    std::uint64_t number = 0;
    for (Size i = 0; i < bytes; i++)
        number = number << 8 | at[i];
    return number;
}

std::uint8_t *item_data(bytea *item) { return reinterpret_cast<std::uint8_t *>(VARDATA(item)); }

void check_interrupts() { CHECK_FOR_INTERRUPTS(); }

// Memory for the rows that are searched to measure the recall.
void begin_queries(ListBuild *build)
{
    constexpr Size kMost = kQueries;
    ListMeasure *measure = &build->measure;
    const Size bytes = static_cast<Size>(build->set.bytes);
    measure->bytes = build->set.bytes;
    measure->distances = find_distances;
    measure->query = build->query = allocate_huge<std::uint8_t>(bytes * kMost);
    build->query_hash = allocate_huge<std::uint64_t>(kMost);
    measure->distance = allocate_huge<std::uint16_t>(kMost);
    measure->limit = allocate_huge<std::uint16_t>(kMost);
    std::fill(measure->limit, measure->limit + kMost, kNoLimit);
    measure->self = allocate_zero<bool>(kMost);
    measure->found = allocate_zero<int>(kMost);
    measure->near = allocate_huge<NearRow>(kMost * kMostCalibrated);
}

// Takes the rows whose tids have the smallest hashes. The rows of the sample would not do: they come from few blocks, and
// rows that stand together may be near each other, so that their neighbors have decided on the centers.
void consider_query(ListBuild *build, const std::uint8_t *item)
{
    const std::uint64_t hash = split_mix_number(1, get_number(item + kListBytes, kTidBytes));
    const bool enough = build->measure.queries == kQueries;
    if (enough && hash >= build->query_hash[build->last_query])
        return;
    const int at = enough ? build->last_query : build->measure.queries++;
    const Size bytes = static_cast<Size>(build->set.bytes);
    build->query_hash[at] = hash;
    std::memcpy(build->query + bytes * static_cast<Size>(at), item + kHeadBytes, bytes);
    if (build->measure.queries == kQueries)
        build->last_query = static_cast<int>(
            std::max_element(build->query_hash, build->query_hash + kQueries) - build->query_hash);
}

ListBuild *make_list_build(const SignatureMeta &meta)
{
    auto *build = allocate_zero<ListBuild>();
    build->set.bytes = meta.layout.bytes();
    build->item_bytes = kHeadBytes + static_cast<Size>(build->set.bytes);
    build->item = static_cast<bytea *>(palloc(VARHDRSZ + build->item_bytes));
    SET_VARSIZE(build->item, VARHDRSZ + build->item_bytes);
    return build;
}

void sort_item(ListBuild *build)
{
    consider_query(build, item_data(build->item));
    tuplesort_putdatum(build->sort, PointerGetDatum(build->item), false);
}

// Writes the rows list by list, and compares each with the queries.
void write_sorted_rows(ListBuild *build, StoreWriter *writer)
{
    tuplesort_performsort(build->sort);
    begin_lists(writer, build->set.lists);
    MemoryContext row_context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash sorted row", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(row_context);
    Datum item;
    while (next_sorted(build->sort, &item)) {
        CHECK_FOR_INTERRUPTS();
        // A sort on tape returns short varlenas as they were put.
        const auto *data = reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(DatumGetPointer(item)));
        const auto list = static_cast<std::uint32_t>(get_number(data, kListBytes));
        MemoryContextSwitchTo(caller);
        write_to_list(writer, list, data + kHeadBytes, Tid::unpack(get_number(data + kListBytes, kTidBytes)));
        measure_row(&build->measure, data + kHeadBytes, list);
        MemoryContextSwitchTo(row_context);
        MemoryContextReset(row_context);
    }
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(row_context);
    tuplesort_end(build->sort);
    begin_lists_to(writer, build->set.lists - 1);
}

// The numbers of groups and lists, the first list of each group, and the centers.
struct SharedLists {
    std::uint32_t groups, lists;
    std::uint32_t first[FLEXIBLE_ARRAY_MEMBER];
};

Size first_size(const CenterSet &set)
{
    return offsetof(SharedLists, first) + sizeof(std::uint32_t) * (set.groups + 1);
}

Size centers_size(const CenterSet &set, std::uint32_t centers)
{
    return static_cast<Size>(set.bytes) * centers;
}

} // namespace

std::uint32_t wanted_lists(const IndexOptions &options, double rows)
{
    if (options.lists != kDefaultLists)
        return static_cast<std::uint32_t>(options.lists);
    const double lists = rows / kRowsOfList;
    return lists < kFewestLists ? 0 : static_cast<std::uint32_t>(Min(lists, double{kMostLists}));
}

int list_sample_rows(const SignatureMeta &meta, std::uint32_t lists, int kilobytes)
{
    const auto row = static_cast<double>(meta.layout.bytes() + 3 * sizeof(std::uint32_t));
    return static_cast<int>(Min(double{kSampleOfList} * lists, kilobytes * 1024.0 / row));
}

ListBuild *begin_list_build(const SignatureMeta &meta, std::uint32_t lists, const std::uint8_t *sample,
                            int rows)
{
    const std::uint32_t wanted = lists;
    lists = Min(lists, static_cast<std::uint32_t>(rows / kLeastOfList));
    if (lists == 0)
        return nullptr;
    ListBuild *build = make_list_build(meta);
    const Size bytes = static_cast<Size>(build->set.bytes), most = most_lists(lists),
               at_once = most_centers(lists);
    CenterSample from = {};
    from.row = sample;
    from.rows = static_cast<std::uint32_t>(rows);
    from.bytes = build->set.bytes;
    from.distances = find_distances;
    from.pause = check_interrupts;
    from.chosen = allocate_huge<std::uint32_t>(from.rows);
    from.center_of = allocate_huge<std::uint32_t>(from.rows);
    from.moved = allocate_huge<std::uint32_t>(from.rows);
    from.distance = allocate_huge<std::uint16_t>(at_once);
    from.size = allocate_huge<std::uint32_t>(at_once);
    from.sum = allocate_huge<std::uint32_t>(at_once * bytes * 8);
    from.count = from.rows;
    std::iota(from.chosen, from.chosen + from.count, 0);
    const Size groups = groups_for(lists);
    build->set =
        choose_centers(from, lists, allocate_huge<std::uint8_t>(groups * bytes),
                       allocate_huge<std::uint32_t>(groups + 1), allocate_huge<std::uint8_t>(most * bytes));
    build->wanted = wanted;
    build->distance = allocate_huge<std::uint16_t>(most);
    pfree(from.chosen);
    pfree(from.center_of);
    pfree(from.moved);
    pfree(from.distance);
    pfree(from.size);
    pfree(from.sum);
    return build;
}

void begin_list_sort(ListBuild *build, int kilobytes)
{
    begin_queries(build);
    build->sort =
        tuplesort_begin_datum(BYTEAOID, ByteaLessOperator, InvalidOid, false, kilobytes, nullptr, false);
}

void add_list_row(ListBuild *build, const std::uint8_t *signature, Tid tid)
{
    std::uint8_t *data = item_data(build->item);
    put_number(nearest_list(build->set, find_distances, signature, build->distance), kListBytes, data);
    put_number(tid.packed(), kTidBytes, data + kListBytes);
    std::memcpy(data + kHeadBytes, signature, static_cast<Size>(build->set.bytes));
    if (build->sort != nullptr)
        sort_item(build);
    else
        write_row_file(build->file, data, build->item_bytes);
}

void sort_list_file(ListBuild *build, BufFile *file, uint64 rows)
{
    for (uint64 i = 0; i < rows; i++) {
        read_row_file(file, item_data(build->item), build->item_bytes);
        sort_item(build);
    }
}

ListMeta write_lists(ListBuild *build, StoreWriter *writer)
{
    write_sorted_rows(build, writer);
    end_store(writer);
    const CenterSet &set = build->set;
    ListMeta meta;
    std::memset(&meta, 0, sizeof(meta));
    meta.lists = set.lists;
    meta.groups = set.groups;
    meta.wanted = build->wanted;
    meta.page = write_list_pages(writer->index, set, writer->head);
    CalibrationMemory memory;
    memory.distance = build->distance;
    memory.list = allocate_huge<std::uint32_t>(set.lists);
    memory.rank = allocate_huge<std::uint32_t>(set.lists);
    memory.found = allocate_huge<float>(Size{kDistanceNodes} * set.lists);
    memory.sighting = allocate_huge<Sighting>(Size{kSightings} * kQueries);
    memory.pause = check_interrupts;
    meta.recall = measured_recall(&build->measure, set, memory);
    pfree(memory.list);
    pfree(memory.rank);
    pfree(memory.found);
    pfree(memory.sighting);
    return meta;
}

Size shared_lists_size(const ListBuild &build)
{
    const CenterSet &set = build.set;
    return first_size(set) + centers_size(set, set.groups + set.lists);
}

void share_lists(const ListBuild &build, void *memory)
{
    const CenterSet &set = build.set;
    auto *shared = static_cast<SharedLists *>(memory);
    shared->groups = set.groups;
    shared->lists = set.lists;
    std::copy(set.first, set.first + set.groups + 1, shared->first);
    char *centers = static_cast<char *>(memory) + first_size(set);
    std::memcpy(centers, set.group, centers_size(set, set.groups));
    std::memcpy(centers + centers_size(set, set.groups), set.center, centers_size(set, set.lists));
}

ListBuild *shared_lists(const SignatureMeta &meta, const void *memory)
{
    ListBuild *build = make_list_build(meta);
    const auto *shared = static_cast<const SharedLists *>(memory);
    CenterSet *set = &build->set;
    set->groups = shared->groups;
    set->lists = shared->lists;
    set->first = shared->first;
    set->group = static_cast<const std::uint8_t *>(memory) + first_size(*set);
    set->center = set->group + centers_size(*set, set->groups);
    build->distance = allocate_huge<std::uint16_t>(set->lists);
    return build;
}

} // namespace simhash
