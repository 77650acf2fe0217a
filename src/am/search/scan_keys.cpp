#include "am/search/scan_keys.hpp"

namespace simhash
{

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
