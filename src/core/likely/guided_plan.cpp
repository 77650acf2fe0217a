#include "core/likely/guided_plan.hpp"

#include <algorithm>
#include <bit>

namespace simhash
{

namespace
{

// The most prefixes on each side of a probe's that count as covered: with skewed keys, a leaf can span all
// prefixes.
constexpr std::uint64_t kPrefixesCounted = 32;

// A number from 0 to below 1 that looks random; the multipliers are those of MurmurHash3's finalizer.
double draw(Fingerprint fingerprint)
{
    std::uint64_t x = fingerprint;
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53;
    return static_cast<double>((x ^ x >> 33) >> 11) * 0x1p-53;
}

// Of the 16 prefixes from first_prefix on, those numbered first … last, a bit for each.
unsigned prefixes_from_to(std::uint64_t first_prefix, std::uint64_t first, std::uint64_t last)
{
    constexpr std::uint64_t kMost = 15;
    if (last < first_prefix || first > first_prefix + kMost || first > last)
        return 0;
    std::uint64_t from = first > first_prefix ? first - first_prefix : 0;
    std::uint64_t to = std::min(last - first_prefix, kMost);
    return ((2u << to) - 1) & ~((1u << from) - 1);
}

// From a bit for each n to a bit for each n ^ flips, n = 0 to 15.
unsigned flip_numbers(unsigned numbers, unsigned flips)
{
    constexpr unsigned kEven[kCoveredTogether] = {0x5555, 0x3333, 0x0F0F, 0x00FF};
    for (int i = 0; i < kCoveredTogether; i++)
        if ((flips >> i & 1) != 0)
            numbers = (numbers & kEven[i]) << (1 << i) | (numbers >> (1 << i) & kEven[i]);
    return numbers;
}

} // namespace

void GuidedPlan::set_trees(const KeyOrder *order, int prefix_bits)
{
    order_ = order;
    prefix_bits_ = prefix_bits;
    last_bits_ = std::min(kCoveredTogether, prefix_bits);
    for (int t = 0; t < order->design.trees; t++) {
        prefix_of_[t] = order->fingerprint(t, leading_bits(prefix_bits));
        for (int i = 0; i < last_bits_; i++)
            last_bit_[t][i] = static_cast<std::uint8_t>(
                std::countr_zero(order->fingerprint(t, std::uint64_t{1} << (kBits - prefix_bits + i))));
    }
}

void GuidedPlan::begin(const GuidedQuery &query, VoshNode *nodes, std::size_t node_count, GuidedRange *ranges,
                       std::size_t range_count)
{
    query_ = weights_fingerprint(*query.weights);
    target_ = query.target;
    draw_ = query.even_out ? draw(query_) : 0;
    reached_ = false;
    ranges_ = ranges;
    range_capacity_ = range_count;
    range_count_ = 0;
    last_stream_ = -1;
    covered_ = 0;
    set_volatility(*query.model, *query.weights, query.radius, &volatility_);
    choose_trees();
    coverage_.begin(&volatility_, prefix_, trees_);
    nodes_ = nodes;
    nodes_each_ = node_count / static_cast<std::size_t>(trees_);
    for (int i = 0; i < trees_; i++) {
        Stream &stream = stream_[i];
        stream.opened = false;
        stream.flips = 0;
        stream.as_of = 0;
        coverage_.set_flip_weight(i, &stream.value);
        stream.gain = sum_of(stream.value.weight[0]);
    }
}

// Trees are ranked by the chance that nothing in the prefix flips. It is taken over all near-duplicates,
// which is close enough to the chance over those within the radius.
void GuidedPlan::choose_trees()
{
    double stability[kMaxTrees];
    for (int t = 0; t < order_->design.trees; t++)
        stability[t] = sum_of(volatility_.share / inverse_of_no_flip(volatility_.odds, prefix_of_[t]));
    std::uint64_t taken = 0, used = 0;
    for (trees_ = 0; trees_ < kCoveragePrefixes; trees_++) {
        int best = -1;
        for (int t = 0; t < order_->design.trees; t++)
            if ((used >> t & 1) == 0 && (best < 0 || stability[t] > stability[best]) &&
                std::popcount(prefix_of_[t] & taken) <= kSharedBits)
                best = t;
        if (best < 0)
            return;
        prefix_[trees_] = prefix_of_[best];
        taken |= prefix_[trees_];
        used |= std::uint64_t{1} << best;
        stream_[trees_].tree = best;
    }
}

// Finds the next prefix of a stream that no leaf read so far holds.
void GuidedPlan::advance(int number)
{
    Stream &stream = stream_[number];
    if (!stream.opened) {
        // Its first prefix, of no flips, is done.
        coverage_.set_flip_order(number, &stream.value);
        stream.vosh.begin(&stream.value, nodes_ + static_cast<std::size_t>(number) * nodes_each_,
                          nodes_each_);
        stream.opened = true;
    }
    do {
        if (!stream.vosh.next(&stream.flips, &stream.gain)) {
            stream.gain = -1;
            return;
        }
    } while (stream.flips == 0 || counted(number, order_->key(stream.tree, query_ ^ stream.flips)));
}

bool GuidedPlan::counted(int stream, std::uint64_t key) const
{
    for (std::size_t i = 0; i < range_count_; i++)
        if (ranges_[i].stream == stream && key >= ranges_[i].first_counted && key <= ranges_[i].last_counted)
            return true;
    return false;
}

// The stream whose next prefix gains the most, -1 if none has one. A gain can only shrink as other trees are probed: only
// the best one has to be current.
int GuidedPlan::best_stream()
{
    for (;;) {
        int best = -1;
        double most = -1;
        for (int i = 0; i < trees_; i++) {
            if (stream_[i].gain > most) {
                best = i;
                most = stream_[i].gain;
            }
        }
        if (best < 0 || stream_[best].as_of == range_count_)
            return best;
        stream_[best].gain = coverage_.gain(best, stream_[best].flips);
        stream_[best].as_of = range_count_;
    }
}

bool GuidedPlan::next(GuidedProbe *probe)
{
    if (reached_ || range_count_ == range_capacity_)
        return false;
    // The stream of the last probe can advance now that the prefixes held by the leaves are known.
    if (last_stream_ >= 0)
        advance(last_stream_);
    last_stream_ = -1;
    covered_ = range_count_;

    const int best = best_stream();
    if (best < 0)
        return false;
    Stream &stream = stream_[best];
    if (range_count_ > 0 && coverage_.covered() + draw_ * stream.gain >= target_) {
        reached_ = true;
        return false;
    }
    std::uint64_t prefix = leading_bits(prefix_bits_);
    probe->tree = stream.tree;
    probe->flips = stream.flips;
    std::uint64_t key = order_->key(stream.tree, query_ ^ stream.flips);
    if (stream.flips == 0) // the stream's first
        stream.query_key = key;
    probe->first_key = key & prefix;
    probe->last_key = key | ~prefix;
    probe->gain = coverage_.cover(best, stream.flips);
    probe->recall = coverage_.covered();
    ranges_[range_count_++] = {probe->first_key, probe->last_key, probe->first_key, probe->last_key, best};
    last_stream_ = best;
    return true;
}

void GuidedPlan::cover(std::uint64_t first_key, std::uint64_t last_key)
{
    GuidedRange &range = ranges_[range_count_ - 1];
    const Stream &stream = stream_[last_stream_];
    int shift = kBits - prefix_bits_;
    std::uint64_t probed = range.first_key >> shift;
    covered_ = range_count_;
    range.first_key = std::min(first_key, range.first_key);
    range.last_key = std::max(last_key, range.last_key);

    // The whole prefixes that were read, by number.
    std::uint64_t below = ~leading_bits(prefix_bits_);
    std::uint64_t first = (range.first_key >> shift) + ((range.first_key & below) != 0);
    std::uint64_t last = (range.last_key >> shift) - ((range.last_key & below) != below);
    first = std::max(first, probed - std::min(probed, kPrefixesCounted));
    last = std::min(last, probed + std::min(kPrefixesCounted, (~std::uint64_t{0} >> shift) - probed));

    // Prefixes that differ in their last bits only are covered together.
    std::uint64_t center = stream.query_key >> shift;
    for (std::uint64_t group = first >> last_bits_; group <= last >> last_bits_; group++) {
        std::uint64_t flips = (group ^ center >> last_bits_) << last_bits_;
        unsigned prefixes = uncounted(last_stream_, group << last_bits_, first, last);
        if (prefixes != 0 && std::popcount(flips) <= volatility_.radius)
            coverage_.cover(last_stream_, order_->fingerprint(stream.tree, flips << shift),
                            last_bit_[stream.tree], last_bits_,
                            flip_numbers(prefixes, static_cast<unsigned>(center)));
    }
    range.first_counted = first << shift;
    range.last_counted = last << shift | below;
}

// Which of the prefixes with the numbers first_prefix … first_prefix + 15 lie in first … last, and were not counted.
unsigned GuidedPlan::uncounted(int stream, std::uint64_t first_prefix, std::uint64_t first,
                               std::uint64_t last) const
{
    unsigned prefixes = prefixes_from_to(first_prefix, first, last);
    int shift = kBits - prefix_bits_;
    for (std::size_t i = 0; i < range_count_; i++)
        if (ranges_[i].stream == stream)
            prefixes &= ~prefixes_from_to(first_prefix, ranges_[i].first_counted >> shift,
                                          ranges_[i].last_counted >> shift);
    return prefixes;
}

bool GuidedPlan::seen(Fingerprint fingerprint, std::size_t probes) const
{
    std::uint64_t key[kCoveragePrefixes];
    unsigned known = 0;
    for (std::size_t i = 0; i < probes; i++) {
        int stream = ranges_[i].stream;
        if ((known >> stream & 1) == 0) {
            key[stream] = order_->key(stream_[stream].tree, fingerprint);
            known |= 1u << stream;
        }
        if (key[stream] >= ranges_[i].first_key && key[stream] <= ranges_[i].last_key)
            return true;
    }
    return false;
}

} // namespace simhash
