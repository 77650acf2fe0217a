// SQL functions for row_stores.sql. Each generates the same rows, passes them through one way to keep and
// order them, and returns the sum of all keys that came out, so that the ways can be compared.
#include "am/build/spool.hpp"
#include "am/pairs/pairs.hpp"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"

PG_MODULE_MAGIC;
}

#define BENCH_FUNCTION(name)                                                                                 \
    extern "C" {                                                                                             \
    PG_FUNCTION_INFO_V1(name);                                                                               \
    __attribute__((visibility("default"))) Datum name(PG_FUNCTION_ARGS);                                     \
    }                                                                                                        \
    Datum name(PG_FUNCTION_ARGS)

using namespace simhash;

namespace
{

// Rows ---------------------------------------------------------------------------------------------------

// splitmix64
std::uint64_t random_fingerprint(uint64 number)
{
    std::uint64_t x = number * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

constexpr uint64 kRowsPerPage = 226;

Position row_number(uint64 number)
{
    return {random_fingerprint(number), number / kRowsPerPage << 16 | (number % kRowsPerPage + 1)};
}

ItemPointerData item_pointer(uint64 tid)
{
    ItemPointerData pointer;
    ItemPointerSet(&pointer, static_cast<BlockNumber>(tid >> 16), static_cast<OffsetNumber>(tid & 0xFFFF));
    return pointer;
}

// The keys of a table are the fingerprints, rotated by 16 bits for each table before it.
void table_sources(int table, std::uint8_t source[kBits])
{
    for (int i = 0; i < kBits; i++)
        source[i] = static_cast<std::uint8_t>((63 - i + 64 - 16 * (table % 4)) % 64);
}

BytePermutation *table_keys(int table)
{
    std::uint8_t source[kBits];
    table_sources(table, source);
    BitPermutation permutation;
    permutation.set(source);
    auto *keys = static_cast<BytePermutation *>(palloc(sizeof(BytePermutation)));
    keys->set(permutation);
    return keys;
}

// What comes out of a store, with a check of its order. Signed integers sort like keys with the first bit
// flipped.
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

struct Output {
    uint64 rows;
    uint64 sum;
    Position last;

    void begin_table() { last = {0, 0}; }
    void add(Position row)
    {
        if (row < last)
            elog(ERROR, "rows are out of order");
        last = row;
        rows++;
        sum += row.key;
    }
    Datum result(uint64 expected_rows) const
    {
        if (rows != expected_rows)
            elog(ERROR, "%llu rows came out of %llu", static_cast<unsigned long long>(rows),
                 static_cast<unsigned long long>(expected_rows));
        return Int64GetDatum(static_cast<int64>(sum));
    }
};

void add_run(const Position *run, int count, void *context)
{
    auto *output = static_cast<Output *>(context);
    Position last = output->last;
    for (int i = 0; i < count; i++) {
        if (run[i] < output->last)
            elog(ERROR, "runs are out of order");
        last = std::max(last, run[i]);
        output->sum += run[i].key;
    }
    output->last = last;
    output->rows += static_cast<uint64>(count);
}

TupleDesc two_integers()
{
    TupleDesc descriptor = CreateTemplateTupleDesc(2);
    TupleDescInitEntry(descriptor, 1, "key", INT8OID, -1, 0);
    TupleDescInitEntry(descriptor, 2, "tid", INT8OID, -1, 0);
    return descriptor;
}

Datum slot_integer(TupleTableSlot *slot, int column)
{
    bool null;
    return slot_getattr(slot, column, &null);
}

// Sorts ---------------------------------------------------------------------------------------------------

// Passes all rows through a sort for each table: put(sort, row) and take(sort, &row).
template <typename Begin, typename Put, typename Take>
Datum sort_rows(uint64 rows, int tables, Begin begin, Put put, Take take)
{
    Output output = {};
    for (int table = 0; table < tables; table++) {
        BytePermutation *to_key = table_keys(table);
        Tuplesortstate *sort = begin();
        for (uint64 i = 0; i < rows; i++) {
            CHECK_FOR_INTERRUPTS();
            Position row = row_number(i);
            row.key = (*to_key)(row.key);
            put(sort, row);
        }
        tuplesort_performsort(sort);
        output.begin_table();
        for (Position row; take(sort, &row);)
            output.add(row);
        tuplesort_end(sort);
        pfree(to_key);
    }
    return output.result(rows * static_cast<uint64>(tables));
}

// Rows of two integers.
Datum sort_tuples(uint64 rows, int tables, int kilobytes)
{
    TupleDesc descriptor = two_integers();
    TupleTableSlot *in = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
    TupleTableSlot *out = MakeSingleTupleTableSlot(descriptor, &TTSOpsMinimalTuple);
    auto begin = [&]() {
        AttrNumber columns[] = {1, 2};
        Oid operators[] = {Int8LessOperator, Int8LessOperator}, collations[] = {InvalidOid, InvalidOid};
        bool nulls_first[] = {false, false};
        return tuplesort_begin_heap(descriptor, 2, columns, operators, collations, nulls_first, kilobytes,
                                    nullptr, 0);
    };
    auto put = [&](Tuplesortstate *sort, Position row) {
        ExecClearTuple(in);
        in->tts_values[0] = Int64GetDatum(static_cast<int64>(row.key ^ kSignBit));
        in->tts_values[1] = Int64GetDatum(static_cast<int64>(row.tid));
        in->tts_isnull[0] = in->tts_isnull[1] = false;
        ExecStoreVirtualTuple(in);
        tuplesort_puttupleslot(sort, in);
    };
    auto take = [&](Tuplesortstate *sort, Position *row) {
        if (!tuplesort_gettupleslot(sort, true, false, out, nullptr))
            return false;
        row->key = static_cast<uint64>(DatumGetInt64(slot_integer(out, 1))) ^ kSignBit;
        row->tid = static_cast<uint64>(DatumGetInt64(slot_integer(out, 2)));
        return true;
    };
    Datum result = sort_rows(rows, tables, begin, put, take);
    ExecDropSingleTupleTableSlot(in);
    ExecDropSingleTupleTableSlot(out);
    return result;
}

// Index tuples, as CREATE INDEX sorts them for a btree.
Datum sort_index_tuples(uint64 rows, int tables, int kilobytes, Oid index_id)
{
    Relation index = index_open(index_id, AccessShareLock);
    Relation heap = table_open(index->rd_index->indrelid, AccessShareLock);
    auto begin = [&]() {
#if PG_VERSION_NUM >= 150000
        return tuplesort_begin_index_btree(heap, index, false, false, kilobytes, nullptr, 0);
#else
        return tuplesort_begin_index_btree(heap, index, false, kilobytes, nullptr, false);
#endif
    };
    auto put = [&](Tuplesortstate *sort, Position row) {
        Datum value = Int64GetDatum(static_cast<int64>(row.key ^ kSignBit));
        bool null = false;
        ItemPointerData pointer = item_pointer(row.tid);
        tuplesort_putindextuplevalues(sort, index, &pointer, &value, &null);
    };
    auto take = [&](Tuplesortstate *sort, Position *row) {
        IndexTuple tuple = tuplesort_getindextuple(sort, true);
        if (tuple == nullptr)
            return false;
        bool null;
        Datum value = index_getattr(tuple, 1, RelationGetDescr(index), &null);
        row->key = static_cast<uint64>(DatumGetInt64(value)) ^ kSignBit;
        row->tid = uint64{ItemPointerGetBlockNumberNoCheck(&tuple->t_tid)} << 16 |
                   ItemPointerGetOffsetNumberNoCheck(&tuple->t_tid);
        return true;
    };
    Datum result = sort_rows(rows, tables, begin, put, take);
    table_close(heap, AccessShareLock);
    index_close(index, AccessShareLock);
    return result;
}

// Keys alone, which would not be enough for a build.
Datum sort_datums(uint64 rows, int tables, int kilobytes)
{
    auto begin = [=]() {
        return tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false, kilobytes, nullptr, 0);
    };
    auto put = [](Tuplesortstate *sort, Position row) {
        tuplesort_putdatum(sort, Int64GetDatum(static_cast<int64>(row.key ^ kSignBit)), false);
    };
    auto take = [](Tuplesortstate *sort, Position *row) {
        Datum value;
        bool null;
#if PG_VERSION_NUM >= 160000
        if (!tuplesort_getdatum(sort, true, false, &value, &null, nullptr))
#else
        if (!tuplesort_getdatum(sort, true, &value, &null, nullptr))
#endif
            return false;
        *row = {static_cast<uint64>(DatumGetInt64(value)) ^ kSignBit, 0};
        return true;
    };
    return sort_rows(rows, tables, begin, put, take);
}

// The build's own: the rows are kept once for all tables.
Datum divide_rows(uint64 rows, int tables, int kilobytes)
{
    Output output = {};
    auto *spool = static_cast<Spool<Position> *>(palloc(sizeof(Spool<Position>)));
    begin_spool(spool, kilobytes);
    for (uint64 i = 0; i < rows; i++)
        add_to_spool(spool, row_number(i));
    for (int table = 0; table < tables; table++) {
        std::uint8_t source[kBits];
        table_sources(table, source);
        output.begin_table();
        divide_spool(spool, source, add_run, &output);
    }
    end_spool(spool);
    return output.result(rows * static_cast<uint64>(tables));
}

// Stores by partition ------------------------------------------------------------------------------------

// Rows that the readers of partitions take at a time, as pair_read.cpp does at the least.
constexpr Size kWindow = 1 << 15;

// Passes all rows through a store for each of 2^bits partitions.
template <typename Put, typename Read> Datum partition_rows(uint64 rows, int bits, Put put, Read read)
{
    for (uint64 i = 0; i < rows; i++) {
        CHECK_FOR_INTERRUPTS();
        Position row = row_number(i);
        put(static_cast<int>(row.key >> 1 >> (63 - bits)), row);
    }
    Output output = {};
    Rows window = {static_cast<Fingerprint *>(palloc(sizeof(Fingerprint) * kWindow)),
                   static_cast<uint64 *>(palloc(sizeof(uint64) * kWindow)), 0};
    for (int partition = 0; partition < 1 << bits; partition++) {
        for (uint64 from = 0;; from += window.count) {
            CHECK_FOR_INTERRUPTS();
            window.count = 0;
            read(partition, from, &window);
            for (Size i = 0; i < window.count; i++)
                output.sum += window.fingerprint[i];
            output.rows += window.count;
            if (window.count < kWindow)
                break;
        }
    }
    return output.result(rows);
}

Datum spool_rows(uint64 rows, int bits, int kilobytes)
{
    auto bytes = static_cast<Size>(kilobytes) * 1024, stores = Size{1} << bits;
    if (rows * 20 > bytes) // some stores will be files
        bytes -= stores * kStoreBytes;
    PairSpool *spool = begin_pair_spool(bytes, static_cast<int>(stores), static_cast<double>(rows));
    Datum result = partition_rows(
        rows, bits, [=](int partition, Position row) { add_row(spool, partition, row.key, row.tid); },
        [=](int partition, uint64 from, Rows *window) {
            read_row_file(spool, partition, from, kWindow, window);
        });
    end_pair_spool(spool);
    return result;
}

// A tuplestore for each partition.
struct Tuplestores {
    TupleDesc descriptor;
    TupleTableSlot *slot;
    Tuplestorestate **store;

    void begin(TupleDesc tuples, int bits, int kilobytes)
    {
        descriptor = tuples;
        slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsMinimalTuple);
        store = static_cast<Tuplestorestate **>(palloc(sizeof(Tuplestorestate *) << bits));
        for (int i = 0; i < 1 << bits; i++)
            store[i] = tuplestore_begin_heap(false, false, std::max(kilobytes >> bits, 64));
    }
    bool next(int partition) { return tuplestore_gettupleslot(store[partition], true, false, slot); }
    void end(int bits)
    {
        for (int i = 0; i < 1 << bits; i++)
            tuplestore_end(store[i]);
        ExecDropSingleTupleTableSlot(slot);
    }
};

// A tuple for each row.
Datum store_tuples(uint64 rows, int bits, int kilobytes)
{
    Tuplestores stores;
    stores.begin(two_integers(), bits, kilobytes);
    Datum result = partition_rows(
        rows, bits,
        [&](int partition, Position row) {
            Datum values[] = {Int64GetDatum(static_cast<int64>(row.key)),
                              Int64GetDatum(static_cast<int64>(row.tid))};
            bool nulls[] = {false, false};
            tuplestore_putvalues(stores.store[partition], stores.descriptor, values, nulls);
        },
        [&](int partition, uint64, Rows *window) {
            while (window->count < kWindow && stores.next(partition))
                window->set(window->count++, static_cast<uint64>(DatumGetInt64(slot_integer(stores.slot, 1))),
                            static_cast<uint64>(DatumGetInt64(slot_integer(stores.slot, 2))));
        });
    stores.end(bits);
    return result;
}

// A tuple for each batch of rows. With its headers it takes no more than 2 kB.
constexpr int kBatchRows = 120;
struct Batch {
    int32 length; // a varlena's
    int32 rows;
    Position row[kBatchRows];

    Size size() const { return offsetof(Batch, row) + sizeof(Position) * static_cast<Size>(rows); }
};

void store_batch(Tuplestores *stores, int partition, Batch *batch)
{
    SET_VARSIZE(batch, batch->size());
    Datum value = PointerGetDatum(batch);
    bool null = false;
    tuplestore_putvalues(stores->store[partition], stores->descriptor, &value, &null);
    batch->rows = 0;
}

// What a reader has not taken of a batch.
struct BatchReader {
    const char *row; // not aligned
    int left;
};

bool next_batch(Tuplestores *stores, int partition, BatchReader *reader)
{
    if (!stores->next(partition))
        return false;
    bytea *bytes = DatumGetByteaPP(slot_integer(stores->slot, 1));
    int32 rows;
    std::memcpy(&rows, VARDATA_ANY(bytes), sizeof(rows));
    *reader = {VARDATA_ANY(bytes) + sizeof(rows), rows};
    return true;
}

Datum store_batches(uint64 rows, int bits, int kilobytes)
{
    Tuplestores stores;
    TupleDesc descriptor = CreateTemplateTupleDesc(1);
    TupleDescInitEntry(descriptor, 1, "rows", BYTEAOID, -1, 0);
    stores.begin(descriptor, bits, kilobytes);
    auto *batch = static_cast<Batch *>(palloc0(sizeof(Batch) << bits));
    BatchReader reader = {};
    bool ended = false;
    Datum result = partition_rows(
        rows, bits,
        [&](int partition, Position row) {
            Batch *b = &batch[partition];
            b->row[b->rows++] = row;
            if (b->rows == kBatchRows)
                store_batch(&stores, partition, b);
        },
        [&](int partition, uint64 from, Rows *window) {
            if (from == 0) {
                store_batch(&stores, partition, &batch[partition]);
                ended = false;
            }
            while (window->count < kWindow && !ended) {
                if (reader.left == 0 && !next_batch(&stores, partition, &reader)) {
                    ended = true;
                    break;
                }
                for (; reader.left > 0 && window->count < kWindow; reader.left--) {
                    Position row;
                    std::memcpy(&row, reader.row, sizeof(row));
                    reader.row += sizeof(row);
                    window->set(window->count++, row.key, row.tid);
                }
            }
        });
    stores.end(bits);
    return result;
}

// A temporary file for each partition, and nothing in memory but its buffer.
Datum store_files(uint64 rows, int bits, int)
{
    auto *file = static_cast<BufFile **>(palloc(sizeof(BufFile *) << bits));
    for (int i = 0; i < 1 << bits; i++)
        file[i] = BufFileCreateTemp(false);
    Datum result = partition_rows(
        rows, bits, [=](int partition, Position row) { BufFileWrite(file[partition], &row, sizeof(row)); },
        [=](int partition, uint64 from, Rows *window) {
            if (from == 0 && BufFileSeek(file[partition], 0, 0, SEEK_SET) != 0)
                elog(ERROR, "could not rewind a temporary file");
            Position row[128];
            while (window->count < kWindow) {
                Size count = BufFileRead(file[partition], row, sizeof(row)) / sizeof(Position);
                for (Size i = 0; i < count; i++)
                    window->set(window->count++, row[i].key, row[i].tid);
                if (count < 128)
                    break;
            }
        });
    for (int i = 0; i < 1 << bits; i++)
        BufFileClose(file[i]);
    return result;
}

} // namespace

// (way, rows, tables, kilobytes, a btree index on a bigint column)
BENCH_FUNCTION(order_rows)
{
    char *way = text_to_cstring(PG_GETARG_TEXT_PP(0));
    auto rows = static_cast<uint64>(PG_GETARG_INT64(1));
    int tables = PG_GETARG_INT32(2), kilobytes = PG_GETARG_INT32(3);
    if (strcmp(way, "divide") == 0)
        return divide_rows(rows, tables, kilobytes);
    if (strcmp(way, "tuples") == 0)
        return sort_tuples(rows, tables, kilobytes);
    if (strcmp(way, "index tuples") == 0)
        return sort_index_tuples(rows, tables, kilobytes, PG_GETARG_OID(4));
    if (strcmp(way, "datums") == 0)
        return sort_datums(rows, tables, kilobytes);
    elog(ERROR, "no such way: %s", way);
}

// (way, rows, bits, kilobytes)
BENCH_FUNCTION(keep_rows)
{
    char *way = text_to_cstring(PG_GETARG_TEXT_PP(0));
    auto rows = static_cast<uint64>(PG_GETARG_INT64(1));
    int bits = PG_GETARG_INT32(2), kilobytes = PG_GETARG_INT32(3);
    if (strcmp(way, "pair_spool") == 0)
        return spool_rows(rows, bits, kilobytes);
    if (strcmp(way, "tuples") == 0)
        return store_tuples(rows, bits, kilobytes);
    if (strcmp(way, "batches") == 0)
        return store_batches(rows, bits, kilobytes);
    if (strcmp(way, "files") == 0)
        return store_files(rows, bits, kilobytes);
    elog(ERROR, "no such way: %s", way);
}
