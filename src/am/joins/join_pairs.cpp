// A Simhash Join by pairs. The pairs found come as places of rows that the snapshot sees; the rows are fetched, and all
// conditions are tested.
//
// An EvalPlanQual test asks whether the join still holds for one row of each table: no pairs are searched then.
#include "am/joins/join_pairs.hpp"

#include "am/index/open_index.hpp"
#include "am/pairs/pair_search.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "access/genam.h"
#include "access/parallel.h"
#include "access/tableam.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// What a plan holds for its execution.
struct PairNumbers {
    PairMethod method;
    int condition; // its place in the join's
    int columns;   // the first ones of the scan's row, which the rows of pairs have
    List *indexes[2];
};

List *plan_private(const PairNumbers &numbers)
{
    return list_make3(list_make3_int(static_cast<int>(numbers.method), numbers.condition, numbers.columns),
                      numbers.indexes[0], numbers.indexes[1]);
}

PairNumbers read_plan_private(List *list)
{
    auto *numbers = static_cast<List *>(linitial(list));
    return {static_cast<PairMethod>(linitial_int(numbers)),
            lsecond_int(numbers),
            lthird_int(numbers),
            {static_cast<List *>(lsecond(list)), static_cast<List *>(lthird(list))}};
}

// The plan's rows have the columns of both tables that are needed.
Plan *plan_pairs(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List * /*clauses*/,
                 List * /*plans*/)
{
    const PlannedPairs &pairs = static_cast<const PairsPath *>(path)->pairs;
    List *conditions = ordered_clauses(root, pairs.conditions);
    const int condition = place_of(conditions, pairs.condition);
    List *tests = get_actual_clauses(conditions);
    List *others = pairs.exact ? list_delete_nth_cell(list_copy(tests), condition) : tests;
    List *needed = list_concat(list_make1(others), list_copy(rel->reltarget->exprs));
    ListCell *cell;
    foreach (cell, tlist)
        needed = lappend(needed, static_cast<TargetEntry *>(lfirst(cell))->expr);
    List *columns = add_to_flat_tlist(NIL, columns_in(needed));
    const int of_pairs = list_length(columns);
    columns = add_to_flat_tlist(columns, columns_in(tests));

    auto *scan = makeNode(CustomScan);
    scan->scan.plan.targetlist = tlist;
    scan->flags = path->flags;
    scan->custom_exprs = list_make3(pairs.radius, tests, others);
    scan->custom_scan_tlist = columns;
    scan->custom_private =
        plan_private({pairs.method, condition, of_pairs, {pairs.indexes[0], pairs.indexes[1]}});
    scan->methods = &kJoinScanMethods;
    return &scan->scan.plan;
}

// -- Execution -----------------------------------------------------------------------------------------------

struct RowColumn {
    int side;
    AttrNumber number;
    int kept; // its place among the kept columns
};

enum class PairPhase {
    begin,
    itself, // each row with itself
    pairs,
    exchanged, // the last pair in the other order
    end
};

// What the processes of a parallel plan share: then come the scan of the rows with themselves and the search.
struct ProcessCounts {
    PairCounts counts;
    uint64 filtered;
};
struct SharedPairJoin {
    int radius;
    Size scan, scan_bytes, pairs; // their places; a scan is of one part
    int workers;
    ProcessCounts worker[FLEXIBLE_ARRAY_MEMBER];

    ParallelTableScanDesc table_scan(int part)
    {
        return reinterpret_cast<ParallelTableScanDesc>(reinterpret_cast<char *>(this) + scan +
                                                       scan_bytes * static_cast<Size>(part));
    }
    SharedPairs *search() { return reinterpret_cast<SharedPairs *>(reinterpret_cast<char *>(this) + pairs); }
};

// A table, and its parts that are searched: partitions or itself.
struct JoinedSide : SearchedSide {
    Index number;
    Relation table;
    RowMap *map;            // of each part
    TupleTableSlot **row;   // of each part
    int current;            // the part of the last row
    TupleTableSlot *tested; // of an EvalPlanQual test
};

struct PairJoinState {
    CustomScanState css; // first
    PairNumbers numbers;
    JoinedSide side[2]; // without parts for EXPLAIN alone; of one index both have the same
    bool was_tested;
    int columns;
    RowColumn *column;
    bool keeps;          // the columns of pairs; otherwise the rows of a pair are fetched
    KeptColumns kept[2]; // of each side
    ExprState *radius;
    ExprState *conditions;
    ExprState *of_pairs; // those that a pair found may not meet

    MemoryContext context;
    PairPhase phase;
    PairSearch *search;
    JoinedRows pair;        // the last one
    TableScanDesc scan;     // of the rows of a part with themselves
    int scanned;            // the part
    SharedPairJoin *shared; // null if this process does all
    ProcessCounts ended;    // pairs of searches that have ended, and all counts of other processes
};

PairJoinState *join_of(CustomScanState *node) { return reinterpret_cast<PairJoinState *>(node); }

// Makes the joined row of the first columns. get(column, null) returns a column.
template <typename Get> TupleTableSlot *fill_columns(PairJoinState *state, int columns, Get get)
{
    TupleTableSlot *joined = state->css.ss.ss_ScanTupleSlot;
    ExprContext *context = state->css.ss.ps.ps_ExprContext;
    ResetExprContext(context);
    ExecClearTuple(joined);
    for (int i = 0; i < columns; i++)
        joined->tts_values[i] = get(state->column[i], &joined->tts_isnull[i]);
    for (int i = columns; i < state->columns; i++)
        joined->tts_isnull[i] = true;
    context->ecxt_scantuple = joined;
    return ExecStoreVirtualTuple(joined);
}

// A column of the row that is the current one of a side.
Datum current_column(PairJoinState *state, const JoinedSide &side, AttrNumber number, bool *null)
{
    return read_column(state->css.ss.ps.ps_ExprContext, side.map[side.current], side.row[side.current],
                       number, null);
}

// Makes the joined row of two rows, each the current one of a side.
TupleTableSlot *fill(PairJoinState *state, const JoinedSide &x, const JoinedSide &y)
{
    return fill_columns(state, state->columns, [&](const RowColumn &column, bool *null) {
        return current_column(state, column.side == 0 ? x : y, column.number, null);
    });
}

// The same of the last pair, with one row or the other first.
TupleTableSlot *fill_pair(PairJoinState *state, int first)
{
    return fill_columns(state, state->numbers.columns, [state, first](const RowColumn &column, bool *null) {
        const int side = column.side ^ first;
        const uint64 *kept = state->pair.kept[side];
        return kept != nullptr ? state->kept[column.side].value(kept, column.kept, null)
                               : current_column(state, state->side[side], column.number, null);
    });
}

// The radius, or -1 if it is null.
int read_radius(PairJoinState *state)
{
    ExprContext *context = state->css.ss.ps.ps_ExprContext;
    ResetExprContext(context);
    bool null;
    const Datum radius = ExecEvalExprSwitchContext(state->radius, context, &null);
    return null ? kEmptyRadius : clamp_radius(DatumGetInt64(radius), PG_INT32_MAX);
}

bool one_index(const PairJoinState *state) { return state->numbers.method != PairMethod::two_indexes; }

// Begins to read the rows of a part that are joined with themselves. Returns false if there is no such part.
bool scan_part(PairJoinState *state, int part)
{
    const JoinedSide &side = state->side[0];
    state->scanned = part;
    if (part < side.parts)
        state->scan =
            state->shared == nullptr
                ? table_beginscan(side.part[part].table, state->css.ss.ps.state->es_snapshot, 0, nullptr)
                : table_beginscan_parallel(side.part[part].table, state->shared->table_scan(part));
    return part < side.parts;
}

void begin_search(PairJoinState *state)
{
    SharedPairJoin *shared = state->shared;
    const int radius = shared == nullptr ? read_radius(state) : shared->radius;
    Snapshot snapshot = state->css.ss.ps.state->es_snapshot;
    state->phase = PairPhase::end;
    if (radius < 0)
        return;
    const SearchedSide searched[2] = {state->side[0], state->side[1]};
    MemoryContext caller = MemoryContextSwitchTo(state->context);
    state->search = begin_pair_search(searched, one_index(state) ? 1 : 2, radius, snapshot,
                                      state->keeps ? state->kept : nullptr,
                                      shared == nullptr ? nullptr : shared->search());
    MemoryContextSwitchTo(caller);
    state->phase = state->numbers.method == PairMethod::and_itself && scan_part(state, 0) ? PairPhase::itself
                                                                                          : PairPhase::pairs;
}

void add_counts(const PairCounts &counts, PairCounts *sum)
{
    *sum = {sum->pairs + counts.pairs, sum->pages + counts.pages, std::max(sum->memory, counts.memory),
            sum->spilled + counts.spilled};
}

void end_search(PairJoinState *state)
{
    if (state->search != nullptr) {
        add_counts(pair_counts(state->search), &state->ended.counts);
        end_pair_search(state->search);
    }
    if (state->scan != nullptr)
        table_endscan(state->scan);
    state->search = nullptr;
    state->scan = nullptr;
}

// Makes a part the current one: a row of another part is not kept. Returns the slot of its row.
TupleTableSlot *select_part(JoinedSide *side, int part)
{
    if (side->current != part)
        ExecClearTuple(side->row[side->current]);
    side->current = part;
    return side->row[part];
}

// Fetches a row of a pair, unless it is that of the last pair.
void fetch_row(PairJoinState *state, int number)
{
    JoinedSide *side = &state->side[number];
    const int part = state->pair.part[number];
    ItemPointerData *place = &state->pair.row[number];
    TupleTableSlot *row = select_part(side, part);
    if (!TupIsNull(row) && ItemPointerEquals(&row->tts_tid, place))
        return;
    if (!table_tuple_fetch_row_version(side->part[part].table, place, state->css.ss.ps.state->es_snapshot,
                                       row))
        elog(ERROR, "a row of a %s is not visible", kJoinName);
}

// The next joined row, or null.
TupleTableSlot *next_row(PairJoinState *state)
{
    JoinedSide *x = &state->side[0];
    TupleTableSlot *row;
    for (;;) {
        switch (state->phase) {
        case PairPhase::begin:
            begin_search(state);
            break;
        case PairPhase::itself:
            row = select_part(x, state->scanned);
            if (table_scan_getnextslot(state->scan, ForwardScanDirection, row))
                return fill(state, *x, *x);
            ExecClearTuple(row);
            table_endscan(state->scan);
            state->scan = nullptr;
            if (!scan_part(state, state->scanned + 1))
                state->phase = PairPhase::pairs;
            break;
        case PairPhase::pairs:
            if (!next_pair(state->search, &state->pair)) {
                state->phase = PairPhase::end;
                break;
            }
            for (int side = 0; side < 2; side++) {
                if (state->pair.kept[side] == nullptr)
                    fetch_row(state, side);
            }
            if (one_index(state))
                state->phase = PairPhase::exchanged;
            return fill_pair(state, 0);
        case PairPhase::exchanged:
            state->phase = PairPhase::pairs;
            return fill_pair(state, 1);
        case PairPhase::end:
            return nullptr;
        }
    }
}

// The one row of an EvalPlanQual test, or null.
TupleTableSlot *next_tested(PairJoinState *state)
{
    if (state->was_tested)
        return nullptr;
    state->was_tested = true;
    JoinedSide tested[2];
    TupleTableSlot *row[2];
    RowMap map = {};
    for (int i = 0; i < 2; i++) {
        row[i] = tested_row(&state->css, state->side[i].number, state->side[i].tested);
        if (row[i] == nullptr)
            return nullptr;
        tested[i] = {{1, nullptr}, 0, nullptr, &map, &row[i], 0, nullptr};
    }
    return fill(state, tested[0], tested[1]);
}

void open_parts(const List *indexes, EState *estate, JoinedSide *side)
{
    static_cast<SearchedSide &>(*side) =
        open_members(indexes, side->table, exec_rt_fetch(side->number, estate)->rellockmode);
    side->map = allocate<RowMap>(side->parts);
    side->row =
        static_cast<TupleTableSlot **>(palloc(sizeof(TupleTableSlot *) * static_cast<Size>(side->parts)));
    TupleTableSlot *converted = ExecInitExtraTupleSlot(estate, RelationGetDescr(side->table), &TTSOpsVirtual);
    for (int part = 0; part < side->parts; part++) {
        Relation table = side->part[part].table;
        side->map[part] = map_rows(table, side->table, converted);
        side->row[part] = table_slot_create(table, &estate->es_tupleTable);
    }
}

void open_tables(PairJoinState *state, EState *estate, int flags)
{
    const auto *scan = reinterpret_cast<const CustomScan *>(state->css.ss.ps.plan);
    for (int i = 0; i < 2; i++) {
        JoinedSide *side = &state->side[i];
        side->number = tree_number(scan->custom_relids, i); // the outer table's is the lower one
        side->table = ExecOpenScanRelation(estate, side->number, flags);
        side->tested = table_slot_create(side->table, &estate->es_tupleTable);
        if ((flags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
            open_parts(state->numbers.indexes[i], estate, side);
    }
}

// The mean length of a column's values, or 0 if it is not known. Partitions are taken to be alike.
int column_width(const JoinedSide &side, AttrNumber number)
{
    if (side.parts == 0 || number <= 0)
        return 0;
    const TupleConversionMap *map = side.map[0].map;
    if (map != nullptr)
        number = map->attrMap->attnums[number - 1];
    return get_attavgwidth(RelationGetRelid(side.part[0].table), number);
}

// Where the columns of the scan's row come from. Of one index, any row may be on either side.
void set_columns(PairJoinState *state, const List *targets)
{
    state->columns = list_length(targets);
    state->column = allocate<RowColumn>(static_cast<Size>(state->columns) + 1);
    state->keeps = true;
    for (int i = 0; i < state->columns; i++) {
        const auto *entry = static_cast<const TargetEntry *>(list_nth(targets, i));
        const auto *var = reinterpret_cast<const Var *>(entry->expr);
        const int side = static_cast<Index>(var->varno) == state->side[1].number;
        const JoinedSide &of = state->side[side];
        KeptColumns *kept = &state->kept[one_index(state) ? 0 : side];
        state->column[i] = {side, var->varattno, -1};
        if (i < state->numbers.columns && state->keeps)
            state->column[i].kept =
                kept->add(RelationGetDescr(of.table), var->varattno, column_width(of, var->varattno));
        state->keeps = state->keeps && (i >= state->numbers.columns || state->column[i].kept >= 0);
    }
    if (one_index(state))
        state->kept[1] = state->kept[0];
    const int words = Max(Max(state->kept[0].words, state->kept[1].words), 1);
    for (int i = 0; i < 2; i++) {
        const JoinedSide &side = state->side[i];
        state->kept[i].words = words;
        state->kept[i].numbers = static_cast<const AttrNumber **>(
            palloc0(sizeof(AttrNumber *) * static_cast<Size>(side.parts + 1)));
        for (int part = 0; part < side.parts; part++) {
            const TupleConversionMap *map = side.map[part].map;
            state->kept[i].numbers[part] = map == nullptr ? nullptr : map->attrMap->attnums;
        }
    }
}

void begin_pairs_join(CustomScanState *node, EState *estate, int flags)
{
    PairJoinState *state = join_of(node);
    const auto *scan = reinterpret_cast<const CustomScan *>(node->ss.ps.plan);
    state->numbers = read_plan_private(scan->custom_private);
    open_tables(state, estate, flags);
    set_columns(state, scan->custom_scan_tlist);
    state->radius = ExecInitExpr(static_cast<Expr *>(linitial(scan->custom_exprs)), &node->ss.ps);
    state->conditions = ExecInitQual(static_cast<List *>(lsecond(scan->custom_exprs)), &node->ss.ps);
    state->of_pairs = ExecInitQual(static_cast<List *>(lthird(scan->custom_exprs)), &node->ss.ps);
    state->context = AllocSetContextCreate(CurrentMemoryContext, "Simhash Join", ALLOCSET_DEFAULT_SIZES);
}

TupleTableSlot *execute_pairs_join(CustomScanState *node)
{
    PairJoinState *state = join_of(node);
    const bool tested = is_tested(node);
    ProjectionInfo *projection = node->ss.ps.ps_ProjInfo;
    while (TupleTableSlot *row = tested ? next_tested(state) : next_row(state)) {
        CHECK_FOR_INTERRUPTS();
        if (ExecQual(tested || state->phase == PairPhase::itself ? state->conditions : state->of_pairs,
                     node->ss.ps.ps_ExprContext))
            return projection != nullptr ? ExecProject(projection) : row;
        state->ended.filtered++;
    }
    return ExecClearTuple(projection != nullptr ? projection->pi_state.resultslot
                                                : node->ss.ss_ScanTupleSlot);
}

void end_pairs_join(CustomScanState *node)
{
    PairJoinState *state = join_of(node);
    end_search(state);
    for (const JoinedSide &side : state->side)
        close_members(side, side.table);
}

void rescan_pairs_join(CustomScanState *node)
{
    PairJoinState *state = join_of(node);
    end_search(state);
    state->phase = PairPhase::begin;
    state->was_tested = false;
    ExecScanReScan(&node->ss);
}

// -- Parallel plans ------------------------------------------------------------------------------------------
//
// Each process returns the pairs of the tasks that it takes, and some of the rows with themselves.

// What the scan of a part takes.
Size scan_size(const PairJoinState *state)
{
    const JoinedSide &side = state->side[0];
    Size bytes = 0;
    for (int i = 0; i < side.parts && state->numbers.method == PairMethod::and_itself; i++)
        bytes = std::max<Size>(bytes, MAXALIGN(table_parallelscan_estimate(
                                          side.part[i].table, state->css.ss.ps.state->es_snapshot)));
    return bytes;
}

Size counts_size(const ParallelContext *context)
{
    return MAXALIGN(offsetof(SharedPairJoin, worker) +
                    sizeof(ProcessCounts) * static_cast<Size>(context->nworkers));
}

Size shared_size(CustomScanState *node, ParallelContext *context)
{
    const PairJoinState *state = join_of(node);
    const JoinedSide &side = state->side[0];
    return counts_size(context) + scan_size(state) * static_cast<Size>(side.parts) +
           shared_pairs_size(side.part[0].index);
}

// The counts of the workers that have ended. If a LIMIT ends the search, PostgreSQL asks before the others have.
void take_counts(PairJoinState *state)
{
    SharedPairJoin *shared = state->shared;
    for (int i = 0; i < shared->workers; i++) {
        add_counts(shared->worker[i].counts, &state->ended.counts);
        state->ended.filtered += shared->worker[i].filtered;
        shared->worker[i] = {};
    }
}

void share_search(PairJoinState *state)
{
    SharedPairJoin *shared = state->shared;
    Snapshot snapshot = state->css.ss.ps.state->es_snapshot;
    shared->radius = read_radius(state);
    if (shared->radius < 0)
        return;
    const SearchedSide searched[2] = {state->side[0], state->side[1]};
    for (int i = 0; i < searched[0].parts && state->numbers.method == PairMethod::and_itself; i++)
        table_parallelscan_initialize(searched[0].part[i].table, shared->table_scan(i), snapshot);
    share_pair_search(searched, one_index(state) ? 1 : 2, shared->radius, snapshot, shared->workers + 1,
                      shared->search());
}

void initialize_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
    PairJoinState *state = join_of(node);
    auto *shared = state->shared = static_cast<SharedPairJoin *>(memory);
    std::memset(shared, 0, shared_size(node, context));
    shared->workers = context->nworkers;
    shared->scan = counts_size(context);
    shared->scan_bytes = scan_size(state);
    shared->pairs = shared->scan + shared->scan_bytes * static_cast<Size>(state->side[0].parts);
    share_search(state);
}

void reinitialize_shared(CustomScanState *node, ParallelContext * /*context*/, void *memory)
{
    PairJoinState *state = join_of(node);
    state->shared = static_cast<SharedPairJoin *>(memory);
    take_counts(state);
    share_search(state);
}

void initialize_worker(CustomScanState *node, shm_toc * /*toc*/, void *memory)
{
    join_of(node)->shared = static_cast<SharedPairJoin *>(memory);
}

// The shared memory is about to go.
void shut_down(CustomScanState *node)
{
    PairJoinState *state = join_of(node);
    if (state->shared == nullptr)
        return;
    end_search(state);
    state->phase = PairPhase::end;
    if (IsParallelWorker())
        state->shared->worker[ParallelWorkerNumber] = state->ended;
    else
        take_counts(state);
    state->shared = nullptr;
}

void explain_pairs_join(CustomScanState *node, List *ancestors, ExplainState *es)
{
    PairJoinState *state = join_of(node);
    const auto *scan = reinterpret_cast<const CustomScan *>(node->ss.ps.plan);
    ExplainPropertyText("Join Type", "Inner", es);
    List *indexes = NIL;
    int partitions = 0;
    for (int i = 0; i < (one_index(state) ? 1 : 2); i++) {
        const List *parts = state->numbers.indexes[i];
        const Oid whole = whole_index(linitial_oid(parts));
        indexes = lappend(indexes, get_rel_name(list_length(parts) > 1 ? whole : linitial_oid(parts)));
        partitions += list_length(parts) > 1 ? list_length(parts) : 0;
    }
    ExplainPropertyList("Pairs of", indexes, es);
    if (partitions > 0)
        ExplainPropertyInteger("Partitions", nullptr, partitions, es);
    explain_conditions(node, static_cast<List *>(lsecond(scan->custom_exprs)), state->numbers.condition,
                       state->ended.filtered, ancestors, es);
    if (!es->analyze)
        return;
    PairCounts counts = state->ended.counts;
    if (state->search != nullptr)
        add_counts(pair_counts(state->search), &counts);
    ExplainPropertyInteger("Pairs", nullptr, static_cast<int64>(counts.pairs), es);
    ExplainPropertyInteger("Index Pages Read", nullptr, static_cast<int64>(counts.pages), es);
    ExplainPropertyInteger("Memory Usage", "kB", static_cast<int64>((counts.memory + 1023) / 1024), es);
    if (counts.spilled > 0)
        ExplainPropertyInteger("Disk Usage", "kB", counts.spilled / 1024, es);
}

CustomExecMethods exec_methods()
{
    CustomExecMethods methods = {};
    methods.CustomName = kJoinName;
    methods.BeginCustomScan = begin_pairs_join;
    methods.ExecCustomScan = execute_pairs_join;
    methods.EndCustomScan = end_pairs_join;
    methods.ReScanCustomScan = rescan_pairs_join;
    methods.EstimateDSMCustomScan = shared_size;
    methods.InitializeDSMCustomScan = initialize_shared;
    methods.ReInitializeDSMCustomScan = reinitialize_shared;
    methods.InitializeWorkerCustomScan = initialize_worker;
    methods.ShutdownCustomScan = shut_down;
    methods.ExplainCustomScan = explain_pairs_join;
    return methods;
}

const CustomExecMethods kPairExecMethods = exec_methods();

} // namespace

const CustomPathMethods kPairPathMethods = {kJoinName, plan_pairs, nullptr};

Node *create_pairs_state()
{
    auto *state = allocate_zero<PairJoinState>();
    NodeSetTag(reinterpret_cast<Node *>(state), T_CustomScanState);
    state->css.methods = &kPairExecMethods;
    return reinterpret_cast<Node *>(state);
}

} // namespace simhash
