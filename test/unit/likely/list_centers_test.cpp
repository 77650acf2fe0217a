#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/bits/signature.hpp"
#include "core/likely/list_calibration.hpp"
#include "core/page/store_page.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

constexpr int kBytes = 32;
const SignatureDistances kDistances = signature_distances(SimdLevel::kScalar);

using Row = std::vector<std::uint8_t>;

// Centers chosen from a sample, and what they refer to.
struct Chosen {
    std::vector<std::uint8_t> group, center;
    std::vector<std::uint32_t> first;
    std::vector<std::uint16_t> distance;
    CenterSet set;
};

class ListCentersTest : public SeededTest<2901>
{
protected:
    Row random_row()
    {
        Row row(kBytes);
        for (auto &byte : row)
            byte = static_cast<std::uint8_t>(random());
        return row;
    }

    Row near_row(const Row &row, int flips)
    {
        Row other = row;
        for (int i = 0; i < flips; i++) {
            auto bit = random() % (8 * kBytes);
            other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ 1 << bit % 8);
        }
        return other;
    }

    // Rows in clusters of `size`, each with few flips.
    std::vector<std::uint8_t> clusters(int count, int size)
    {
        std::vector<std::uint8_t> rows;
        std::vector<Row> center;
        for (int c = 0; c < count; c++)
            center.push_back(random_row());
        for (int i = 0; i < count * size; i++) {
            Row row = near_row(center[static_cast<std::size_t>(i % count)], 12);
            rows.insert(rows.end(), row.begin(), row.end());
        }
        return rows;
    }

    static Chosen choose(const std::vector<std::uint8_t> &rows, std::uint32_t lists)
    {
        const auto count = static_cast<std::uint32_t>(rows.size() / kBytes);
        std::vector<std::uint32_t> chosen(count), center_of(count), moved(count), size(most_centers(lists)),
            sum(std::size_t{most_centers(lists)} * kBytes * 8);
        std::vector<std::uint16_t> distance(most_centers(lists));
        std::iota(chosen.begin(), chosen.end(), 0);
        CenterSample sample = {rows.data(),     count,         kBytes,     kDistances,
                               [] {},           chosen.data(), count,      center_of.data(),
                               distance.data(), size.data(),   sum.data(), moved.data()};
        Chosen result;
        result.group.resize(std::size_t{groups_for(lists)} * kBytes);
        result.first.resize(groups_for(lists) + 1);
        result.center.resize(std::size_t{most_lists(lists)} * kBytes);
        result.distance.resize(most_lists(lists));
        result.set =
            choose_centers(sample, lists, result.group.data(), result.first.data(), result.center.data());
        return result;
    }
};

TEST_F(ListCentersTest, RowsOfAClusterAreInOneList)
{
    constexpr int kClusters = 40, kSize = 60;
    const auto rows = clusters(kClusters, kSize);
    Chosen chosen = choose(rows, 40);
    EXPECT_EQ(check_groups(chosen.set), nullptr);
    EXPECT_GE(chosen.set.lists, 20U);
    EXPECT_LE(chosen.set.lists, most_lists(40));
    int together = 0;
    for (int i = 0; i + kClusters < kClusters * kSize; i++) {
        auto list_of = [&](int row) {
            return nearest_list(chosen.set, kDistances, rows.data() + kBytes * row, chosen.distance.data());
        };
        together += list_of(i) == list_of(i + kClusters);
    }
    EXPECT_GT(together, kClusters * (kSize - 1) / 2);
}

TEST_F(ListCentersTest, NearestListsAreInOrder)
{
    const auto rows = clusters(20, 30);
    Chosen chosen = choose(rows, 30);
    const std::uint32_t lists = chosen.set.lists;
    std::vector<std::uint32_t> order(lists), some(lists, lists);
    for (int round = 0; round < 20; round++) {
        const Row query = random_row();
        nearest_lists(chosen.set, kDistances, query.data(), lists, chosen.distance.data(), order.data());
        auto rank = [&](std::uint32_t list) {
            return std::pair(signature_distance(query.data(), chosen.set.list_center(list), kBytes), list);
        };
        for (std::uint32_t i = 1; i < lists; i++)
            ASSERT_LT(rank(order[i - 1]), rank(order[i]));
        nearest_lists(chosen.set, kDistances, query.data(), 5, chosen.distance.data(), some.data());
        EXPECT_TRUE(std::equal(some.begin(), some.begin() + 5, order.begin()));
        EXPECT_EQ(some[5], lists);
    }
}

TEST_F(ListCentersTest, EqualRowsMakeOneList)
{
    const Row row = random_row();
    std::vector<std::uint8_t> rows;
    for (int i = 0; i < 100; i++)
        rows.insert(rows.end(), row.begin(), row.end());
    Chosen chosen = choose(rows, 10);
    EXPECT_EQ(chosen.set.lists, 1U);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), chosen.center.begin()));
    EXPECT_EQ(nearest_list(chosen.set, kDistances, random_row().data(), chosen.distance.data()), 0U);
}

// Of the ten nearest rows, how many a search finds that reads lists as list_search does.
int found_of_ten(const std::vector<std::uint8_t> &rows, const std::uint8_t *query, int self,
                 const ListRecall &recall, double wanted, const std::vector<std::uint32_t> &list,
                 const std::vector<std::uint32_t> &list_of)
{
    std::vector<int> all, seen;
    std::vector<std::vector<int>> of(list.size());
    for (std::size_t i = 0; i < list_of.size(); i++) {
        if (static_cast<int>(i) == self)
            continue;
        all.push_back(signature_distance(query, rows.data() + kBytes * static_cast<int>(i), kBytes));
        of[list_of[i]].push_back(all.back());
    }
    std::sort(all.begin(), all.end());
    for (std::size_t read = 1; read <= list.size(); read++) {
        seen.insert(seen.end(), of[list[read - 1]].begin(), of[list[read - 1]].end());
        const std::size_t nearest = std::min<std::size_t>(10, seen.size());
        std::partial_sort(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(nearest), seen.end());
        seen.resize(nearest);
        if (nearest == 10 &&
            enough_lists(static_cast<double>(read),
                         lists_at(recall, wanted, seen[9], static_cast<std::uint32_t>(list.size())),
                         chance_of(query, kBytes)))
            break;
    }
    int found = 0;
    for (std::size_t i = 0; i < 10 && i < seen.size(); i++)
        found += seen[i] <= all[9];
    return found;
}

// The list of each row, and the recall measured with the first `queries` of them.
struct Measured {
    std::vector<std::uint32_t> list_of;
    ListRecall recall;
    int pauses;
};

Measured measure_rows(const std::vector<std::uint8_t> &rows, int queries, Chosen *chosen)
{
    const auto count = static_cast<std::size_t>(queries);
    std::vector<std::uint16_t> distance(count), limit(count, kNoLimit);
    const auto self = std::make_unique<bool[]>(count);
    std::vector<int> found(count);
    std::vector<NearRow> near(count * kMostCalibrated);
    ListMeasure measure = {rows.data(),  queries,    kBytes,       kDistances, distance.data(),
                           limit.data(), self.get(), found.data(), near.data()};
    Measured result;
    for (std::size_t at = 0; at < rows.size(); at += kBytes) {
        result.list_of.push_back(
            nearest_list(chosen->set, kDistances, rows.data() + at, chosen->distance.data()));
        measure_row(&measure, rows.data() + at, result.list_of.back());
    }
    std::vector<std::uint32_t> list(chosen->set.lists), rank(chosen->set.lists);
    std::vector<float> part(kDistanceNodes * chosen->set.lists);
    std::vector<Sighting> sighting(kSightings * count);
    static int pauses;
    pauses = 0;
    result.recall = measured_recall(
        &measure, chosen->set,
        {chosen->distance.data(), list.data(), rank.data(), part.data(), sighting.data(), [] { pauses++; }});
    result.pauses = pauses;
    EXPECT_EQ(result.recall.queries, queries);
    EXPECT_EQ(check_list_recall(result.recall, chosen->set.lists, 8 * kBytes), nullptr);
    return result;
}

// The mean recall of searches for the rows from number `first` to before `end`.
double mean_recall(const std::vector<std::uint8_t> &rows, const Measured &measured, Chosen *chosen,
                   double wanted, int first, int end)
{
    std::vector<std::uint32_t> list(chosen->set.lists);
    int all = 0;
    for (int q = first; q < end; q++) {
        const std::uint8_t *query = rows.data() + kBytes * q;
        nearest_lists(chosen->set, kDistances, query, chosen->set.lists, chosen->distance.data(),
                      list.data());
        all += found_of_ten(rows, query, q, measured.recall, wanted, list, measured.list_of);
    }
    return all / 10.0 / (end - first);
}

TEST_F(ListCentersTest, MeasuredRecallIsReached)
{
    // Rows without structure and few lists, so that one list more or less changes the recall by far.
    std::vector<std::uint8_t> rows;
    for (int i = 0; i < 1000; i++) {
        const Row row = random_row();
        rows.insert(rows.end(), row.begin(), row.end());
    }
    Chosen chosen = choose(rows, 6);
    constexpr int kQueries = 100;
    const Measured measured = measure_rows(rows, kQueries, &chosen);
    EXPECT_EQ(measured.pauses, kQueries);
    for (double wanted : {0.5, 0.8, 0.9, 0.95, 0.99}) {
        const double recall = mean_recall(rows, measured, &chosen, wanted, 0, kQueries);
        EXPECT_GE(recall, wanted - 0.02) << wanted << " of " << chosen.set.lists;
        EXPECT_LE(recall, wanted + 0.06) << wanted << " of " << chosen.set.lists;
    }
}

// The neighbors of most rows are equal to them, and so in the first list. They do not make up for those of the others.
TEST_F(ListCentersTest, RepeatedRowsDoNotLowerTheRecallOfOthers)
{
    constexpr int kRows = 3000, kDistinct = 100, kQueries = 1000;
    std::vector<std::uint8_t> rows;
    std::vector<Row> repeated;
    for (int i = 0; i < 20; i++)
        repeated.push_back(random_row());
    for (int i = 0; i < kRows; i++) {
        const bool distinct = i % 10 == 0 || i >= kRows - kDistinct;
        const Row row = distinct ? random_row() : repeated[random() % 20];
        rows.insert(rows.end(), row.begin(), row.end());
    }
    Chosen chosen = choose(rows, 8);
    const Measured measured = measure_rows(rows, kQueries, &chosen);
    for (double wanted : {0.5, 0.7, 0.9, 0.95, 0.99})
        EXPECT_GE(mean_recall(rows, measured, &chosen, wanted, kRows - kDistinct, kRows), wanted)
            << wanted << " of " << chosen.set.lists;
}

// Of rows that are all repeated, a search reads few lists.
TEST_F(ListCentersTest, RepeatedRowsAloneAreInTheirList)
{
    std::vector<std::uint8_t> rows;
    std::vector<Row> repeated;
    for (int i = 0; i < 20; i++)
        repeated.push_back(random_row());
    for (int i = 0; i < 1000; i++) {
        const Row &row = repeated[random() % 20];
        rows.insert(rows.end(), row.begin(), row.end());
    }
    Chosen chosen = choose(rows, 8);
    const Measured measured = measure_rows(rows, 100, &chosen);
    EXPECT_NEAR(lists_at(measured.recall, 0.9, 0, chosen.set.lists), 1, 1e-9);
    EXPECT_EQ(mean_recall(rows, measured, &chosen, 0.9, 0, 100), 1);
}

TEST_F(ListCentersTest, MoreRecallAndFartherNeighborsTakeMoreLists)
{
    ListRecall recall = {};
    EXPECT_EQ(lists_for(recall, 0.5, 10, 77), 77);
    EXPECT_EQ(lists_at(recall, 0.5, 0, 77), 77);
    recall.queries = 100;
    for (int c = 0; c < kDistanceNodes; c++) {
        for (int i = 0; i < kRecallSteps; i++)
            recall.lists[c][i] = static_cast<std::uint32_t>((c + 1) * (i + 1)) * kListParts;
        recall.distance[c] = static_cast<std::uint16_t>(10 * (c + 1));
    }
    EXPECT_EQ(check_list_recall(recall, 30, 64), nullptr);
    EXPECT_NE(check_list_recall(recall, 29, 64), nullptr);
    EXPECT_NE(check_list_recall(recall, 30, 29), nullptr);
    for (int c = 0; c < kDistanceNodes; c++) {
        for (int i = 0; i < kRecallSteps; i++)
            EXPECT_NEAR(lists_at(recall, kRecallLevels[i], 10 * (c + 1), 1000), (c + 1) * (i + 1), 1e-9);
    }
    EXPECT_NEAR(lists_for(recall, 0.99, 1, 1000), 9, 1e-9);
    EXPECT_NEAR(lists_for(recall, 0.99, 10, 1000), 18, 1e-9);
    EXPECT_NEAR(lists_for(recall, 0.99, 1e6, 1000), 27, 1e-9);
    EXPECT_EQ(lists_for(recall, 0.99, 1000, 20), 20);
    EXPECT_EQ(lists_at(recall, 0.999, 10, 1000), 1000);
    EXPECT_NEAR(lists_at(recall, 0.1, 0, 1000), 1, 1e-9);
    EXPECT_NEAR(lists_at(recall, 0.5, 30, 1000), 3, 1e-9);
    EXPECT_EQ(lists_at(recall, 0.5, 31, 1000), 1000);
    EXPECT_EQ(recall_at(recall, 1000, 31), 0);
    for (int distance = 0; distance <= 30; distance++) {
        double last = 0;
        for (double wanted = 0.5; wanted < 0.995; wanted += 0.001) {
            const double lists = lists_at(recall, wanted, distance, 1000);
            EXPECT_GE(lists, last - 1e-9);
            EXPECT_GE(lists, lists_at(recall, wanted, distance - 1, 1000) - 1e-9);
            last = lists;
            EXPECT_GE(recall_at(recall, lists, distance), wanted - 0.001);
        }
    }
    // One distance for all
    recall.distance[0] = recall.distance[1] = recall.distance[2];
    EXPECT_NEAR(lists_at(recall, 0.5, 30, 1000), 1, 1e-9);
    recall.lists[1][4] = 0;
    EXPECT_NE(check_list_recall(recall, 30, 64), nullptr);
}

TEST_F(ListCentersTest, BodyPagesKnowTheirList)
{
    std::vector<char> memory(8192);
    char *page = memory.data();
    init_body_page(page, 8192, 7);
    EXPECT_EQ(body_list(page), kNoList);
    EXPECT_EQ(body_next(page), kNoBlock);
    EXPECT_EQ(body_open(page), (ListOpening{kNoBlock, 0}));
    set_body_list(page, 5, 90);
    set_body_open(page, {0x12345678, 0xFFFF});
    EXPECT_EQ(body_list(page), 5U);
    EXPECT_EQ(body_next(page), 90U);
    EXPECT_EQ(body_open(page), (ListOpening{0x12345678, 0xFFFF}));
    set_body_open(page, {kNoBlock, 3});
    EXPECT_EQ(body_open(page), (ListOpening{kNoBlock, 3}));
    EXPECT_EQ(check_store_page(page, 8192, store_shape(kBytes, 8192), kBodyPage), nullptr);

    const Row row = random_row();
    EXPECT_EQ(body_free_slot(page, 3), 0);
    for (int slot = 0; slot < 3; slot++)
        body_set(page, kBytes, slot, row.data(), {0, 1, 1});
    EXPECT_EQ(body_free_slot(page, 3), -1);
    body_clear(page, 1);
    EXPECT_EQ(body_free_slot(page, 3), 1);
}

TEST_F(ListCentersTest, ListPagesHoldCenters)
{
    std::vector<char> memory(8192);
    char *page = memory.data();
    const StoreShape shape = store_shape(kBytes, 8192);
    init_list_page(page, 8192);
    const int capacity = list_page_capacity(kBytes, 8192);
    std::vector<Row> center;
    for (int i = 0; i < capacity; i++) {
        center.push_back(random_row());
        list_page_add(page, kBytes, center.back().data(), static_cast<std::uint32_t>(3 * i));
        ASSERT_EQ(check_store_page(page, 8192, shape, kListPage), nullptr);
    }
    ASSERT_EQ(list_page_count(page), capacity);
    for (int i = 0; i < capacity; i++) {
        EXPECT_TRUE(std::equal(center[static_cast<std::size_t>(i)].begin(),
                               center[static_cast<std::size_t>(i)].end(),
                               list_page_centers(page) + kBytes * i));
        EXPECT_EQ(list_page_link(page, i), static_cast<std::uint32_t>(3 * i));
    }
    page_header(page)->upper = static_cast<std::uint16_t>(page_header(page)->upper + 4);
    EXPECT_NE(check_store_page(page, 8192, shape, kListPage), nullptr);
}

} // namespace
} // namespace simhash
