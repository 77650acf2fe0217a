// to_features returns features as an array, which can be inspected, weighted and filtered. to_simhash takes such an
// array, and simhash_agg its elements.
#include "pg/features/document_arguments.hpp"
#include "pg/features/utf8_text.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"
}

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

} // namespace

// (document text, unit text, size integer): the features that to_simhash hashes for the same arguments.
SIMHASH_FUNCTION(simhash_to_features)
{
    text *document = document_argument(fcinfo, 0);
    Shingles shingles = shingle_arguments(fcinfo, 1);
    TextFeatures features;
    features.init(shingles.unit, shingles.size);
    TextArray array;
    in_utf8_pieces(VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document),
                   [&](const char *piece, std::size_t size, bool last) {
                       features.read_from(piece, size, last);
                       const char *bytes;
                       std::size_t length;
                       while (features.next_shingle(&bytes, &length)) {
                           CHECK_FOR_INTERRUPTS();
                           if (length > 0)
                               array.add(bytes, length);
                       }
                       return true;
                   });
    return array.finish();
}

} // namespace simhash
