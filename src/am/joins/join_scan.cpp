// Execution of a Simhash Join: gather, ask each partition's search, match, return the rows without a match, and so on until
// the outer plan ends.
//
// The first batch is small, so that a LIMIT is soon satisfied, and each is twice as large as the one before it, up to half
// of work_mem for the rows. The search has the other half. If it has no room for a whole batch, the next ones are smaller.
// Where one match is enough and many rows have one, they are searched for row by row.
//
// An EvalPlanQual test asks whether the join still holds for one row of each table, some of which have new versions. The
// outer plan then returns its row, and the table's is taken from the test: the index is not searched. Of a semi join that is
// the row that matched first, as in all of PostgreSQL's joins: a new version that is only near another one has no match, and
// which row was first depends on the plan.
#include "am/joins/join_pairs.hpp"

#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/fingerprints/fingerprint_meta.hpp"
#include "am/fingerprints/fingerprint_search.hpp"
#include "am/index/heap_tid.hpp"
#include "am/match/match_state.hpp"

extern "C" {
#include "access/genam.h"
#include "access/heaptoast.h"
#include "access/table.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// A row of a partition as one of the table.
TupleTableSlot *as_table_row(const RowMap &map, TupleTableSlot *row)
{
    if (map.map != nullptr)
        return execute_attr_map_slot(map.map->attrMap, row, map.converted);
    const auto count = static_cast<Size>(map.converted->tts_tupleDescriptor->natts);
    ExecClearTuple(map.converted);
    slot_getallattrs(row);
    std::memcpy(map.converted->tts_values, row->tts_values, sizeof(Datum) * count);
    std::memcpy(map.converted->tts_isnull, row->tts_isnull, sizeof(bool) * count);
    return ExecStoreVirtualTuple(map.converted);
}

JoinState *join_of(CustomScanState *node) { return reinterpret_cast<JoinState *>(node); }

PlanState *child_of(const JoinState *state)
{
    return static_cast<PlanState *>(linitial(state->css.custom_ps));
}

// -- The scan's row ------------------------------------------------------------------------------------------

// Makes the joined row. Without a row of the table it is one without a match; otherwise that must be kept as long as the
// joined row is used.
TupleTableSlot *fill(JoinState *state, TupleTableSlot *outer, TupleTableSlot *inner)
{
    TupleTableSlot *row = state->css.ss.ss_ScanTupleSlot;
    ExprContext *context = state->css.ss.ps.ps_ExprContext;
    const int count = state->numbers.child_columns;
    ResetExprContext(context);
    ExecClearTuple(row);
    slot_getallattrs(outer);
    std::memcpy(row->tts_values, outer->tts_values, sizeof(Datum) * static_cast<Size>(count));
    std::memcpy(row->tts_isnull, outer->tts_isnull, sizeof(bool) * static_cast<Size>(count));
    for (int i = 0; i < state->columns; i++) {
        bool *null = &row->tts_isnull[count + i];
        *null = true;
        if (inner != nullptr)
            row->tts_values[count + i] = read_column(context, state->map, inner, state->column[i], null);
    }
    context->ecxt_scantuple = row;
    return ExecStoreVirtualTuple(row);
}

// Whether the row that has been made satisfies the join's conditions.
bool matches(JoinState *state)
{
    if (ExecQual(state->conditions, state->css.ss.ps.ps_ExprContext))
        return true;
    state->counts.filtered++;
    return false;
}

bool returns_unmatched(const JoinState *state)
{
    return state->numbers.type == JOIN_LEFT || state->numbers.type == JOIN_ANTI;
}

bool first_only(const JoinState *state)
{
    return state->numbers.type == JOIN_SEMI || state->numbers.type == JOIN_ANTI;
}

const SearchedTable &searched(const JoinState *state) { return state->members.part[state->part]; }

bool is_searching(const JoinState *state) { return state->search != nullptr || state->row_search != nullptr; }

// -- Batches -------------------------------------------------------------------------------------------------

// Reads the mask of the columns before the searched one. Returns false if no row can match: the operators are strict.
bool read_mask(JoinState *state, std::uint64_t *mask)
{
    ListCell *value, *type;
    int column = 0;
    *mask = kNoMask;
    forboth(value, state->values, type, state->numbers.types)
    {
        bool null;
        const Datum datum =
            ExecEvalExpr(static_cast<ExprState *>(lfirst(value)), state->css.ss.ps.ps_ExprContext, &null);
        if (null && OidIsValid(lfirst_oid(type)))
            return false;
        *mask = mask_value(searched(state).index, column++, lfirst_oid(type), datum, null, *mask);
    }
    return true;
}

// Reads the ball that an outer row searches for, as a scan of the index would.
GatheredRow read_query(JoinState *state, TupleTableSlot *outer, GuidedBall *ball)
{
    ExprContext *context = state->css.ss.ps.ps_ExprContext;
    fill(state, outer, nullptr);
    MemoryContext caller = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
    GatheredRow row = {};
    ScanKeys keys = {};
    ScanKeyData key = {};
    bool null;
    key.sk_strategy = state->numbers.strategy;
    key.sk_argument = ExecEvalExpr(state->query, context, &null);
    if (!null && read_mask(state, &keys.mask)) {
        const auto asked = FingerprintTerms{&keys, &key, ball}.ball(key);
        row.center = asked.center;
        row.radius = static_cast<int16>(asked.radius);
        row.asks = asked.radius >= 0;
        row.guided = asked.guide != nullptr;
    }
    MemoryContextSwitchTo(caller);
    return row;
}

} // namespace

// A search for one row of the outer side, as an index scan would do it: the likeliest leaves come first, so it is soon over
// if there is a match and one is enough.
struct RowSearch {
    FingerprintSearch *search;
    IndexFetchTableData *fetch;
    TupleTableSlot *slot;
    Results found;
};

namespace
{

RowSearch *begin_row_search(const SearchedTable &searched, Snapshot snapshot)
{
    auto *row_search = allocate_zero<RowSearch>();
    row_search->search = static_cast<FingerprintSearch *>(
        prepare_fingerprint_search(use_index(searched.index, CurrentMemoryContext), 1, 0));
    row_search->search->snapshot = snapshot;
    row_search->fetch = begin_index_fetch(searched.table);
    row_search->slot = table_slot_create(searched.table, nullptr);
    return row_search;
}

void search_row(RowSearch *row_search, const GatheredRow &row)
{
    FingerprintSearch *search = row_search->search;
    FingerprintKeys *keys = &search->asked;
    keys->values = keys->masked = true;
    keys->balls = 1;
    keys->ball[0] = {row.center, row.radius, true, nullptr};
    row_search->found = {};
    search->start(search);
    search->begin(search);
}

// The next row found, or null.
TupleTableSlot *next_of_row(RowSearch *row_search)
{
    FingerprintSearch *search = row_search->search;
    Results *found = &row_search->found;
    while (found->returned < found->hits || search->next(search, found)) {
        CHECK_FOR_INTERRUPTS();
        ItemPointerData tid = pointer_of(Tid::unpack(found->hit[found->returned++].tid()));
        bool again = false;
        if (table_index_fetch_tuple(row_search->fetch, &tid, search->snapshot, row_search->slot, &again,
                                    nullptr))
            return row_search->slot;
    }
    return nullptr;
}

void end_row_search(RowSearch *row_search)
{
    table_index_fetch_end(row_search->fetch);
    ExecDropSingleTupleTableSlot(row_search->slot);
}

// Begins the search of a table.
void begin_part(JoinState *state)
{
    MemoryContext caller = MemoryContextSwitchTo(state->context);
    const SearchedTable &member = searched(state);
    state->map = map_rows(member.table, state->table, state->converted);
    Snapshot snapshot = state->css.ss.ps.state->es_snapshot;
    if (state->singly)
        state->row_search = begin_row_search(member, snapshot);
    else
        state->search = begin_match(member.table, member.index, snapshot, half_memory());
    MemoryContextSwitchTo(caller);
}

void end_part(JoinState *state)
{
    if (!is_searching(state))
        return;
    state->counts = join_counts(state);
    if (state->row_search != nullptr)
        end_row_search(state->row_search);
    if (state->search != nullptr)
        end_match(state->search);
    state->row_search = nullptr;
    state->search = nullptr;
    state->map = {};
    MemoryContextReset(state->context);
}

// Goes on to the next partition. Returns false if the batch has been searched for in all of them.
bool next_part(JoinState *state)
{
    const int parts = list_length(state->numbers.indexes);
    if (parts == 1)
        return false;
    end_part(state);
    state->part = (state->part + 1) % parts;
    state->asked = 0;
    if (state->part == 0)
        return false;
    begin_part(state);
    return true;
}

// Keeps an outer row. Returns the memory that it takes.
Size keep_row(JoinState *state, TupleTableSlot *outer, GatheredRow row)
{
    MemoryContext caller = MemoryContextSwitchTo(state->batch);
    if (state->rows == state->room) {
        state->room = Max(2 * state->room, kFirstRows);
        const Size bytes = sizeof(GatheredRow) * state->room;
        state->row = static_cast<GatheredRow *>(state->rows == 0 ? MemoryContextAllocHuge(state->batch, bytes)
                                                                 : repalloc_huge(state->row, bytes));
    }
    row.row = ExecCopySlotMinimalTuple(outer);
    MemoryContextSwitchTo(caller);
    state->row[state->rows++] = row;
    return GetMemoryChunkSpace(row.row) + sizeof(GatheredRow);
}

// Whether the batches of searches by such a radius note leaves.
bool notes_leaves(const JoinState *state, int radius)
{
    SearchPlan plan;
    index_plan(searched(state).index, radius, &plan);
    return !can_merge(plan);
}

// If one match is enough, a search for a row that has one is soon over, while a batch of them reads nearly all leaves. So
// the next batch is searched for row by row if many rows of the last one have had a match.
void choose_searches(JoinState *state)
{
    constexpr Size kMany = 3; // one of so many
    Size asking = 0, matched = 0;
    int radius = 0;
    bool guided = false;
    for (Size i = 0; i < state->rows && first_only(state); i++) {
        const GatheredRow &row = state->row[i];
        asking += row.asks;
        matched += row.matched;
        radius = Max(radius, row.radius);
        guided = guided || row.guided;
    }
    const bool singly = !guided && kMany * matched > asking && notes_leaves(state, radius);
    if (asking == 0 || singly == state->singly)
        return;
    end_part(state);
    state->singly = singly;
}

void empty_batch(JoinState *state)
{
    MemoryContextReset(state->batch);
    state->row = nullptr;
    state->rows = state->room = state->asked = state->next = 0;
}

// Gathers the next batch of outer rows. Returns false if there are none.
bool gather(JoinState *state)
{
    choose_searches(state);
    if (!is_searching(state))
        begin_part(state);
    empty_batch(state);
    // After rows that were not asked for all at once, what two rounds may take; then more again.
    state->most =
        state->round > 0 ? Max(2 * state->round, kFirstRows) : Min(2 * state->most, Size{PG_INT32_MAX});
    state->round = 0;
    Size used = 0;
    GuidedBall ball;
    share_counts(state);
    while (!state->child_done && state->rows < state->most && used < half_memory()) {
        CHECK_FOR_INTERRUPTS();
        TupleTableSlot *outer = ExecProcNode(child_of(state));
        if (TupIsNull(outer)) {
            state->child_done = true;
            break;
        }
        const GatheredRow row = read_query(state, outer, &ball);
        if (row.asks || returns_unmatched(state))
            used += keep_row(state, outer, row);
    }
    state->counts.batches += state->rows > 0;
    return state->rows > 0;
}

TupleTableSlot *outer_row(JoinState *state, Size number)
{
    return ExecStoreMinimalTuple(state->row[number].row, state->outer, false);
}

// Tells the search of rows of the batch, until there is no room. Returns false if there are none left.
bool ask(JoinState *state)
{
    const Size begin = state->asked;
    bool any = false;
    for (; state->asked < state->rows; state->asked++) {
        CHECK_FOR_INTERRUPTS();
        const GatheredRow &row = state->row[state->asked];
        if (!row.asks || (row.matched && first_only(state)))
            continue;
        if (state->singly) {
            search_row(state->row_search, row);
            state->counts.singly++;
            return true;
        }
        GuidedBall ball = {};
        ball.center = row.center;
        ball.radius = row.radius;
        ball.recall = kExactRecall;
        if (row.guided)
            read_query(state, outer_row(state, state->asked), &ball);
        if (!add_query(state->search, ball, static_cast<int64>(state->asked))) {
            if (!any)
                elog(ERROR, "there is no room for a query of a %s", kJoinName);
            state->round = Max(state->round, state->asked - begin);
            return true;
        }
        any = true;
    }
    return any;
}

// The next row of the table that has been found, and the number of the outer row; or null.
TupleTableSlot *next_found(JoinState *state, int64 *number)
{
    if (!state->singly)
        return next_match(state->search, number);
    *number = static_cast<int64>(state->asked);
    TupleTableSlot *inner = state->row[state->asked].matched ? nullptr : next_of_row(state->row_search);
    state->counts.found.rows += inner != nullptr;
    return inner;
}

// The next joined row of the batch's matches, or null.
TupleTableSlot *next_matched(JoinState *state)
{
    int64 number;
    while (TupleTableSlot *inner = next_found(state, &number)) {
        CHECK_FOR_INTERRUPTS();
        GatheredRow *outer = &state->row[number];
        if (outer->matched && first_only(state))
            continue;
        TupleTableSlot *row = fill(state, outer_row(state, static_cast<Size>(number)), inner);
        if (!matches(state))
            continue;
        outer->matched = true;
        if (first_only(state) && !state->singly)
            finish_query(state->search);
        if (state->numbers.type != JOIN_ANTI)
            return row;
    }
    return nullptr;
}

// The next row of the batch without a match, or null.
TupleTableSlot *next_unmatched(JoinState *state)
{
    while (returns_unmatched(state) && state->next < state->rows) {
        const Size number = state->next++;
        if (!state->row[number].matched)
            return fill(state, outer_row(state, number), nullptr);
    }
    return nullptr;
}

TupleTableSlot *next_row(JoinState *state)
{
    for (;;) {
        TupleTableSlot *row = nullptr;
        switch (state->phase) {
        case JoinPhase::gather:
            if (!gather(state))
                return nullptr;
            state->phase = JoinPhase::ask;
            break;
        case JoinPhase::ask:
            if (ask(state))
                state->phase = JoinPhase::match;
            else if (!next_part(state))
                state->phase = JoinPhase::unmatched;
            break;
        case JoinPhase::match:
            row = next_matched(state);
            if (row == nullptr) {
                state->asked += state->singly;
                state->phase = JoinPhase::ask;
            }
            break;
        case JoinPhase::unmatched:
            row = next_unmatched(state);
            if (row == nullptr)
                state->phase = JoinPhase::gather;
            break;
        }
        if (row != nullptr)
            return row;
    }
}

// -- EvalPlanQual --------------------------------------------------------------------------------------------

TupleTableSlot *next_tested(JoinState *state)
{
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        TupleTableSlot *outer = ExecProcNode(child_of(state));
        if (TupIsNull(outer))
            return nullptr;
        TupleTableSlot *inner = tested_row(&state->css, state->inner, state->tested);
        bool matched = false;
        TupleTableSlot *row = nullptr;
        if (inner != nullptr) {
            row = fill(state, outer, inner);
            matched = matches(state);
        }
        if (matched && state->numbers.type != JOIN_ANTI)
            return row;
        if (!matched && returns_unmatched(state))
            return fill(state, outer, nullptr);
    }
}

// -- Callbacks -----------------------------------------------------------------------------------------------

void begin_again(JoinState *state)
{
    empty_batch(state);
    state->most = kFirstRows / 2; // the first batch has twice as many
    state->round = 0;
    state->phase = JoinPhase::gather;
    state->child_done = false;
}

void begin_join(CustomScanState *node, EState *estate, int flags)
{
    JoinState *state = join_of(node);
    const auto *scan = reinterpret_cast<const CustomScan *>(node->ss.ps.plan);
    state->numbers = read_plan_private(scan->custom_private);
    state->inner = tree_number(scan->custom_relids, state->numbers.inner);
    state->table = ExecOpenScanRelation(estate, state->inner, flags);
    state->tested = table_slot_create(state->table, &estate->es_tupleTable);
    state->converted = ExecInitExtraTupleSlot(estate, RelationGetDescr(state->table), &TTSOpsVirtual);
    if ((flags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
        state->members = open_members(state->numbers.indexes, state->table,
                                      exec_rt_fetch(state->inner, estate)->rellockmode);

    PlanState *child = ExecInitNode(static_cast<Plan *>(linitial(scan->custom_plans)), estate, flags);
    node->custom_ps = list_make1(child);
    state->outer = ExecInitExtraTupleSlot(estate, ExecGetResultType(child), &TTSOpsMinimalTuple);
    state->columns = list_length(scan->custom_scan_tlist) - state->numbers.child_columns;
    state->column = allocate<AttrNumber>(state->columns + 1);
    for (int i = 0; i < state->columns; i++) {
        const auto *entry = static_cast<const TargetEntry *>(
            list_nth(scan->custom_scan_tlist, state->numbers.child_columns + i));
        state->column[i] = reinterpret_cast<const Var *>(entry->expr)->varattno;
    }
    state->query = ExecInitExpr(static_cast<Expr *>(linitial(scan->custom_exprs)), &node->ss.ps);
    state->values = ExecInitExprList(static_cast<List *>(lthird(scan->custom_exprs)), &node->ss.ps);
    state->conditions = ExecInitQual(static_cast<List *>(lsecond(scan->custom_exprs)), &node->ss.ps);
    state->context = AllocSetContextCreate(CurrentMemoryContext, "Simhash Join", ALLOCSET_DEFAULT_SIZES);
    state->batch = AllocSetContextCreate(CurrentMemoryContext, "Simhash Join rows", ALLOCSET_DEFAULT_SIZES);
    begin_again(state);
}

TupleTableSlot *execute_join(CustomScanState *node)
{
    JoinState *state = join_of(node);
    const bool tested = is_tested(node);
    for (;;) {
        TupleTableSlot *row = tested ? next_tested(state) : next_row(state);
        ProjectionInfo *projection = node->ss.ps.ps_ProjInfo;
        if (row == nullptr)
            return ExecClearTuple(projection != nullptr ? projection->pi_state.resultslot
                                                        : node->ss.ss_ScanTupleSlot);
        if (ExecQual(node->ss.ps.qual, node->ss.ps.ps_ExprContext))
            return projection != nullptr ? ExecProject(projection) : row;
        InstrCountFiltered1(node, 1);
    }
}

void end_join(CustomScanState *node)
{
    JoinState *state = join_of(node);
    end_part(state);
    close_members(state->members, state->table);
    ExecEndNode(child_of(state));
}

void rescan_join(CustomScanState *node)
{
    JoinState *state = join_of(node);
    if (state->part == 0 && state->search != nullptr)
        reset_match(state->search);
    else
        end_part(state);
    state->part = 0;
    begin_again(state);
    ExecScanReScan(&node->ss);
    // PostgreSQL hands changed parameters only to left and right plans.
    PlanState *child = child_of(state);
    if (node->ss.ps.chgParam != nullptr)
        UpdateChangedParamSet(child, node->ss.ps.chgParam);
    if (child->chgParam == nullptr)
        ExecReScan(child);
}

CustomExecMethods exec_methods()
{
    CustomExecMethods methods = {};
    methods.CustomName = kJoinName;
    methods.BeginCustomScan = begin_join;
    methods.ExecCustomScan = execute_join;
    methods.EndCustomScan = end_join;
    methods.ReScanCustomScan = rescan_join;
    set_explain_methods(&methods);
    return methods;
}

const CustomExecMethods kExecMethods = exec_methods();

Node *create_state(CustomScan *scan)
{
    if (scan->custom_plans == NIL) // it joins pairs
        return create_pairs_state();
    auto *state = allocate_zero<JoinState>();
    NodeSetTag(reinterpret_cast<Node *>(state), T_CustomScanState);
    state->css.methods = &kExecMethods;
    return reinterpret_cast<Node *>(state);
}

} // namespace

const CustomScanMethods kJoinScanMethods = {kJoinName, create_state};

Index tree_number(const Bitmapset *relids, int place)
{
    int number = -1;
    for (int i = 0; i <= place; i++)
        number = bms_next_member(relids, number);
    return static_cast<Index>(number);
}

SearchedSide open_members(const List *indexes, Relation whole, LOCKMODE lock)
{
    SearchedSide members = {0, allocate<SearchedTable>(list_length(indexes))};
    ListCell *cell;
    foreach (cell, indexes) {
        SearchedTable *member = &members.part[members.parts++];
        *member = {whole, index_open(lfirst_oid(cell), lock)};
        if (member->index->rd_index->indrelid != RelationGetRelid(whole))
            member->table = table_open(member->index->rd_index->indrelid, lock);
    }
    return members;
}

void close_members(const SearchedSide &members, Relation whole)
{
    for (int part = 0; part < members.parts; part++) {
        index_close(members.part[part].index, NoLock);
        if (members.part[part].table != whole)
            table_close(members.part[part].table, NoLock);
    }
}

RowMap map_rows(Relation member, Relation whole, TupleTableSlot *converted)
{
    if (member == whole)
        return {};
    return {convert_tuples_by_name(RelationGetDescr(member), RelationGetDescr(whole)), converted};
}

Datum read_column(const ExprContext *context, const RowMap &map, TupleTableSlot *row, AttrNumber number,
                  bool *null)
{
    if (number == 0 && map.converted != nullptr)
        row = as_table_row(map, row);
    else if (number > 0 && map.map != nullptr)
        number = map.map->attrMap->attnums[number - 1];
    if (number > 0)
        return slot_getattr(row, number, null);
    if (number < 0)
        return slot_getsysattr(row, number, null);
    // The whole row, as a value of its type.
    MemoryContext caller = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
    slot_getallattrs(row);
    HeapTuple tuple = toast_build_flattened_tuple(row->tts_tupleDescriptor, row->tts_values, row->tts_isnull);
    MemoryContextSwitchTo(caller);
    *null = false;
    return HeapTupleHeaderGetDatum(tuple->t_data);
}

bool is_tested(const CustomScanState *node)
{
    const EPQState *test = node->ss.ps.state->es_epq_active;
    return test != nullptr && bms_is_member(test->epqParam, node->ss.ps.plan->extParam);
}

TupleTableSlot *tested_row(const CustomScanState *node, Index table, TupleTableSlot *slot)
{
    EPQState *test = node->ss.ps.state->es_epq_active;
    TupleTableSlot *row = test->relsubs_slot[table - 1];
    if (row == nullptr && test->relsubs_rowmark[table - 1] != nullptr &&
        EvalPlanQualFetchRowMark(test, table, slot))
        row = slot;
    return TupIsNull(row) ? nullptr : row;
}

} // namespace simhash
