#include "am/signatures/spooled_signatures.hpp"

#include "am/signatures/signature_kind.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

void write_page(SpooledSignatures *signatures)
{
    BufFileWrite(signatures->file, signatures->page.data, BLCKSZ);
    signatures->pages++;
}

void put_numbers(void *context, uint64 a, uint64 b, uint64 distance)
{
    const PairSink &sink = *static_cast<const PairSink *>(context);
    sink.put(sink.context, a - 1, b - 1, distance);
}

} // namespace

void begin_signatures(SpooledSignatures *signatures, int bits)
{
    const int bytes = (bits + 7) / 8;
    *signatures = {bits, store_shape(bytes, BLCKSZ), BufFileCreateTemp(false), 0, 0, {}};
}

void add_signature(SpooledSignatures *signatures, const uint8 *signature, uint64 number)
{
    const auto capacity = static_cast<uint64>(signatures->shape.body_rows);
    const int slot = static_cast<int>(signatures->rows++ % capacity);
    if (slot == 0) {
        if (signatures->rows > 1)
            write_page(signatures);
        init_body_page(signatures->page.data, BLCKSZ, 0);
    }
    // 0 would be no row.
    body_set(signatures->page.data, signatures->shape.bytes, slot, signature, Tid::unpack(number + 1));
}

void link_signatures(SpooledSignatures *signatures, int radius, PairSink sink)
{
    if (signatures->rows > 0)
        write_page(signatures);
    auto *meta = allocate_zero<SignatureMeta>();
    meta->kind = &kSignatures;
    meta->bits = signatures->bits;
    meta->layout.bits = static_cast<std::uint16_t>(signatures->bits);
    BlockNumber rows[2] = {0, MaxBlockNumber}, pages[2] = {0, signatures->pages};
    PairPart part = {};
    part.index.meta = meta;
    part.file = signatures->file;
    PairOutput output = {};
    output.sides = 1;
    output.side[0].parts = 1;
    output.side[0].part = &part;
    output.side[0].tids = {1, rows};
    output.side[0].positions = {1, pages};
    output.links = true;
    output.sink = {put_numbers, &sink};
    if (signatures->rows > 1 && radius >= 0)
        finish_work(join_signatures(&output, std::min(radius, signatures->bits)));
    BufFileClose(signatures->file);
}

} // namespace simhash
