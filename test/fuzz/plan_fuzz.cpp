// The plans of the join: whatever the estimates, a plan finds each pair within the radius and returns it
// once.
#include "rows.hpp"

#include "core/layout/pair_plan.hpp"

#include <vector>

namespace simhash
{

void fuzz_plan(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    auto number = [&bytes](double most) { return most * bytes.take<std::uint16_t>() / 65535; };
    auto rows_of = [&bytes](int magnitudes) { // at least 1
        double rows = 1 + bytes.take<std::uint8_t>();
        for (int zeros = bytes.take<std::uint8_t>() % magnitudes; zeros > 0; zeros--)
            rows *= 10;
        return rows;
    };
    PairTask task = {};
    task.radius = bytes.take<std::uint8_t>() % (kBits + 1);
    task.x_rows = rows_of(10);
    task.y_rows = bytes.take<std::uint8_t>() % 2 == 0 ? 0 : rows_of(10);
    task.usable = bytes.take<std::uint64_t>() | bytes.take<std::uint64_t>();
    task.most_bits = bytes.take<std::uint8_t>() % (kMostCellBits + 1);
    task.row_cost = number(100);
    task.compare_cost = number(10);
    task.part_rows = rows_of(8);
    task.load_cost = number(100);
    bool even = bytes.take<std::uint8_t>() % 2 == 0;
    for (double &differ : task.differ)
        differ = even ? 0.5 : bytes.take<std::uint8_t>() / 255.0;

    PairPlan plan;
    plan_pairs(task, &plan);
    FUZZ_EXPECT(plan.steps >= 1 && plan.steps <= kMostPairSteps);
    Fingerprint used = 0;
    int errors = 0;
    std::unique_ptr<CellMap[]> map(new CellMap[static_cast<std::size_t>(plan.steps)]);
    for (int i = 0; i < plan.steps; i++) {
        const PairStep &step = plan.step[i];
        FUZZ_EXPECT(step.bits >= 0 && step.bits <= task.most_bits && std::popcount(step.mask) == step.bits);
        FUZZ_EXPECT((step.mask & (used | ~task.usable)) == 0);
        used |= step.mask;
        errors += step.budget + 1;
        map[static_cast<std::size_t>(i)].set(step.bit, step.bits);
        if (step.bits > 8)
            continue;
        // The cells that a cell is compared with are those within the budget, each once.
        std::vector<bool> met(std::size_t{1} << step.bits);
        for (Flips flips(step.bits, step.budget); !flips.done(); flips.next()) {
            FUZZ_EXPECT(flips.mask() < met.size() && !met[flips.mask()]);
            FUZZ_EXPECT(std::popcount(flips.mask()) == flips.count());
            met[flips.mask()] = true;
        }
        for (std::uint32_t cell = 0; cell < met.size(); cell++)
            FUZZ_EXPECT(met[cell] == (std::popcount(cell) <= step.budget));
    }
    FUZZ_EXPECT(errors == task.radius + 1);

    Rows rows(&bytes, 24);
    for (std::uint32_t a = 0; a < rows.count; a++) {
        for (std::uint32_t b = a + 1; b < rows.count; b++) {
            Fingerprint apart = rows.row[a] ^ rows.row[b];
            int returned = 0;
            for (int i = 0; i < plan.steps; i++) {
                const CellMap &cell = map[static_cast<std::size_t>(i)];
                int distance = std::popcount(cell(rows.row[a]) ^ cell(rows.row[b]));
                if (distance <= plan.step[i].budget)
                    returned += returns_pair(plan, i, apart);
                else
                    FUZZ_EXPECT(!returns_pair(plan, i, apart)); // by a step that would not compare them
            }
            FUZZ_EXPECT(returned <= 1);
            FUZZ_EXPECT(returned == 1 || std::popcount(apart) > task.radius);
        }
    }
}

} // namespace simhash
