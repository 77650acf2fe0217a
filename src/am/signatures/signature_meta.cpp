#include "am/signatures/signature_meta.hpp"

#include "am/signatures/signature_kind.hpp"

#include "pg/server/sibling.hpp"

extern "C" {
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

// The words are the keys themselves.
std::uint64_t same_key(const IndexMeta &, int, std::uint64_t word) { return word; }
void same_sources(const IndexMeta &, int, std::uint8_t source[kBits]) { identity_sources(source); }

// Returns the length of the center of the balls that an index expression makes, or -1. The expression is read as it is
// stored: the relcache simplifies it, which runs functions of the index's owner with the rights of any reader.
int center_bits(Relation index)
{
    bool null;
    Datum stored = SysCacheGetAttr(INDEXRELID, index->rd_indextuple, Anum_pg_index_indexprs, &null);
    if (null)
        return -1;
    auto *expressions = static_cast<List *>(stringToNode(TextDatumGetCString(stored)));
    if (!IsA(llast(expressions), FuncExpr))
        return -1;
    const auto *call = static_cast<const FuncExpr *>(llast(expressions));
    // Other functions may make balls of any length, whatever their arguments are.
    Oid *types;
    int count;
    get_func_signature(call->funcid, &types, &count);
    if (find_function(get_func_namespace(call->funcid), "signature_ball", types, count) != call->funcid)
        return -1;
    auto *center = static_cast<Node *>(linitial(call->args));
    ListCell *cell;
    foreach (cell, call->args) {
        const auto *argument = static_cast<const NamedArgExpr *>(lfirst(cell));
        if (IsA(argument, NamedArgExpr) && argument->argnumber == 0)
            center = static_cast<Node *>(lfirst(cell));
    }
    int32 length = exprTypmod(center);
    return getBaseTypeAndTypmod(exprType(center), &length) == BITOID ? length : -1;
}

} // namespace

void use_meta_data(const SignatureMetaData &data, SignatureMeta *meta)
{
    meta->kind = &kSignatures;
    meta->bits = data.layout.bits;
    meta->fillfactor = data.fillfactor;
    meta->trees = data.layout.trees;
    meta->words = data.layout.words;
    meta->most_offset = MaxOffsetNumber; // a body page may have more slots than a heap page has rows
    meta->key_of = meta->word_of = same_key;
    meta->sources_of = same_sources;
    meta->declared = -1;
    meta->map = data.map;
    meta->lists = data.lists;
    meta->layout = data.layout;
    meta->bytes =
        static_cast<Size>(reinterpret_cast<char *>(&meta->layout) - reinterpret_cast<char *>(meta)) +
        meta->layout.size();
}

const char *read_signature_meta(Relation index, const char *page, IndexMeta *meta)
{
    const char *fault = check_signature_meta_page(page, BLCKSZ);
    if (fault != nullptr)
        return fault;
    SignatureMetaData data;
    std::memcpy(static_cast<void *>(&data), page_meta(page),
                page_header(page)->lower - sizeof(RawPageHeader));
    use_meta_data(data, static_cast<SignatureMeta *>(meta));
    static_cast<SignatureMeta *>(meta)->declared = declared_bits(index);
    return nullptr;
}

int declared_bits(Relation index)
{
    if (extracts(index))
        return center_bits(index);
    const FormData_pg_attribute *column = TupleDescAttr(RelationGetDescr(index), value_column(index));
    int32 length = column->atttypmod;
    return getBaseTypeAndTypmod(column->atttypid, &length) == BITOID ? length : -1;
}

void check_declared_bits(Relation index, const SignatureMeta &meta)
{
    if (meta.declared < 0 || meta.declared == meta.bits)
        return;
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("index \"%s\" does not have the length of its column", RelationGetRelationName(index)),
            errdetail("The index holds signatures of %d bits, and the column is declared as bit(%d).",
                      meta.bits, meta.declared),
            errhint("REINDEX it, or change the type of the column back."));
}

// So many trees that a search within the usual distances reads few leaves of each: 31 of 256 bits with budgets
// of 1, and a few bits more in long signatures, in which near-duplicates are far less than half of the bits apart.
int signature_trees(const IndexOptions &options, int bits)
{
    constexpr int kLong = 512, kForShort = 16, kForLong = 8;
    int wanted = options.trees != kDefaultTrees ? options.trees : bits <= kLong ? kForShort : kForLong;
    return Min(wanted, most_signature_trees(default_key_words(bits), BLCKSZ));
}

const char *check_signature_page(const IndexMeta &meta, const char *page)
{
    if (has_index_header(page, BLCKSZ) && is_store_page(page))
        return check_store_page(page, BLCKSZ, signature_meta(meta).shape(), 0);
    return check_page_of_trees(meta, page);
}

void visit_segments(const IndexMeta &meta, const char *page, void (*visit)(void *context, BlockNumber block),
                    void *context)
{
    if (!(page_tail(page)->flags & kMapPage))
        return;
    int pages = signature_meta(meta).shape().pages();
    for (int i = 0; i < map_count(page); i++) {
        for (int at = 0; at < pages; at++)
            visit(context, map_entries(page)[i].plane + static_cast<BlockNumber>(at));
    }
}

} // namespace simhash
