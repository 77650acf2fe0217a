// Conversion of text between the database encoding and UTF-8, from which features are made.
#pragma once

#include "core/bits/feature_hash.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
}

namespace simhash
{

// Whether text must be converted to UTF-8. SQL_ASCII text is assumed to be UTF-8.
inline bool needs_conversion()
{
    int encoding = GetDatabaseEncoding();
    return encoding != PG_UTF8 && encoding != PG_SQL_ASCII;
}

inline bool is_ascii(const char *text, std::size_t length)
{
    unsigned char all = 0;
    for (std::size_t i = 0; i < length; i++)
        all |= static_cast<unsigned char>(text[i]);
    return all < 0x80;
}

struct Utf8Text {
    const char *bytes;
    std::size_t length;
};

// Converts text to UTF-8. Returns the same bytes if they need no conversion, otherwise a new string.
inline Utf8Text utf8_text(const char *text, std::size_t length)
{
    if (!needs_conversion() || is_ascii(text, length))
        return {text, length};
    char *converted = pg_server_to_any(text, static_cast<int>(length), PG_UTF8);
    return {converted, converted == text ? length : std::strlen(converted)};
}

// The same with a space for each character that UTF-8 lacks, or that is invalid: functions that are LEAKPROOF may not raise
// an error for it. Such characters exist in some encodings, as 0x81 in WIN1252.
Utf8Text readable_utf8(const char *text, std::size_t length);

// Calls read(bytes, length, last) for the pieces of the text's readable form until it returns false. Only a large text that
// needs conversion has several. Each begins at a byte below 0x80, which is an ASCII character in every server encoding.
template <typename Read> void in_utf8_pieces(const char *text, std::size_t length, Read read)
{
    if (!needs_conversion() || is_ascii(text, length)) {
        read(text, length, true);
        return;
    }
    constexpr std::size_t kPiece = 1024 * 1024;
    bool more = true;
    for (std::size_t from = 0; more;) {
        std::size_t end = length - from < kPiece ? length : from + kPiece;
        while (end < length && IS_HIGHBIT_SET(text[end]))
            end++;
        const Utf8Text piece = readable_utf8(text + from, end - from);
        more = read(piece.bytes, piece.length, end == length) && end < length;
        pfree(const_cast<char *>(piece.bytes));
        from = end;
    }
}

// Returns hash(bytes, length) of the text's UTF-8 form.
template <typename Hash> std::uint64_t hash_utf8(const char *text, std::size_t length, Hash hash)
{
    Utf8Text converted = utf8_text(text, length);
    std::uint64_t value = hash(converted.bytes, converted.length);
    if (converted.bytes != text)
        pfree(const_cast<char *>(converted.bytes));
    return value;
}

// Hashes a feature given in the database encoding. The hash is that of its UTF-8 form. In a SQL_ASCII database, where no
// conversion is possible, the bytes are hashed as they are.
inline std::uint64_t text_feature_hash(const char *text, std::size_t length)
{
    return hash_utf8(text, length, feature_hash);
}
inline std::uint64_t text_feature_hash(text *feature)
{
    return text_feature_hash(VARDATA_ANY(feature), VARSIZE_ANY_EXHDR(feature));
}

// Returns a new text value in the database encoding. Characters that do not exist in it raise an error.
inline text *text_from_utf8(const char *bytes, std::size_t length)
{
    if (!needs_conversion() || is_ascii(bytes, length))
        return cstring_to_text_with_len(bytes, static_cast<int>(length));
    char *converted = pg_any_to_server(bytes, static_cast<int>(length), PG_UTF8);
    if (converted == bytes)
        return cstring_to_text_with_len(bytes, static_cast<int>(length));
    text *value = cstring_to_text(converted);
    pfree(converted);
    return value;
}

} // namespace simhash
