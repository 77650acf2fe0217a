#include "core/likely/probe_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simhash
{

namespace
{

// The leaves of a tree in the order of their probability: those of a shell have the same.
class Shells
{
public:
    Shells(double leaves, double f)
        : depth_(static_cast<int>(std::lround(std::log2(std::max(1.0, leaves))))), ratio_(f / (1 - f)),
          each_(std::pow(1 - f, depth_))
    {
    }

    // The probability that a row is in the first `leaves` leaves.
    double holding(double leaves)
    {
        double sum = 0;
        for (; more(); next()) {
            double some = std::min(leaves, count_);
            sum += some * each_;
            leaves -= some;
        }
        return sum;
    }

    // The number of leaves that hold a row with this probability.
    double leaves_for(double probability)
    {
        double sum = 0;
        for (; more(); next()) {
            if (count_ * each_ >= probability)
                return sum + probability / each_;
            sum += count_;
            probability -= count_ * each_;
        }
        return std::numeric_limits<double>::infinity();
    }

private:
    bool more() const { return errors_ <= depth_; }
    void next()
    {
        count_ *= (depth_ - errors_) / (errors_ + 1.0);
        each_ *= ratio_;
        errors_++;
    }

    int depth_, errors_ = 0;
    double ratio_, each_, count_ = 1;
};

// Of each tree, so that all of them together reach `recall`.
double share_of_tree(double recall, int trees) { return 1 - std::pow(1 - recall, 1.0 / trees); }

} // namespace

double forecast_leaves(const ProbeProgress &progress)
{
    double f = std::clamp(progress.f, 1e-3, 0.5);
    double held = Shells(progress.leaves, f).holding(progress.read / progress.trees);
    double factor = share_of_tree(progress.found, progress.trees) / std::max(held, 1e-300);
    double needed = share_of_tree(progress.target, progress.trees) / std::max(factor, 1e-300);
    return std::max(0.0, Shells(progress.leaves, f).leaves_for(needed) * progress.trees - progress.read);
}

} // namespace simhash
