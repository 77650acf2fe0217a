// The metapage and its tree design: one that passes the check can be searched with, and gives every key its
// place.
#include "targets.hpp"

#include "core/layout/search_plan.hpp"
#include "core/page/page.hpp"

#include <algorithm>
#include <memory>

namespace simhash
{

void fuzz_meta(const std::uint8_t *data, std::size_t size)
{
    constexpr std::size_t kPageSize = 4096;
    Bytes bytes(data, size);
    auto mode = bytes.take<std::uint8_t>();
    auto fingerprint = bytes.take<Fingerprint>();
    std::unique_ptr<char[]> page(new char[kPageSize]);
    if (mode & 1) {
        std::memset(page.get(), 0, kPageSize);
        if (bytes.left() > 0)
            std::memcpy(page.get(), bytes.rest(), std::min(kPageSize, bytes.left()));
    } else {
        MetaData meta = {};
        meta.magic = kMagic;
        meta.version = kFormatVersion;
        auto distance = bytes.take<std::int8_t>(), trees = bytes.take<std::int8_t>();
        if (!make_design(distance, trees, &meta.design) && !make_design(3, 4, &meta.design))
            std::abort();
        FUZZ_EXPECT(check_design(meta.design));
        for (int i = 0; i < kBits; i++)
            meta.bit_order[i] = static_cast<std::uint8_t>(kBits - 1 - i);
        init_meta_page(page.get(), kPageSize, meta);
        while (!bytes.empty()) {
            auto at = bytes.take<std::uint16_t>() % (sizeof(RawPageHeader) + sizeof(MetaData));
            page[at] = static_cast<char>(bytes.take<std::uint8_t>());
        }
    }
    if (check_meta_page(page.get(), kPageSize) != nullptr)
        return;

    MetaData meta;
    std::memcpy(&meta, page_meta(page.get()), sizeof(meta));
    auto order = std::make_unique<KeyOrder>();
    order->set(meta.design, meta.bit_order);
    for (int tree = 0; tree < meta.design.trees; tree++) {
        std::uint8_t source[kBits];
        order->sources(tree, source);
        std::uint64_t key = 0;
        for (int i = 0; i < kBits; i++) {
            FUZZ_EXPECT(source[i] < kBits);
            key |= (fingerprint >> source[i] & 1) << (kBits - 1 - i);
        }
        FUZZ_EXPECT(key == order->key(tree, fingerprint));
    }
    for (int radius : {0, 1, 3, 8, 31, 64}) {
        SearchPlan plan;
        plan_search(meta.design, radius, 1000, &plan);
        FUZZ_EXPECT(plan.steps >= 1 && plan.steps <= meta.design.trees);
        // Every row within the radius is reported by one step.
        Fingerprint errors = fingerprint;
        while (hamming_distance(errors, 0) > radius)
            errors &= errors - 1;
        int returning = 0;
        for (int step = 0; step < plan.steps; step++)
            returning += returns_row(*order, plan, step, errors);
        FUZZ_EXPECT(returning == 1);
    }
}

} // namespace simhash
