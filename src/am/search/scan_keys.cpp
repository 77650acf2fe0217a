#include "am/search/scan_keys.hpp"

namespace simhash
{

void ScanKeys::read_mask(IndexScanDesc scan)
{
    Relation index = scan->indexRelation;
    const int columns = value_column(index);
    recheck = columns > 0;
    masked = true;
    mask = kNoMask;
    for (int column = 0; column < columns; column++) {
        const ScanKeyData *known = nullptr;
        for (int i = 0; i < scan->numberOfKeys; i++) {
            const ScanKeyData &key = scan->keyData[i];
            if (key.sk_attno != column + 1)
                continue;
            if ((key.sk_flags & SK_ISNULL) && !(key.sk_flags & (SK_SEARCHNULL | SK_SEARCHNOTNULL)))
                ask_for_nothing(); // as operators are strict
            else if ((key.sk_flags & SK_SEARCHNULL) ||
                     (!(key.sk_flags & SK_SEARCHNOTNULL) && is_equality(key.sk_strategy)))
                known = &key;
        }
        if (known == nullptr) {
            masked = false;
            continue;
        }
        const Oid type = OidIsValid(known->sk_subtype) ? known->sk_subtype : index->rd_opcintype[column];
        mask =
            mask_value(index, column, type, known->sk_argument, (known->sk_flags & SK_SEARCHNULL) != 0, mask);
    }
    for (int i = 0; i < scan->numberOfOrderBys; i++)
        masked = masked && scan->orderByData[i].sk_attno == columns + 1;
}

bool ScanKeys::read_null_test(const ScanKeyData &key, bool extracted)
{
    const bool tests_null = (key.sk_flags & (SK_SEARCHNULL | SK_SEARCHNOTNULL)) != 0;
    recheck = recheck || (tests_null && extracted);
    if (key.sk_flags & SK_SEARCHNULL)
        values = false;
    else if (key.sk_flags & SK_SEARCHNOTNULL)
        nulls = nulls && extracted;
    else if (key.sk_flags & SK_ISNULL)
        ask_for_nothing(); // the operators are strict
    else
        return false;
    return true;
}

} // namespace simhash
