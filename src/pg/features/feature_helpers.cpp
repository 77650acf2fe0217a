// to_features, to_anchored_features, to_stop_word_features and to_url_features return features as
// arrays, which can be inspected, weighted and filtered. to_simhash takes such an array, and simhash_agg its elements.
#include "core/hash/feature_hash.hpp"
#include "core/text/url_features.hpp"
#include "pg/input/array_elements.hpp"
#include "pg/input/document_argument.hpp"
#include "pg/input/shingle_arguments.hpp"
#include "pg/input/utf8_text.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// A text array that grows in place: short features take hardly more memory than in the finished array.
class TextArray
{
public:
    TextArray() : array_(static_cast<char *>(palloc(capacity_))) {}

    // Adds a feature given in UTF-8.
    void add(const char *bytes, std::size_t length)
    {
        if (!needs_conversion() || is_ascii(bytes, length)) {
            put(bytes, length);
            return;
        }
        text *value = text_from_utf8(bytes, length);
        put(VARDATA(value), VARSIZE(value) - VARHDRSZ);
        pfree(value);
    }

    Datum finish()
    {
        if (count_ == 0)
            return PointerGetDatum(construct_empty_array(TEXTOID));
        auto *array = reinterpret_cast<ArrayType *>(array_);
        std::memset(array_, 0, kHeader);
        SET_VARSIZE(array, size_);
        array->ndim = 1;
        array->elemtype = TEXTOID;
        ARR_DIMS(array)[0] = count_;
        ARR_LBOUND(array)[0] = 1;
        return PointerGetDatum(array);
    }

private:
    static constexpr std::size_t kHeader = ARR_OVERHEAD_NONULLS(1);

    void put(const char *bytes, std::size_t length)
    {
        std::size_t size = INTALIGN(VARHDRSZ + length);
        if (size > MaxAllocSize - size_)
            ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many features for an array"),
                    errdetail("%d features take nearly %zu bytes, the most that a value can have.", count_,
                              static_cast<std::size_t>(MaxAllocSize)));
        if (size > capacity_ - size_) {
            capacity_ = Min(Max(capacity_ + capacity_ / 2, size_ + size), MaxAllocSize);
            array_ = static_cast<char *>(repalloc(array_, capacity_));
        }
        std::memset(array_ + size_ + size - sizeof(int32), 0, sizeof(int32)); // padding
        SET_VARSIZE(array_ + size_, VARHDRSZ + length);
        std::memcpy(array_ + size_ + VARHDRSZ, bytes, length);
        size_ += size;
        count_++;
    }

    std::size_t capacity_ = 1024;
    std::size_t size_ = kHeader;
    int count_ = 0;
    char *array_;
};

Utf8Text utf8_value(text *value) { return utf8_text(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)); }

// A set of strings, stored as sorted hashes. The caller computes the hashes, then calls sort().
class StringSet
{
public:
    StringSet(FunctionCallInfo fcinfo, int argument, const char *which)
        : given_(list_argument(fcinfo, argument, TEXTOID, which))
    {
        hashes_ = static_cast<std::uint64_t *>(
            palloc(sizeof(std::uint64_t) * static_cast<std::size_t>(Max(given_.count, 1))));
    }

    // Returns the next element of the argument, for the caller to hash. Returns false after the last one.
    bool next_given(Utf8Text *out)
    {
        while (at_ < given_.count && given_.nulls[at_])
            at_++;
        if (at_ == given_.count)
            return false;
        text *value = DatumGetTextPP(given_.values[at_++]);
        *out = utf8_value(value);
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

// An array of numbers that grows.
class Numbers
{
public:
    void add(std::uint32_t number)
    {
        if (count_ == capacity_) {
            capacity_ += capacity_ / 2;
            number_ = static_cast<std::uint32_t *>(repalloc_huge(number_, capacity_ * sizeof(std::uint32_t)));
        }
        number_[count_++] = number;
    }

    std::uint32_t operator[](std::size_t i) const { return number_[i]; }
    std::size_t count() const { return count_; }

private:
    std::size_t capacity_ = 256;
    std::size_t count_ = 0;
    std::uint32_t *number_ = static_cast<std::uint32_t *>(palloc(capacity_ * sizeof(std::uint32_t)));
};

// Adds the argument's words to the set. Each element must be a single word; `which` names it in the error message.
void read_anchors(StringSet *anchors, const char *which)
{
    Utf8Text given;
    const char *bytes;
    std::size_t length;
    for (int number = 1; anchors->next_given(&given); number++) {
        CHECK_FOR_INTERRUPTS();
        TextFeatures word;
        word.init(TextUnit::kWord, 1);
        word.read_from(given.bytes, given.length, true);
        std::uint64_t hash = 0;
        bool one = word.next_shingle(&bytes, &length);
        if (one)
            hash = feature_hash(bytes, length);
        if (!one || word.next_shingle(&bytes, &length))
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("each %s must be a single word", which),
                    errdetail("Element %d of the array is not a single word.", number));
        anchors->add(hash);
    }
    anchors->sort();
}

// All words of a document, in order, in one buffer.
struct Words {
    StringInfoData bytes;
    Numbers start;        // offset of each word, and the end of the last
    Numbers plain;        // the words that are not anchors
    Numbers anchor;       // the words that are anchors
    Numbers plain_before; // number of plain words before each anchor

    const char *begin(std::uint32_t word) const { return bytes.data + start[word]; }
    std::size_t length(std::uint32_t word) const { return start[word + 1] - start[word]; }
};

void read_words(Utf8Text text, const StringSet &anchors, Words *words)
{
    initStringInfo(&words->bytes);
    TextFeatures features;
    features.init(TextUnit::kWord, 1);
    features.read_from(text.bytes, text.length, true);
    const char *bytes;
    std::size_t length;
    std::uint32_t word = 0;
    for (; features.next_shingle(&bytes, &length); word++) {
        CHECK_FOR_INTERRUPTS();
        words->start.add(static_cast<std::uint32_t>(words->bytes.len));
        appendBinaryStringInfo(&words->bytes, bytes, static_cast<int>(length));
        if (anchors.contains(feature_hash(bytes, length))) {
            words->plain_before.add(static_cast<std::uint32_t>(words->plain.count()));
            words->anchor.add(word);
        } else {
            words->plain.add(word);
        }
    }
    words->start.add(static_cast<std::uint32_t>(words->bytes.len));
}

} // namespace

// (document text, unit text, size integer): the features that to_simhash hashes for the same arguments.
SIMHASH_FUNCTION(to_features)
{
    Utf8Text document = utf8_value(document_argument(fcinfo, 0));
    TextFeatures features;
    Shingles shingles = shingle_arguments(fcinfo, 1);
    features.init(shingles.unit, shingles.size);
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

// (document text, anchors text[], size integer, distance integer): each anchor followed by every
// `distance`-th of the plain words behind it, `size` in all.
SIMHASH_FUNCTION(to_anchored_features)
{
    constexpr int kDistanceMax = 100;
    Utf8Text document = utf8_value(document_argument(fcinfo, 0));
    StringSet anchors(fcinfo, 1, "anchors");
    auto size = static_cast<std::size_t>(checked_shingle_size(PG_GETARG_INT32(2), kShingleSizeMax));
    int distance = PG_GETARG_INT32(3);
    if (distance < 1 || distance > kDistanceMax)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("distance %d is out of range", distance),
                errdetail("It must lie between 1 and %d.", kDistanceMax));

    read_anchors(&anchors, "anchor");
    Words words;
    read_words(document, anchors, &words);
    TextArray array;
    StringInfoData shingle;
    initStringInfo(&shingle);
    auto step = static_cast<std::size_t>(distance);
    for (std::size_t i = 0; i < words.anchor.count(); i++) {
        CHECK_FOR_INTERRUPTS();
        std::size_t before = words.plain_before[i];
        if (words.plain.count() - before < size * step)
            break;
        resetStringInfo(&shingle);
        auto add_word = [&](std::uint32_t word) {
            appendBinaryStringInfo(&shingle, words.begin(word), static_cast<int>(words.length(word)));
        };
        add_word(words.anchor[i]);
        for (std::size_t k = 1; k <= size; k++) {
            appendStringInfoChar(&shingle, ' ');
            add_word(words.plain[before + k * step - 1]);
        }
        array.add(shingle.data, static_cast<std::size_t>(shingle.len));
    }
    return array.finish();
}

// (document text, stop_words text[], size integer): the shingles of to_features(document, 'word', size) that
// contain a stop word.
SIMHASH_FUNCTION(to_stop_word_features)
{
    Utf8Text document = utf8_value(document_argument(fcinfo, 0));
    StringSet stops(fcinfo, 1, "stop words");
    auto size = static_cast<std::size_t>(checked_shingle_size(PG_GETARG_INT32(2), kShingleSizeMax));
    read_anchors(&stops, "stop word");

    Words words;
    read_words(document, stops, &words);
    TextArray array;
    StringInfoData shingle;
    initStringInfo(&shingle);
    std::size_t count = words.start.count() - 1;
    size = Min(size, count); // fewer words are one shingle
    std::size_t stop = 0;    // the first stop word that does not stand before the shingle
    for (std::size_t from = 0; from + size <= count; from++) {
        CHECK_FOR_INTERRUPTS();
        while (stop < words.anchor.count() && words.anchor[stop] < from)
            stop++;
        if (stop == words.anchor.count())
            break;
        if (words.anchor[stop] >= from + size)
            continue;
        resetStringInfo(&shingle);
        for (std::size_t word = from; word < from + size; word++) {
            if (word > from)
                appendStringInfoChar(&shingle, ' ');
            auto at = static_cast<std::uint32_t>(word);
            appendBinaryStringInfo(&shingle, words.begin(at), static_cast<int>(words.length(at)));
        }
        array.add(shingle.data, static_cast<std::size_t>(shingle.len));
    }
    return array.finish();
}

// (url text, stop_components text[], host boolean): the components of the host, if wanted, and bigrams of those after
// it with their position, without stop components. A single component is returned alone.
SIMHASH_FUNCTION(to_url_features)
{
    Utf8Text url = utf8_value(PG_GETARG_TEXT_PP(0));
    StringSet stops(fcinfo, 1, "stop components");
    StringInfoData lower;
    initStringInfo(&lower);
    auto lower_from = [&lower](const char *bytes, std::size_t length) {
        resetStringInfo(&lower);
        for (std::size_t i = 0; i < length; i++)
            appendStringInfoChar(&lower, ascii_lower(bytes[i]));
    };
    Utf8Text given;
    while (stops.next_given(&given)) {
        CHECK_FOR_INTERRUPTS();
        lower_from(given.bytes, given.length);
        stops.add(feature_hash(lower.data, static_cast<std::size_t>(lower.len)));
    }
    stops.sort();

    TextArray array;
    const char *bytes;
    std::size_t length;
    if (PG_GETARG_BOOL(2)) {
        UrlComponents host(url.bytes, url.length, UrlPart::kHost);
        while (host.next(&bytes, &length)) {
            CHECK_FOR_INTERRUPTS();
            lower_from(bytes, length);
            array.add(lower.data, static_cast<std::size_t>(lower.len));
        }
    }
    StringInfoData feature; // the previous component, with its position in front of it
    initStringInfo(&feature);
    UrlComponents path(url.bytes, url.length, UrlPart::kPath);
    int position = 0;
    while (path.next(&bytes, &length)) {
        CHECK_FOR_INTERRUPTS();
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
