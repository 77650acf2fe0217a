#include "core/guided_plan.hpp"

#include "core/key_ball.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace simhash
{

namespace
{

// How many cells on each side of a probe's count as covered, at most: skewed keys can make a leaf as wide as
// all cells.
constexpr std::uint64_t kCellsCounted = 32;

// The bits of the fingerprint that lead a table's keys.
std::uint64_t prefix_of(const KeyOrder &order, int table, int bits)
{
    std::uint8_t source[kBits];
    order.sources(table, source);
    std::uint64_t prefix = 0;
    for (int i = 0; i < bits; i++)
        prefix |= std::uint64_t{1} << source[i];
    return prefix;
}

// A number from 0 to below 1 that looks random; the multipliers are those of MurmurHash3's finalizer.
double draw(Fingerprint fingerprint)
{
    std::uint64_t x = fingerprint;
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53;
    return static_cast<double>((x ^ x >> 33) >> 11) * 0x1p-53;
}

} // namespace

int guided_prefix_bits(double leaves)
{
    constexpr int kFiner = 3;
    int bits = leaves > 1 ? static_cast<int>(std::ceil(std::log2(leaves))) : 0;
    return std::min(bits + kFiner, kBits);
}

void GuidedPlan::begin(const KeyOrder *order, const GuidedQuery &query, VoshNode *nodes,
                       std::size_t node_count, GuidedRange *ranges, std::size_t range_count)
{
    order_ = order;
    query_ = weights_fingerprint(*query.weights);
    prefix_bits_ = query.prefix_bits;
    target_ = query.target;
    draw_ = query.even_out ? draw(query_) : 0;
    reached_ = false;
    ranges_ = ranges;
    range_capacity_ = range_count;
    range_count_ = 0;
    last_stream_ = -1;
    covered_ = true;
    set_volatility(*query.model, *query.weights, query.radius, &volatility_);
    choose_tables(*order);
    coverage_.begin(&volatility_, prefix_, tables_);
    std::size_t share = node_count / static_cast<std::size_t>(tables_);
    for (int i = 0; i < tables_; i++) {
        Stream &stream = stream_[i];
        stream.center = order->key(stream.table, query_);
        order->sources(stream.table, stream.source);
        coverage_.set_flip_value(i, &stream.value);
        stream.vosh.begin(&stream.value, nodes + static_cast<std::size_t>(i) * share, share);
        advance(i);
    }
}

// The chance that nothing in the prefix flips, for near-duplicates within the radius, ranks the tables; the
// shares are of all within the radius, which is near enough.
void GuidedPlan::choose_tables(const KeyOrder &order)
{
    double stability[kMaxTables];
    std::uint64_t prefix[kMaxTables];
    for (int t = 0; t < order.design.tables; t++) {
        prefix[t] = prefix_of(order, t, prefix_bits_);
        stability[t] = 0;
        for (int level = 0; level < volatility_.levels; level++) {
            double none[1];
            count_flips(volatility_.p[level], prefix[t], 0, none);
            stability[t] += volatility_.share[level] * none[0];
        }
    }
    std::uint64_t taken = 0;
    tables_ = 0;
    while (tables_ < kCoveragePrefixes) {
        int best = -1;
        for (int t = 0; t < order.design.tables; t++) {
            bool used = false;
            for (int i = 0; i < tables_; i++)
                used = used || stream_[i].table == t;
            if (!used && std::popcount(prefix[t] & taken) <= kSharedBits &&
                (best < 0 || stability[t] > stability[best]))
                best = t;
        }
        if (best < 0)
            return;
        prefix_[tables_] = prefix[best];
        taken |= prefix[best];
        stream_[tables_++].table = best;
    }
}

// Finds the next cell of a stream that no leaf read so far holds.
void GuidedPlan::advance(int number)
{
    Stream &stream = stream_[number];
    do
        stream.alive = stream.vosh.next(&stream.flips, &stream.gain);
    while (stream.alive && counted(stream.table, order_->key(stream.table, query_ ^ stream.flips)));
    stream.fresh = false;
}

bool GuidedPlan::counted(int table, std::uint64_t key) const
{
    for (std::size_t i = 0; i < range_count_; i++)
        if (ranges_[i].table == table && key >= ranges_[i].first_counted && key <= ranges_[i].last_counted)
            return true;
    return false;
}

bool GuidedPlan::next(GuidedProbe *probe)
{
    if (reached_ || range_count_ == range_capacity_)
        return false;
    // The last probe's stream had to wait until it was known which of its cells the leaves held.
    if (last_stream_ >= 0)
        advance(last_stream_);
    last_stream_ = -1;
    covered_ = true;

    // A gain can only shrink as other tables are probed, so an outdated one is an upper bound: only the best
    // need be current.
    int best;
    for (;;) {
        best = -1;
        for (int i = 0; i < tables_; i++)
            if (stream_[i].alive && (best < 0 || stream_[i].gain > stream_[best].gain))
                best = i;
        if (best < 0)
            return false;
        if (stream_[best].fresh)
            break;
        stream_[best].gain = coverage_.gain(best, stream_[best].flips);
        stream_[best].fresh = true;
    }

    Stream &stream = stream_[best];
    if (range_count_ > 0 && coverage_.covered() + draw_ * stream.gain >= target_) {
        reached_ = true;
        return false;
    }
    std::uint64_t cell = leading_bits(prefix_bits_);
    std::uint64_t key = order_->key(stream.table, query_ ^ stream.flips);
    probe->table = stream.table;
    probe->flips = stream.flips;
    probe->key_flips = key ^ stream.center;
    probe->first_key = key & cell;
    probe->last_key = key | ~cell;
    probe->gain = coverage_.cover(best, stream.flips);
    probe->recall = coverage_.covered();
    ranges_[range_count_++] = {probe->first_key, probe->last_key, probe->first_key, probe->last_key,
                               stream.table};
    last_stream_ = best;
    covered_ = false;
    for (int i = 0; i < tables_; i++)
        stream_[i].fresh = false;
    return true;
}

void GuidedPlan::cover(std::uint64_t first_key, std::uint64_t last_key)
{
    GuidedRange &range = ranges_[range_count_ - 1];
    const Stream &stream = stream_[last_stream_];
    int shift = kBits - prefix_bits_;
    std::uint64_t probed = range.first_key >> shift;
    covered_ = true;
    range.first_key = std::min(first_key, range.first_key);
    range.last_key = std::max(last_key, range.last_key);

    // The whole cells that were read, by number.
    std::uint64_t below = ~leading_bits(prefix_bits_);
    std::uint64_t first = (range.first_key >> shift) + ((range.first_key & below) != 0);
    std::uint64_t last = (range.last_key >> shift) - ((range.last_key & below) != below);
    first = std::max(first, probed - std::min(probed, kCellsCounted));
    last = std::min(last, probed + std::min(kCellsCounted, (~std::uint64_t{0} >> shift) - probed));

    // Only cells with at most radius flips are worth anything, and next_key() steps from one to the next.
    KeyBall ball = {stream.center, prefix_bits_, volatility_.radius, volatility_.radius};
    std::uint64_t key = first << shift;
    while (next_key(ball, key, &key) && key >> shift <= last) {
        std::uint64_t cell = key >> shift << shift;
        if (cell >> shift != probed && !counted(stream.table, cell))
            coverage_.cover(last_stream_, bits_of(stream, (cell ^ stream.center) & ~below));
        key = cell | below;
        if (key >> shift == last)
            break;
        key++;
    }
    range.first_counted = first << shift;
    range.last_counted = last << shift | below;
}

// From bits of the key to bits of the fingerprint.
Fingerprint GuidedPlan::bits_of(const Stream &stream, std::uint64_t key_bits)
{
    Fingerprint bits = 0;
    for (std::uint64_t rest = key_bits; rest != 0; rest &= rest - 1)
        bits |= Fingerprint{1} << stream.source[std::countl_zero(rest & (~rest + 1))];
    return bits;
}

bool GuidedPlan::seen(Fingerprint fingerprint) const
{
    std::size_t covered = range_count_ - (covered_ ? 0 : 1);
    for (std::size_t i = 0; i < covered; i++) {
        std::uint64_t key = order_->key(ranges_[i].table, fingerprint);
        if (key >= ranges_[i].first_key && key <= ranges_[i].last_key)
            return true;
    }
    return false;
}

} // namespace simhash
