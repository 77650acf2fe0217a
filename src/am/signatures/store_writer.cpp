#include "am/signatures/store_writer.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

char *image_page(StoreWriter *writer, int page) { return writer->image + BLCKSZ * page; }

void begin_segment(StoreWriter *writer)
{
    writer->slot = writer->list_pages = 0;
    init_plane_page(image_page(writer, 0), BLCKSZ);
    for (int i = 1; i <= writer->shape.bodies; i++)
        init_body_page(image_page(writer, i), BLCKSZ, kNoBlock);
}

// Links the pages of a segment into the chains of their lists, each before those that were written before it: a list
// comes to begin with its last page, which alone has free slots.
void link_pages(StoreWriter *writer, BlockNumber plane)
{
    for (int i = 1; i <= writer->list_pages; i++) {
        char *page = image_page(writer, i);
        const std::uint32_t list = body_list(page);
        set_body_list(page, list, writer->head[list]);
        writer->head[list] = plane + static_cast<BlockNumber>(i);
    }
}

int free_in_segment(const StoreWriter &writer)
{
    return writer.head == nullptr ? writer.shape.rows() - writer.slot
                                  : writer.shape.bodies - writer.list_pages;
}

void write_segment(StoreWriter *writer)
{
    Buffer buffer[kMostImages];
    extend_by_pages(writer->index, writer->alone, writer->shape.pages(), buffer);
    failpoint(Failpoint::build_batch);
    BlockNumber plane = BufferGetBlockNumber(buffer[0]);
    for (int i = 1; i <= writer->shape.bodies; i++)
        page_tail(image_page(writer, i))->right = plane;
    link_pages(writer, plane);
    write_page_images(writer->index, buffer, writer->image, writer->shape.pages());

    if (writer->segments == writer->capacity) {
        writer->capacity *= 2;
        writer->segment = static_cast<SegmentEntry *>(
            repalloc_huge(writer->segment, sizeof(SegmentEntry) * writer->capacity));
    }
    writer->segment[writer->segments++] = {plane, static_cast<std::uint32_t>(free_in_segment(*writer))};
}

void put_row(StoreWriter *writer, const std::uint8_t *signature, Tid tid)
{
    std::uint64_t sketch[2];
    signature_sketch(*writer->layout, signature, sketch);
    plane_set(image_page(writer, 0), writer->slot, sketch);
    body_set(image_page(writer, 1 + writer->slot / writer->shape.body_rows), writer->shape.bytes,
             writer->slot % writer->shape.body_rows, signature, tid);
    writer->slot++;
    writer->rows++;
}

void begin_list_page(StoreWriter *writer, std::uint32_t list)
{
    if (writer->list_pages == writer->shape.bodies) {
        write_segment(writer);
        begin_segment(writer);
    }
    writer->slot = writer->shape.body_rows * writer->list_pages++;
    set_body_list(image_page(writer, writer->list_pages), list, kNoBlock);
}

} // namespace

StoreWriter *begin_store(Relation index, const SignatureMeta &meta, bool parallel)
{
    auto *writer = allocate_zero<StoreWriter>();
    writer->index = index;
    writer->layout = &meta.layout;
    writer->shape = meta.shape();
    writer->alone = !parallel && RELATION_IS_LOCAL(index);
    writer->image = allocate<char>(BLCKSZ * writer->shape.pages());
    writer->capacity = 1024;
    writer->segment = allocate<SegmentEntry>(writer->capacity);
    begin_segment(writer);
    return writer;
}

void write_to_store(StoreWriter *writer, const std::uint8_t *signature, Tid tid)
{
    if (writer->slot == writer->shape.rows()) {
        write_segment(writer);
        begin_segment(writer);
    }
    put_row(writer, signature, tid);
}

void begin_lists(StoreWriter *writer, std::uint32_t lists)
{
    writer->head = allocate_huge<BlockNumber>(lists);
    std::fill(writer->head, writer->head + lists, kNoBlock);
}

void begin_lists_to(StoreWriter *writer, std::uint32_t list)
{
    while (writer->lists <= list)
        begin_list_page(writer, writer->lists++);
}

void write_to_list(StoreWriter *writer, std::uint32_t list, const std::uint8_t *signature, Tid tid)
{
    begin_lists_to(writer, list);
    if (writer->slot == writer->shape.body_rows * writer->list_pages)
        begin_list_page(writer, list);
    put_row(writer, signature, tid);
}

void end_store(StoreWriter *writer)
{
    if (writer->slot > 0 || writer->list_pages > 0)
        write_segment(writer);
    pfree(writer->image);
}

void write_map(Relation index, const SignatureMeta &meta, const SegmentEntry *segment, Size segments)
{
    Size capacity = static_cast<Size>(map_page_segments());
    PGAlignedBlock image;
    Buffer map = ReadBuffer(index, meta.map), next = InvalidBuffer;
    LockBuffer(map, BUFFER_LOCK_EXCLUSIVE);
    for (Size i = 0; BufferIsValid(map); map = next, next = InvalidBuffer) {
        init_map_page(image.data, BLCKSZ);
        for (Size end = Min(i + capacity, segments); i < end; i++)
            map_add(image.data, segment[i]);
        if (i < segments) {
            next = extend_index(index);
            page_tail(image.data)->right = BufferGetBlockNumber(next);
        }
        write_page_images(index, &map, image.data, 1);
    }
}

} // namespace simhash
