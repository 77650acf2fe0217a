// simhash_pair_sample(index, document, distance, pairs): some pairs of rows at each distance, with their exact
// similarity. So the owner of a table sees at which distance pairs stop being near-duplicates.
//
// A million equal rows make half a trillion pairs. So a first join finds the rows that have equal ones, and a second one
// joins one row of each group with the others: its pairs stand for those of all rows of both groups. If even those are
// many, all but a part of them is dropped as soon as they are found, and the others count for them. The pairs to keep
// are drawn as they come, so memory does not depend on their number.
#include "am/pairs/groups.hpp"
#include "am/pairs/pair_output.hpp"

#include "pg/server/compat.hpp"
#include "pg/server/query_rows.hpp"
#include "pg/server/result_rows.hpp"

extern "C" {
#include "catalog/index.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

constexpr int kMostDrawn = 10000;          // at each distance
constexpr int64 kBeforeThinning = 4000000; // pairs
constexpr int64 kGroupPair = 4;            // counts for so many, as it takes memory
constexpr int kThinningStep = 2;
constexpr int kMostThinning = 16;

struct DrawnPair {
    uint64 a, b;
};

// The pairs of a distance. Those to keep are drawn with equal probabilities (Li 1994, algorithm L).
struct Bin {
    int64 pairs; // found so far
    int count;   // of those kept
    int room;
    DrawnPair *kept;
    double falling; // what algorithm L calls W
    int64 skip;     // pairs before the next one that replaces another
};

struct Draw {
    MemoryContext context;
    PairOutput *output;
    EqualRows equal;
    uint32 *begin;  // of each group, at the place of its first row, in `member`
    uint32 *size;   // likewise
    uint32 *member; // places in `equal`, group by group
    HTAB *met;      // pairs of groups: a join in parts of the rows may find one again
    Bin *bin;
    int most;
    uint64 seed, numbers;
    int64 taken; // pairs since the last thinning
};

// From 0 to 1, though seldom 1.
double random_fraction(Draw *draw)
{
    return (static_cast<double>(split_mix_number(draw->seed, ++draw->numbers) >> 11) + 0.5) * 0x1p-53;
}

void draw_skip(Draw *draw, Bin *bin)
{
    bin->falling *= std::exp(std::log(random_fraction(draw)) / draw->most);
    bin->skip =
        static_cast<int64>(std::min(std::log(random_fraction(draw)) / std::log1p(-bin->falling), 0x1p62));
}

// A join has a memory context of its own.
void keep_pair(const Draw &draw, Bin *bin, DrawnPair pair)
{
    if (bin->count == bin->room) {
        bin->room = std::min(std::max(2 * bin->room, 16), draw.most);
        const Size bytes = sizeof(DrawnPair) * static_cast<Size>(bin->room);
        bin->kept = static_cast<DrawnPair *>(bin->kept == nullptr ? MemoryContextAlloc(draw.context, bytes)
                                                                  : repalloc(bin->kept, bytes));
    }
    bin->kept[bin->count++] = pair;
}

// Offers `pairs` pairs, of which pair_at(i) is one. Each stands for 2^thinned pairs.
template <typename PairAt> void offer_pairs(Draw *draw, Bin *bin, int64 pairs, int thinned, PairAt pair_at)
{
    bin->pairs += pairs << thinned;
    for (int64 i = 0; i < pairs; i++) {
        if (bin->count < draw->most) {
            keep_pair(*draw, bin, pair_at(i));
            if (bin->count == draw->most) {
                bin->falling = 1;
                draw_skip(draw, bin);
            }
            continue;
        }
        const int64 skipped = bin->skip >> thinned;
        if (skipped >= pairs - i) {
            bin->skip -= (pairs - i) << thinned;
            return;
        }
        i += skipped;
        const int place = static_cast<int>(random_fraction(draw) * draw->most);
        bin->kept[std::min(place, draw->most - 1)] = pair_at(i);
        draw_skip(draw, bin);
    }
}

// The group of a row. One of a single row has no members.
struct Group {
    uint64 first;
    uint32 size;
    const uint32 *member;
};

Group group_of(const Draw &draw, uint64 row)
{
    const EqualRows &equal = draw.equal;
    const auto number = static_cast<int64>(row);
    const int64 *found = std::lower_bound(equal.number, equal.number + equal.count, number);
    if (found == equal.number + equal.count || *found != number)
        return {row, 1, nullptr};
    const uint32 first = equal.first[found - equal.number];
    return {static_cast<uint64>(equal.number[first]), draw.size[first], draw.member + draw.begin[first]};
}

uint64 member_of(const Draw &draw, const Group &group, int64 i)
{
    return group.member == nullptr ? group.first : static_cast<uint64>(draw.equal.number[group.member[i]]);
}

void take_pair(void *context, uint64 a, uint64 b, uint64 distance)
{
    auto *draw = static_cast<Draw *>(context);
    if (distance == 0)
        return; // of equal rows
    const Group x = group_of(*draw, a), y = group_of(*draw, b);
    const bool grouped = x.size > 1 || y.size > 1;
    if (grouped) {
        const DrawnPair pair = {std::min(x.first, y.first), std::max(x.first, y.first)};
        bool found;
        hash_search(draw->met, &pair, HASH_ENTER, &found);
        if (found)
            return;
    }
    offer_pairs(draw, &draw->bin[distance], int64{x.size} * y.size, draw->output->thinned, [&](int64 i) {
        const uint64 p = member_of(*draw, x, i / y.size), q = member_of(*draw, y, i % y.size);
        return DrawnPair{std::min(p, q), std::max(p, q)};
    });
    draw->taken += grouped ? kGroupPair : 1;
    if (draw->taken >= kBeforeThinning && draw->output->thinning < kMostThinning) {
        draw->output->thinning += kThinningStep;
        draw->taken = 0;
    }
}

// Sorts the rows that have equal ones by groups, and offers their pairs.
void take_groups(Draw *draw)
{
    const EqualRows &equal = draw->equal;
    const Size bytes = sizeof(uint32) * (equal.count + 1);
    auto *end = allocate_huge<uint32>(equal.count + 1);
    for (uint32 **array : {&draw->begin, &draw->size, &draw->member})
        *array = static_cast<uint32 *>(
            MemoryContextAllocExtended(CurrentMemoryContext, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
    for (uint32 i = 0; i < equal.count; i++)
        draw->size[equal.first[i]]++;
    uint32 at = 0;
    for (uint32 i = 0; i < equal.count; i++) {
        draw->begin[i] = end[i] = at;
        at += draw->size[i];
    }
    for (uint32 i = 0; i < equal.count; i++)
        draw->member[end[equal.first[i]]++] = i;
    pfree(end);
    for (uint32 i = 0; i < equal.count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (draw->size[i] == 0)
            continue;
        const Group group = {static_cast<uint64>(equal.number[i]), draw->size[i],
                             draw->member + draw->begin[i]};
        const int64 pairs = int64{group.size} * (group.size - 1) / 2;
        offer_pairs(draw, &draw->bin[0], pairs, 0, [&](int64 pair) {
            auto y = static_cast<int64>((1 + std::sqrt(1 + 8 * static_cast<double>(pair))) / 2);
            while (y * (y - 1) / 2 > pair)
                y--;
            while ((y + 1) * y / 2 <= pair)
                y++;
            return DrawnPair{member_of(*draw, group, pair - y * (y - 1) / 2), member_of(*draw, group, y)};
        });
    }
}

HTAB *make_met()
{
    HASHCTL control = {};
    control.keysize = control.entrysize = sizeof(DrawnPair);
    control.hcxt = CurrentMemoryContext;
    return hash_create("simhash pairs of groups", 1024, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

// Draws pairs of an index, as text: the elements of an array for each column.
struct DrawnColumns {
    StringInfoData distance, pairs, a, b, a_table, b_table;
};

void append_row(const PairSide &side, uint64 row, StringInfo tid, StringInfo table)
{
    const ItemPointerData pointer = side.tids.tid_of(row);
    appendStringInfo(tid, "%s\"(%u,%u)\"", tid->len > 0 ? "," : "",
                     ItemPointerGetBlockNumberNoCheck(&pointer), ItemPointerGetOffsetNumberNoCheck(&pointer));
    appendStringInfo(table, "%s%u", table->len > 0 ? "," : "",
                     RelationGetRelid(side.part[side.tids.relation(row)].heap));
}

void draw_pairs(Oid index, int distance, int most, DrawnColumns *columns)
{
    for (StringInfo column : {&columns->distance, &columns->pairs, &columns->a, &columns->b,
                              &columns->a_table, &columns->b_table})
        initStringInfo(column);
    Draw draw = {};
    draw.context = CurrentMemoryContext;
    PairOutput output = {};
    output.snapshot = GetActiveSnapshot();
    output.sides = 1;
    const PairSide &side = output.side[0];
    open_side(index, output.snapshot, &output.side[0]);
    draw.output = &output;
    if (side.parts > 0 && distance >= 0) {
        distance = Min(distance, side.meta().bits);
        draw.bin = allocate_zero<Bin>(static_cast<Size>(distance) + 1);
        draw.most = most;
        if (!pg_strong_random(&draw.seed, sizeof(draw.seed)))
            draw.seed = static_cast<uint64>(MyProcPid);
        draw.equal = find_equal_rows(&output);
        take_groups(&draw);
        draw.met = make_met();
        if (distance > 0)
            link_pairs(&output, distance, {take_pair, &draw});
        for (int i = 0; i <= distance; i++) {
            const Bin &bin = draw.bin[i];
            for (int j = 0; j < bin.count; j++) {
                const char *comma = columns->distance.len > 0 ? "," : "";
                appendStringInfo(&columns->distance, "%s%d", comma, i);
                appendStringInfo(&columns->pairs, "%s" INT64_FORMAT, comma, bin.pairs);
                append_row(side, bin.kept[j].a, &columns->a, &columns->a_table);
                append_row(side, bin.kept[j].b, &columns->b, &columns->b_table);
            }
        }
    }
    close_side(side);
}

// A subquery that computes the text of one of the rows of a pair. The names of the pair are ones that a table is unlikely to
// have, since the caller's expression sees them, too.
const char *document_query(Oid table, const char *document, const char *member)
{
    const bool partitioned = get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE;
    return psprintf(
        "LATERAL (SELECT (SELECT (%s\n))::pg_catalog.text AS document FROM %s%s"
        " WHERE %sctid OPERATOR(pg_catalog.=) simhash_drawn_pair.drawn_%s) AS %s",
        document, partitioned ? "" : "ONLY ",
        quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), get_rel_name(table)),
        partitioned
            ? psprintf("tableoid OPERATOR(pg_catalog.=) simhash_drawn_pair.drawn_%s_table AND ", member)
            : "",
        member, member);
}

// The query runs with the caller's privileges and search_path: only the caller's expression depends on that.
const char *pair_query(const DrawnColumns &pair, Oid table, const char *schema, const char *document)
{
    return psprintf(
        "SELECT drawn_distance, drawn_pairs, drawn_a, drawn_b, drawn_a_table, drawn_b_table,"
        " %s.feature_cosine(a.document, b.document), %s.feature_jaccard(a.document, b.document, 'word', 3)"
        " FROM unnest('{%s}'::pg_catalog.int4[], '{%s}'::pg_catalog.int8[], '{%s}'::pg_catalog.tid[],"
        " '{%s}'::pg_catalog.tid[], '{%s}'::pg_catalog.oid[]::pg_catalog.regclass[],"
        " '{%s}'::pg_catalog.oid[]::pg_catalog.regclass[]) AS simhash_drawn_pair"
        " (drawn_distance, drawn_pairs, drawn_a, drawn_b, drawn_a_table, drawn_b_table), %s, %s"
        " ORDER BY drawn_distance",
        schema, schema, pair.distance.data, pair.pairs.data, pair.a.data, pair.b.data, pair.a_table.data,
        pair.b_table.data, document_query(table, document, "a"), document_query(table, document, "b"));
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_pair_sample)
{
    using namespace simhash;
    const Oid index = PG_GETARG_OID(0);
    const int pairs = PG_GETARG_INT32(3);
    if (pairs < 1 || pairs > kMostDrawn)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of pairs %d is out of range", pairs),
                errhint("Give the most pairs at each distance, 1 to %d.", kMostDrawn));
    const char *document = text_to_cstring(PG_GETARG_TEXT_PP(1));
    require_expression(document);
    DrawnColumns drawn;
    draw_pairs(index, PG_GETARG_INT32(2), pairs, &drawn);
    const Oid table = IndexGetRelation(index, true);
    const char *schema = get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));
    if (get_rel_name(table) == nullptr || schema == nullptr)
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE),
                errmsg("the table of index %u does not exist", index));
    const char *query = pair_query(drawn, table, quote_identifier(schema), document);
    const ResultRows rows = begin_rows(fcinfo);
    for_each_query_row(
        query, [&](TupleDesc found) { require_row_type(found, rows.type); },
        [&](const QueryRow &found) { tuplestore_puttuple(rows.store, found.tuple); });
    PG_RETURN_NULL();
}
