#include "pg/features/utf8_text.hpp"

extern "C" {
#include "catalog/pg_conversion.h"
#include "catalog/pg_namespace.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// How many bytes are converted at once: of their form in UTF-8 the length is an int.
constexpr std::size_t kAtOnce = PG_INT32_MAX / (2 * MAX_CONVERSION_GROWTH);

} // namespace

Utf8Text readable_utf8(const char *text, std::size_t length)
{
    const int encoding = GetDatabaseEncoding();
    // PostgreSQL's own, whatever the search_path is: it decides which texts are near.
    const Oid conversion = FindDefaultConversion(PG_CATALOG_NAMESPACE, encoding, PG_UTF8);
    const std::size_t size = length * MAX_CONVERSION_GROWTH + 1;
    auto *utf8 = static_cast<char *>(MemoryContextAllocHuge(CurrentMemoryContext, size));
    std::size_t used = 0;
    if (!OidIsValid(conversion)) { // from MULE_INTERNAL
        for (; used < length; used++)
            utf8[used] = static_cast<char>(IS_HIGHBIT_SET(text[used]) ? ' ' : text[used]);
        utf8[used] = '\0';
        return {utf8, used};
    }
    for (std::size_t from = 0; from < length;) {
        CHECK_FOR_INTERRUPTS();
        const std::size_t left = length - from, most = Min(left, kAtOnce);
        const auto done = static_cast<std::size_t>(
            convert_up_to_error(conversion, encoding, text + from, static_cast<int>(most), utf8 + used,
                                static_cast<int>(most * MAX_CONVERSION_GROWTH + 1)));
        used += std::strlen(utf8 + used);
        from += done;
        const bool cut = done > 0 && most < left && most - done < MAX_MULTIBYTE_CHAR_LEN;
        if (done < most && !cut) {
            utf8[used++] = ' ';
            from += Min(left - done, static_cast<std::size_t>(pg_encoding_mblen(encoding, text + from)));
        }
    }
    utf8[used] = '\0';
    return {utf8, used};
}

} // namespace simhash
