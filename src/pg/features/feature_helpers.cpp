// Features as arrays, to look at, to weigh, to filter: simhash_features, simhash_anchored_shingles,
// simhash_url_features. to_simhash takes such an array, and simhash_agg its elements.
#include "core/fingerprint/feature_hash.hpp"
#include "core/text/url_features.hpp"
#include "pg/features/array_elements.hpp"
#include "pg/features/shingle_arguments.hpp"
#include "pg/features/utf8_text.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
}

namespace simhash
{

namespace
{

// An array of text that grows.
class TextArray
{
public:
    TextArray() : state_(initArrayResult(TEXTOID, CurrentMemoryContext, false)) {}

    // A feature in UTF-8.
    void add(const char *bytes, std::size_t length)
    {
        text *value = text_from_utf8(bytes, length);
        state_ = accumArrayResult(state_, PointerGetDatum(value), false, TEXTOID, CurrentMemoryContext);
        pfree(value);
    }

    Datum finish() { return makeArrayResult(state_, CurrentMemoryContext); }

private:
    ArrayBuildState *state_;
};

Utf8Text utf8_argument(FunctionCallInfo fcinfo, int argument)
{
    text *value = PG_GETARG_TEXT_PP(argument);
    return utf8_text(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
}

// A few strings, known by their hashes, which are sorted.
class StringSet
{
public:
    StringSet(FunctionCallInfo fcinfo, int argument, const char *which)
        : given_(list_argument(fcinfo, argument, TEXTOID, which))
    {
        hashes_ = static_cast<std::uint64_t *>(
            palloc(sizeof(std::uint64_t) * static_cast<std::size_t>(Max(given_.count, 1))));
    }

    // The elements, for the owner to make hashes of. Returns false behind the last.
    bool next_given(Utf8Text *out)
    {
        while (at_ < given_.count && given_.nulls[at_])
            at_++;
        if (at_ == given_.count)
            return false;
        text *value = DatumGetTextPP(given_.values[at_++]);
        *out = utf8_text(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
        return true;
    }

    void add(std::uint64_t hash) { hashes_[count_++] = hash; }
    void sort() { std::sort(hashes_, hashes_ + count_); }
    bool contains(std::uint64_t hash) const { return std::binary_search(hashes_, hashes_ + count_, hash); }

private:
    Elements given_;
    int at_ = 0;
    std::uint64_t *hashes_;
    int count_ = 0;
};

// A word of a document, in a buffer of all of its words.
struct Word {
    std::uint32_t start;
    std::uint32_t length;
    std::uint32_t plain_before; // words that are no anchors
    bool anchor;
};

// All words of a document, in order.
struct Words {
    StringInfoData bytes;
    Word *word;
    std::size_t count;
    std::size_t capacity;
    std::uint32_t *plain; // those that are no anchors
    std::size_t plain_count;
};

Words words_of(Utf8Text text, const StringSet &anchors)
{
    Words words = {};
    initStringInfo(&words.bytes);
    words.capacity = 256;
    words.word = static_cast<Word *>(palloc(words.capacity * sizeof(Word)));
    TextFeatures features;
    features.init(TextUnit::kWord, 1);
    features.read_from(text.bytes, text.length, true);
    const char *bytes;
    std::size_t length;
    while (features.next_shingle(&bytes, &length)) {
        CHECK_FOR_INTERRUPTS();
        if (words.count == words.capacity) {
            words.capacity *= 2;
            words.word = static_cast<Word *>(repalloc_huge(words.word, words.capacity * sizeof(Word)));
        }
        bool anchor = anchors.contains(feature_hash(bytes, length));
        words.word[words.count++] = {static_cast<std::uint32_t>(words.bytes.len),
                                     static_cast<std::uint32_t>(length),
                                     static_cast<std::uint32_t>(words.plain_count), anchor};
        words.plain_count += !anchor;
        appendBinaryStringInfo(&words.bytes, bytes, static_cast<int>(length));
    }
    words.plain = static_cast<std::uint32_t *>(
        palloc_extended((words.plain_count + 1) * sizeof(std::uint32_t), MCXT_ALLOC_HUGE));
    for (std::size_t i = 0; i < words.count; i++)
        if (!words.word[i].anchor)
            words.plain[words.word[i].plain_before] = static_cast<std::uint32_t>(i);
    return words;
}

} // namespace

// (document text, unit text, size integer): what to_simhash of the same arguments hashes.
SIMHASH_FUNCTION(simhash_features)
{
    Utf8Text document = utf8_argument(fcinfo, 0);
    TextFeatures features;
    TextUnit unit = text_unit(PG_GETARG_TEXT_PP(1));
    features.init(unit, checked_shingle_size(PG_GETARG_INT32(2), kShingleSizeMax));
    features.read_from(document.bytes, document.length, true);
    TextArray array;
    const char *bytes;
    std::size_t length;
    while (features.next_shingle(&bytes, &length)) {
        CHECK_FOR_INTERRUPTS();
        array.add(bytes, length);
    }
    return array.finish();
}

// (document text, anchors text[], size integer, distance integer)
SIMHASH_FUNCTION(simhash_anchored_shingles)
{
    constexpr int kDistanceMax = 100;
    Utf8Text document = utf8_argument(fcinfo, 0);
    StringSet anchors(fcinfo, 1, "anchors");
    auto size = static_cast<std::size_t>(checked_shingle_size(PG_GETARG_INT32(2), kShingleSizeMax));
    int distance = PG_GETARG_INT32(3);
    if (distance < 1 || distance > kDistanceMax)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("distance %d is out of range", distance),
                errdetail("It must lie between 1 and %d.", kDistanceMax));

    Utf8Text given;
    const char *bytes;
    std::size_t length;
    for (int number = 1; anchors.next_given(&given); number++) {
        CHECK_FOR_INTERRUPTS();
        TextFeatures word;
        word.init(TextUnit::kWord, 1);
        word.read_from(given.bytes, given.length, true);
        std::uint64_t hash = 0;
        bool one = word.next_shingle(&bytes, &length);
        if (one)
            hash = feature_hash(bytes, length);
        if (!one || word.next_shingle(&bytes, &length))
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an anchor must be one word"),
                    errdetail("Number %d is not.", number));
        anchors.add(hash);
    }
    anchors.sort();

    Words words = words_of(document, anchors);
    TextArray array;
    StringInfoData shingle;
    initStringInfo(&shingle);
    for (std::size_t i = 0; i < words.count; i++) {
        CHECK_FOR_INTERRUPTS();
        const Word &anchor = words.word[i];
        std::size_t step = static_cast<std::size_t>(distance);
        if (!anchor.anchor || words.plain_count - anchor.plain_before < size * step)
            continue;
        resetStringInfo(&shingle);
        appendBinaryStringInfo(&shingle, words.bytes.data + anchor.start, static_cast<int>(anchor.length));
        for (std::size_t k = 1; k <= size; k++) {
            const Word &next = words.word[words.plain[anchor.plain_before + k * step - 1]];
            appendStringInfoChar(&shingle, ' ');
            appendBinaryStringInfo(&shingle, words.bytes.data + next.start, static_cast<int>(next.length));
        }
        array.add(shingle.data, static_cast<std::size_t>(shingle.len));
    }
    return array.finish();
}

// (url text, stop_components text[])
SIMHASH_FUNCTION(simhash_url_features)
{
    Utf8Text url = utf8_argument(fcinfo, 0);
    StringSet stops(fcinfo, 1, "stop components");
    StringInfoData lower;
    initStringInfo(&lower);
    auto lower_from = [&lower](const char *bytes, std::size_t length) {
        for (std::size_t i = 0; i < length; i++)
            appendStringInfoChar(&lower, ascii_lower(bytes[i]));
    };
    Utf8Text given;
    while (stops.next_given(&given)) {
        CHECK_FOR_INTERRUPTS();
        resetStringInfo(&lower);
        lower_from(given.bytes, given.length);
        stops.add(feature_hash(lower.data, static_cast<std::size_t>(lower.len)));
    }
    stops.sort();

    TextArray array;
    StringInfoData feature; // the last component, with its position before it
    initStringInfo(&feature);
    UrlComponents components(url.bytes, url.length);
    int position = 0;
    const char *bytes;
    std::size_t length;
    while (components.next(&bytes, &length)) {
        CHECK_FOR_INTERRUPTS();
        resetStringInfo(&lower);
        lower_from(bytes, length);
        if (stops.contains(feature_hash(lower.data, static_cast<std::size_t>(lower.len))))
            continue;
        if (position > 0) {
            appendStringInfo(&feature, " %s", lower.data);
            array.add(feature.data, static_cast<std::size_t>(feature.len));
        }
        resetStringInfo(&feature);
        appendStringInfo(&feature, "%d %s", position++, lower.data);
    }
    if (position == 1)
        array.add(feature.data, static_cast<std::size_t>(feature.len));
    return array.finish();
}

} // namespace simhash
