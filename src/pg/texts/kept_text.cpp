#include "pg/texts/kept_text.hpp"

#include "core/bits/feature_hash.hpp"
#include "core/features/text_sketch.hpp"
#include "pg/features/counted_features.hpp"
#include "pg/features/utf8_text.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "access/detoast.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <new>

namespace simhash
{

namespace
{

// What may be kept beyond the end of a transaction, in bytes.
constexpr Size kSmall = 256 * 1024;

using Shingles = CountedFeatures;

struct KeptText {
    MemoryContext context; // of all that follows
    const char *bytes;     // null if no text is kept
    Size length;
    TextUnit unit;
    Shingles *shingles; // counts: the number of the text in which one was seen last
    std::uint64_t texts;
    bool sketched;
    Fingerprint fingerprint; // if `sketched` and there are shingles
    bool stored;
    varatt_external pointer; // of the value, if `stored`
    std::uint64_t missed;    // hash of the first text when last none was kept
};
KeptText kept;

bool any_shingles() { return kept.shingles->counts().size() > 0; }

// An error or the end of the transaction may have left anything but a pointer to a text that is not complete.
void end_of_transaction(XactEvent, void *)
{
    kept.stored = false;
    if (kept.bytes != nullptr && MemoryContextMemAllocated(kept.context, true) <= kSmall)
        return;
    kept.bytes = nullptr;
    MemoryContextReset(kept.context);
}

// Calls use(hashes, count) for the shingles of the text by which it is compared until it returns false.
template <typename Use> void each_shingle(TextBytes text, TextUnit unit, Use use)
{
    TextFeatures features;
    features.init(unit, compared_size(unit));
    in_utf8_pieces(text.at, text.length, [&](const char *piece, std::size_t length, bool last) {
        features.read_from(piece, length, last);
        std::uint64_t hashes[256];
        std::size_t count;
        while (features.next(hashes, lengthof(hashes), &count)) {
            CHECK_FOR_INTERRUPTS();
            if (!use(hashes, count))
                return false;
        }
        return true;
    });
}

void keep(TextBytes text, TextUnit unit)
{
    if (kept.context == nullptr) {
        kept.context = AllocSetContextCreate(TopMemoryContext, "simhash text", ALLOCSET_DEFAULT_SIZES);
        RegisterXactCallback(end_of_transaction, nullptr);
    }
    kept.bytes = nullptr;
    kept.stored = false;
    kept.sketched = false;
    kept.texts = 1;
    kept.unit = unit;
    MemoryContextReset(kept.context);
    MemoryContext caller = MemoryContextSwitchTo(kept.context);
    kept.shingles = new (palloc(sizeof(Shingles))) Shingles;
    kept.shingles->expect(std::min<std::size_t>(text.length / 8, 65536));
    each_shingle(text, unit, [](const std::uint64_t *hashes, std::size_t count) {
        for (std::size_t i = 0; i < count; i++)
            kept.shingles->add(hashes[i], 1);
        return true;
    });
    FeatureCount *slots = kept.shingles->counts().slots();
    kept.shingles->in_pieces([&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; i++)
            slots[i].count = slots[i].count != 0 ? 1 : 0;
    });
    auto *bytes = static_cast<char *>(MemoryContextAllocHuge(kept.context, text.length + 1));
    MemoryContextSwitchTo(caller);
    std::memcpy(bytes, text.at, text.length);
    kept.length = text.length;
    kept.bytes = bytes;
}

bool is_kept(TextBytes text, TextUnit unit)
{
    return kept.bytes != nullptr && kept.unit == unit && kept.length == text.length &&
           std::memcmp(kept.bytes, text.at, text.length) == 0;
}

// If `common` of the n kept shingles are shared and there are m others, the index is common / (n + m). So reading ends
// when there are more others than n shared ones would permit.
bool alike(TextBytes text, double similarity)
{
    const FeatureCounts &shingles = kept.shingles->counts();
    const auto all = static_cast<double>(shingles.size());
    const std::uint64_t number = ++kept.texts;
    std::size_t common = 0;
    CountedFeatures others;
    bool possible = true;
    each_shingle(text, kept.unit, [&](const std::uint64_t *hashes, std::size_t count) {
        for (std::size_t i = 0; i < count; i++) {
            const FeatureCount &found = shingles.find(hashes[i]);
            if (found.count == 0) {
                others.add(hashes[i], 1);
            } else if (found.count != number) {
                common++;
                shingles.slots()[&found - shingles.slots()].count = number;
            }
        }
        possible = all / (all + static_cast<double>(others.counts().size())) >= similarity;
        return possible;
    });
    possible =
        possible &&
        static_cast<double>(common) / (all + static_cast<double>(others.counts().size())) >= similarity;
    others.release();
    return possible;
}

// The index first: a text that is not alike is read once, and often not to its end.
bool near_to_kept(TextBytes text, Nearness least)
{
    if (!any_shingles())
        return false;
    if (is_kept(text, least.unit))
        return true;
    Fingerprint fingerprint;
    if (!alike(text, least.similarity) || !text_fingerprint(text, least.unit, &fingerprint))
        return false;
    if (!kept.sketched) {
        text_fingerprint({kept.bytes, kept.length}, kept.unit, &kept.fingerprint);
        kept.sketched = true;
    }
    return hamming_distance(fingerprint, kept.fingerprint) <= least.radius;
}

// A value of type text, which is read when its bytes are asked for.
class TextValue
{
public:
    explicit TextValue(Datum datum) : datum_(datum), plain_(nullptr) {}

    // Whether it is the kept text, as far as that can be said without reading it.
    bool points_to_kept(TextUnit unit) const
    {
        varatt_external pointer;
        return kept.bytes != nullptr && kept.unit == unit && kept.stored && read_pointer(&pointer) &&
               std::memcmp(&pointer, &kept.pointer, sizeof(pointer)) == 0;
    }

    TextBytes bytes()
    {
        if (plain_ == nullptr)
            plain_ = pg_detoast_datum_packed(value());
        return {VARDATA_ANY(plain_), static_cast<Size>(VARSIZE_ANY_EXHDR(plain_))};
    }

    bool has_kept_bytes(TextUnit unit)
    {
        if (!is_kept(bytes(), unit))
            return false;
        note_kept();
        return true;
    }

    // Its bytes are those that are kept.
    void note_kept() const { kept.stored = read_pointer(&kept.pointer); }

    void release()
    {
        if (plain_ != nullptr && plain_ != value())
            pfree(plain_);
    }

private:
    struct varlena *value() const { return reinterpret_cast<struct varlena *>(DatumGetPointer(datum_)); }

    bool read_pointer(varatt_external *pointer) const
    {
        if (!VARATT_IS_EXTERNAL_ONDISK(value()))
            return false;
        VARATT_EXTERNAL_GET_POINTER(*pointer, value());
        return true;
    }

    Datum datum_;
    struct varlena *plain_;
};

} // namespace

bool text_fingerprint(TextBytes text, TextUnit unit, Fingerprint *out)
{
    TextSketch sketch;
    sketch.init(unit);
    in_utf8_pieces(text.at, text.length, [&](const char *piece, std::size_t length, bool last) {
        sketch.read_from(piece, length, last);
        while (sketch.add_some())
            CHECK_FOR_INTERRUPTS();
        return true;
    });
    if (sketch.empty())
        return false;
    *out = sketch.fingerprint();
    return true;
}

bool text_fingerprint(Datum text, TextUnit unit, Fingerprint *out)
{
    TextValue value(text);
    const bool any = text_fingerprint(value.bytes(), unit, out);
    value.release();
    return any;
}

bool near_texts(Datum a, Datum b, Nearness least)
{
    TextValue first(a), second(b);
    // Toast pointers first, which are compared without reading a text.
    bool second_kept = second.points_to_kept(least.unit);
    bool first_kept = !second_kept && first.points_to_kept(least.unit);
    if (!first_kept && !second_kept) {
        second_kept = second.has_kept_bytes(least.unit);
        first_kept = !second_kept && first.has_kept_bytes(least.unit);
    }
    if (!first_kept && !second_kept) {
        const std::uint64_t hash = feature_hash(first.bytes().at, first.bytes().length);
        first_kept = hash == kept.missed;
        TextValue *chosen = first_kept ? &first : &second;
        kept.missed = hash;
        keep(chosen->bytes(), least.unit);
        chosen->note_kept();
    }
    TextValue *other = first_kept ? &second : &first;
    const bool near = near_to_kept(other->bytes(), least);
    first.release();
    second.release();
    return near;
}

bool near_kept_text(TextBytes text, TextBytes center, Nearness least)
{
    if (!is_kept(center, least.unit))
        keep(center, least.unit);
    return near_to_kept(text, least);
}

bool near_kept_text(Datum text, TextBytes center, Nearness least)
{
    TextValue value(text);
    const bool near = near_kept_text(value.bytes(), center, least);
    value.release();
    return near;
}

} // namespace simhash
