// simhash_group(key, value, radius, kind) OVER (…): the key of the first row, in the order of the window, of the group of
// near-duplicates to which a row belongs.
//
// The first call for a partition reads the values of its rows, finds the pairs, and leaves a number for each row: that of
// its group, if it has more than one row. Later calls return keys. A leader comes before the other rows of its group, so
// its key is copied when it is met, and no row is read again.
#include "am/pairs/groups.hpp"
#include "am/pairs/pair_read.hpp"
#include "am/signatures/spooled_signatures.hpp"

#include "pg/types/signature_type.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "windowapi.h"
}

namespace simhash
{

namespace
{

enum Argument { kKey, kValue, kRadius, kKind };

constexpr uint64 kSampled = 8192; // rows
constexpr uint64 kFewRows = 128;  // of which all pairs are compared

// In place of a row's number.
constexpr uint32 kLeads = 0x80000000;
constexpr uint32 kAlone = 0xFFFFFFFF;

// A partition of the window, in memory that PostgreSQL clears.
struct WindowGroups {
    bool ready;
    uint32 *group; // of each row: kAlone, or the number of its group, with kLeads in the first row
    Datum *key;    // of each group, once its first row is met
    bool *null;
    int16 length; // of the type of keys
    bool by_value;
};

// The rows of a partition, and the values of those whose value is not NULL. These are in one of three places.
struct GroupedRows {
    WindowObject window;
    FmgrInfo *function;
    MemoryContext of_row;
    uint64 count;
    bool signatures; // of bit(n), and not fingerprints
    int bits;        // -1 until there is a value
    int bytes;

    uint8 *few; // a few values, one after the other
    Size fews;
    uint64 number[kFewRows];

    PairSpool *words; // of up to 64 bits
    Fingerprint *sample;
    Size sampled;

    SpooledSignatures *wide;
};

// The value of an argument in a row. It is valid until the next call.
Datum argument_of(const GroupedRows &rows, int argument, uint64 row, bool *null)
{
    CHECK_FOR_INTERRUPTS();
    bool out;
    MemoryContextReset(rows.of_row);
    MemoryContext caller = MemoryContextSwitchTo(rows.of_row);
    const Datum value = WinGetFuncArgInPartition(rows.window, argument, static_cast<int>(row),
                                                 WINDOW_SEEK_HEAD, false, null, &out);
    MemoryContextSwitchTo(caller);
    return value;
}

// Raises an error if the value of an argument is NULL, or not that of the current row in all rows.
Datum constant_argument(const GroupedRows &rows, int argument, const char *name)
{
    bool null = false;
    const Datum value = WinGetFuncArgCurrent(rows.window, argument, &null);
    if (null)
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be NULL", name));
    if (get_fn_expr_arg_stable(rows.function, argument))
        return value;
    int16 length;
    bool by_value;
    get_typlenbyval(get_fn_expr_argtype(rows.function, argument), &length, &by_value);
    for (uint64 i = 0; i < rows.count; i++) {
        const Datum other = argument_of(rows, argument, i, &null);
        if (null || !datum_image_eq(value, other, by_value, length))
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s must be the same for all rows of a window's partition", name));
    }
    return value;
}

// Begins with the length of the first value.
void begin_values(GroupedRows *rows, int bits, Size bytes)
{
    if (bits > kMostSignatureBits)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("signatures cannot have more than %d bits", kMostSignatureBits));
    rows->bits = bits;
    rows->bytes = Max((bits + 7) / 8, static_cast<int>(sizeof(Fingerprint)));
    if (rows->count <= kFewRows) {
        rows->few = static_cast<uint8 *>(palloc(kFewRows * static_cast<Size>(rows->bytes)));
    } else if (bits <= kBits) {
        rows->words = begin_pair_spool(bytes, 1, static_cast<double>(rows->count));
        rows->sample = allocate<Fingerprint>(2 * kSampled);
    } else {
        rows->wide = allocate<SpooledSignatures>();
        begin_signatures(rows->wide, bits);
    }
}

void add_value(GroupedRows *rows, uint64 number, const uint8 *value)
{
    const uint64 step = rows->count / kSampled + 1;
    if (rows->few != nullptr) {
        std::memcpy(rows->few + rows->fews * static_cast<Size>(rows->bytes), value,
                    static_cast<Size>(rows->bytes));
        rows->number[rows->fews++] = number;
    } else if (rows->words != nullptr) {
        Fingerprint word;
        std::memcpy(&word, value, sizeof(word));
        add_row(rows->words, 0, word, number | kVisible);
        if (number % step == 0)
            rows->sample[rows->sampled++] = word;
    } else {
        add_signature(rows->wide, value, number);
    }
}

void read_values(GroupedRows *rows, Size bytes)
{
    for (uint64 i = 0; i < rows->count; i++) {
        bool null;
        const Datum datum = argument_of(*rows, kValue, i, &null);
        if (null)
            continue;
        if (!rows->signatures) {
            if (rows->bits < 0)
                begin_values(rows, kBits, bytes);
            const Fingerprint word = datum_fingerprint(datum);
            add_value(rows, i, reinterpret_cast<const uint8 *>(&word));
            continue;
        }
        MemoryContext caller = MemoryContextSwitchTo(rows->of_row);
        const SignatureView view = datum_signature(datum);
        MemoryContextSwitchTo(caller);
        if (rows->bits < 0)
            begin_values(rows, view.bits, bytes);
        check_lengths(rows->bits, view.bits);
        if (view.bits > kBits) {
            add_value(rows, i, view.data);
        } else {
            uint8 word[sizeof(Fingerprint)] = {};
            std::memcpy(word, view.data, static_cast<Size>(view.bits + 7) / 8);
            add_value(rows, i, word);
        }
    }
}

void take_pair(void *context, uint64 a, uint64 b, uint64 distance)
{
    add_link(static_cast<Groups *>(context), a, b, distance == 0);
}

// Compares each row with all others.
void link_few_rows(const GroupedRows &rows, int radius, Groups *groups)
{
    auto value = [&rows](Size at) { return rows.few + at * static_cast<Size>(rows.bytes); };
    for (Size b = 0; b < rows.fews; b++) {
        for (Size a = 0; a < b; a++) {
            const int distance = signature_distance(value(a), value(b), rows.bytes);
            if (distance <= radius)
                take_pair(groups, rows.number[a], rows.number[b], static_cast<uint64>(distance));
        }
    }
}

// The words of a spool, as a join reads them.
struct SpoolSource : PairSource {
    PairSpool *spool;
};

void read_spool(PairReader *reader, int, void (*visit)(void *context, const Rows &rows), void *context)
{
    PairSpool *spool = static_cast<SpoolSource *>(reader->output->source)->spool;
    const auto most = static_cast<Size>(leaf_capacity(BLCKSZ));
    for (uint64 at = 0; at < spooled_rows(spool, 0); at += reader->page.count) {
        CHECK_FOR_INTERRUPTS();
        read_rows(spool, 0, at, most, &reader->page);
        visit(context, reader->page);
    }
}

// Finds pairs of words within a radius. Equal ones are each linked to one; so these are not all pairs, but enough to find
// the groups.
void link_words(const GroupedRows &rows, int radius, Size bytes, PairSink sink)
{
    SpoolSource source = {{read_spool, nullptr, nullptr}, rows.words};
    PairOutput output = {};
    output.sides = 1;
    output.side[0].rows = static_cast<double>(spooled_rows(rows.words, 0));
    output.sink = sink;
    output.source = &source;
    PairReader *reader = begin_reader(&output, bytes / 2, bytes / 3);
    reader->join->radius = radius;
    reader->links = true;
    begin_output(&output, bytes / 6);
    PairTask task;
    set_cell_task(*reader, &task);
    measure_bits(rows.sample, rows.sampled, rows.sample, rows.sampled, task.differ);
    PairPlan plan;
    plan_pairs(task, &plan);
    log_plan("partitions", plan);
    CellsWork work;
    begin_cells(&work, reader, plan);
    while (continue_cells(&work)) {
    }
    end_output(&output);
    end_join(reader->join);
}

// Finds the leader of each row.
uint32 *find_leaders(GroupedRows *rows, int radius, bool star)
{
    const Size part = pair_memory(static_cast<double>(rows->count)) / 4;
    read_values(rows, part);
    Groups groups = begin_groups(rows->count, star, part);
    const PairSink sink = {take_pair, &groups};
    if (rows->few != nullptr && radius >= 0)
        link_few_rows(*rows, radius, &groups);
    if (rows->words != nullptr) {
        if (radius >= 0)
            link_words(*rows, Min(radius, kBits), 2 * part, sink);
        end_pair_spool(rows->words);
    }
    if (rows->wide != nullptr)
        link_signatures(rows->wide, radius, sink);
    return end_groups(&groups);
}

// Puts the number of its group in place of each row's leader. Returns the number of groups.
uint32 number_groups(uint32 *leader, uint64 count)
{
    auto *leads = static_cast<uint64 *>(MemoryContextAllocExtended(
        CurrentMemoryContext, sizeof(uint64) * (count / 64 + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
    for (uint64 i = 0; i < count; i++) {
        if (leader[i] != i)
            leads[leader[i] / 64] |= uint64{1} << leader[i] % 64;
    }
    uint32 groups = 0;
    for (uint64 i = 0; i < count; i++) {
        if (leader[i] != i)
            leader[i] = leader[leader[i]] & ~kLeads;
        else
            leader[i] = (leads[i / 64] >> i % 64 & 1) ? kLeads | groups++ : kAlone;
    }
    pfree(leads);
    return groups;
}

void group_partition(WindowObject window, FmgrInfo *function, WindowGroups *partition)
{
    // PostgreSQL has allocated the partition in a context of its own.
    MemoryContext kept = GetMemoryChunkContext(partition);
    MemoryContext work = AllocSetContextCreate(kept, "simhash groups", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(work);
    auto *rows = allocate_zero<GroupedRows>();
    rows->window = window;
    rows->bits = -1;
    rows->function = function;
    rows->of_row = AllocSetContextCreate(work, "simhash row", ALLOCSET_SMALL_SIZES);
    rows->count = static_cast<uint64>(WinGetPartitionRowCount(window));
    rows->signatures = getBaseType(get_fn_expr_argtype(function, kValue)) == BITOID;
    const int radius = DatumGetInt32(constant_argument(*rows, kRadius, "the radius"));
    const bool star = wants_stars(DatumGetTextPP(constant_argument(*rows, kKind, "the kind of groups")));
    uint32 *leader = find_leaders(rows, radius, star);
    const uint32 groups = number_groups(leader, rows->count);

    MemoryContextSwitchTo(kept);
    partition->group = allocate_huge<uint32>(rows->count);
    std::memcpy(partition->group, leader, sizeof(uint32) * rows->count);
    partition->key = allocate_huge<Datum>(groups);
    partition->null = allocate_huge<bool>(groups);
    get_typlenbyval(get_fn_expr_argtype(function, kKey), &partition->length, &partition->by_value);
    partition->ready = true;
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(work);
}

void keep_key(WindowGroups *partition, uint32 group, Datum key, bool null)
{
    MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
    partition->key[group] = null ? key : datumCopy(key, partition->by_value, partition->length);
    partition->null[group] = null;
    MemoryContextSwitchTo(caller);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_group)
{
    using namespace simhash;
    WindowObject window = PG_WINDOW_OBJECT();
    auto *partition = static_cast<WindowGroups *>(WinGetPartitionLocalMemory(window, sizeof(WindowGroups)));
    if (!partition->ready)
        group_partition(window, fcinfo->flinfo, partition);
    const uint32 number = partition->group[WinGetCurrentPosition(window)];
    bool null = false;
    Datum key;
    if (number == kAlone || number & kLeads) {
        key = WinGetFuncArgCurrent(window, kKey, &null);
        if (number != kAlone)
            keep_key(partition, number & ~kLeads, key, null);
    } else {
        key = partition->key[number];
        null = partition->null[number];
    }
    if (null)
        PG_RETURN_NULL();
    PG_RETURN_DATUM(key);
}
