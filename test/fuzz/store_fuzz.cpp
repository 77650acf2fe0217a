// The pages of a signature store and the metapage of a wide index: what passes the checks can be used, whatever
// else it holds.
#include "targets.hpp"

#include "core/bits/signature.hpp"
#include "core/page/signature_plan.hpp"
#include "core/page/store_page.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace simhash
{

namespace
{

constexpr std::size_t kPageSize = 4096;

// Overwrites bytes; half of them in the header and the tail, which matter most.
void overwrite(char *page, Bytes *bytes)
{
    while (!bytes->empty()) {
        auto to = bytes->take<std::uint16_t>();
        std::size_t place =
            to & 1 ? std::size_t{to} >> 1
                   : kPageSize - sizeof(PageTail) + (to >> 1) % (sizeof(PageTail) + sizeof(RawPageHeader));
        page[place % kPageSize] = static_cast<char>(bytes->take<std::uint8_t>());
    }
}

void make_store_page(char *page, const StoreShape &shape, int kind, Bytes *bytes)
{
    auto rows = bytes->take<std::uint16_t>();
    if (kind == 0) {
        init_map_page(page, kPageSize);
        for (int i = 0; i < rows % map_capacity(kPageSize); i++)
            map_add(page, {static_cast<std::uint32_t>(i) * 9 + 7, 5});
    } else if (kind == 1) {
        init_plane_page(page, kPageSize);
        std::uint64_t sketch[2] = {1, 2};
        for (int slot = 0; slot < rows % (shape.rows() + 1); slot++)
            plane_set(page, slot, sketch);
    } else if (kind == 3) {
        init_list_page(page, kPageSize);
        std::vector<std::uint8_t> center(static_cast<std::size_t>(shape.bytes), 0x3C);
        for (int i = 0; i < rows % (list_page_capacity(shape.bytes, kPageSize) + 1); i++)
            list_page_add(page, shape.bytes, center.data(), rows);
    } else {
        init_body_page(page, kPageSize, 7);
        std::vector<std::uint8_t> signature(static_cast<std::size_t>(shape.bytes), 0x5A);
        for (int slot = 0; slot < rows % (shape.body_rows + 1); slot++)
            body_set(page, shape.bytes, slot, signature.data(), {0, 1, 1});
    }
}

std::uint64_t use_map(char *page)
{
    std::uint64_t sum = 0;
    for (int i = 0; i < map_count(page); i++)
        sum += map_entries(page)[i].plane + map_entries(page)[i].free;
    while (map_has_room(page))
        map_add(page, {1, 1});
    FUZZ_EXPECT(map_count(page) == map_capacity(kPageSize));
    return sum;
}

std::uint64_t use_plane(char *page, const StoreShape &shape)
{
    std::uint64_t sum = 0, sketch[2] = {~std::uint64_t{0}, 0};
    for (int slot = 0; slot < plane_count(page); slot++)
        sum += plane_sketches(page)[2 * slot] + plane_sketches(page)[2 * slot + 1] + plane_uses(page, slot);
    for (int slot; (slot = plane_free_slot(page, 0, shape.rows())) >= 0;) {
        FUZZ_EXPECT(slot < shape.rows() && slot <= plane_count(page) && !plane_uses(page, slot));
        plane_set(page, slot, sketch);
    }
    FUZZ_EXPECT(plane_count(page) == shape.rows());
    for (int slot = 0; slot < shape.rows(); slot++)
        plane_clear(page, slot);
    return sum;
}

std::uint64_t use_body(char *page, const StoreShape &shape)
{
    std::uint64_t sum = 0;
    for (int slot = 0; slot < body_count(page); slot++) {
        sum += body_tid(page, slot);
        for (int i = 0; i < shape.bytes; i++)
            sum += body_signature(page, shape.bytes, slot)[i];
        body_clear(page, slot);
    }
    std::vector<std::uint8_t> signature(static_cast<std::size_t>(shape.bytes), 1);
    while (body_count(page) < shape.body_rows)
        body_set(page, shape.bytes, body_count(page), signature.data(), {0, 0, 1});
    return sum;
}

std::uint64_t use_list(const char *page, const StoreShape &shape)
{
    std::uint64_t sum = 0;
    for (int i = 0; i < list_page_count(page); i++) {
        sum += list_page_link(page, i);
        for (int j = 0; j < shape.bytes; j++)
            sum += list_page_centers(page)[i * shape.bytes + j];
    }
    return sum;
}

void fuzz_store_page(Bytes *bytes)
{
    auto mode = bytes->take<std::uint8_t>();
    int bits =
        kFewestSignatureBits + bytes->take<std::uint16_t>() % (kMostSignatureBits - kFewestSignatureBits + 1);
    StoreShape shape = store_shape(signature_bytes(bits), kPageSize);
    std::unique_ptr<char[]> memory(new char[kPageSize]); // the exact size, for AddressSanitizer
    char *page = memory.get();
    if (mode & 4) {
        std::memset(page, 0, kPageSize);
        std::memcpy(page, bytes->rest(), std::min(kPageSize, bytes->left()));
    } else {
        make_store_page(page, shape, mode & 3, bytes);
        FUZZ_EXPECT(check_store_page(page, kPageSize, shape, 0) == nullptr);
        overwrite(page, bytes);
    }
    bool any = check_store_page(page, kPageSize, shape, 0) == nullptr;
    for (std::uint16_t kind : {kMapPage, kPlanePage, kBodyPage, kListPage})
        FUZZ_EXPECT((check_store_page(page, kPageSize, shape, kind) == nullptr) ==
                    (any && page_tail(page)->flags == kind));
    if (!any)
        return;
    FUZZ_EXPECT(is_store_page(page) && check_any_tree_page(page, kPageSize, kMaxTrees + 1) != nullptr);
    std::uint64_t sum = page_tail(page)->flags == kMapPage     ? use_map(page)
                        : page_tail(page)->flags == kPlanePage ? use_plane(page, shape)
                        : page_tail(page)->flags == kListPage  ? use_list(page, shape)
                                                               : use_body(page, shape);
    FUZZ_EXPECT(check_store_page(page, kPageSize, shape, 0) == nullptr || sum == 0);
}

void fuzz_signature_meta(Bytes *bytes)
{
    int bits =
        kFewestSignatureBits + bytes->take<std::uint16_t>() % (kMostSignatureBits - kFewestSignatureBits + 1);
    int words = bits >= 128 && bytes->take<std::uint8_t>() % 2 != 0 ? 2 : 1;
    int trees = 1 + bytes->take<std::uint8_t>() % most_signature_trees(words, kPageSize);
    std::unique_ptr<char[]> memory(new char[kPageSize]);
    char *page = memory.get();
    auto meta = std::make_unique<SignatureMetaData>();
    std::memset(static_cast<void *>(meta.get()), 0, sizeof(*meta));
    meta->magic = kMagic;
    meta->version = kSignatureVersion;
    choose_layout(bits, trees, words, nullptr, 0, 0, nullptr, &meta->layout);
    meta->map = root_block(trees) + 1;
    init_signature_meta_page(page, kPageSize, *meta);
    FUZZ_EXPECT(check_signature_meta_page(page, kPageSize) == nullptr);
    while (!bytes->empty()) {
        auto to = bytes->take<std::uint16_t>() % (sizeof(RawPageHeader) + meta->size());
        page[to] = static_cast<char>(bytes->take<std::uint8_t>());
    }
    if (check_signature_meta_page(page, kPageSize) != nullptr)
        return;
    std::memcpy(static_cast<void *>(meta.get()), page + sizeof(RawPageHeader),
                page_header(page)->lower - sizeof(RawPageHeader));
    const SignatureLayout &layout = meta->layout;
    std::vector<std::uint8_t> signature(static_cast<std::size_t>(layout.bytes()), 0xFF);
    std::uint64_t sketch[2];
    signature_sketch(layout, signature.data(), sketch);
    for (int tree = 0; tree < layout.trees; tree++)
        FUZZ_EXPECT(signature_key(layout, tree, signature.data()) == ~std::uint64_t{0} ||
                    layout.bits % 8 != 0);
    for (int radius : {0, 1, 31, 100, static_cast<int>(layout.bits)}) {
        auto plan = std::make_unique<SearchPlan>();
        plan_trees(layout, radius, {1e6, 2000, 2500}, plan.get());
        scan_cost(layout, store_shape(layout.bytes(), kPageSize), radius, {1e6, 2000, 2500});
    }
}

} // namespace

void fuzz_store(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    if (bytes.take<std::uint8_t>() & 1)
        fuzz_signature_meta(&bytes);
    else
        fuzz_store_page(&bytes);
}

} // namespace simhash
