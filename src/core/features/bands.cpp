#include "core/features/bands.hpp"

#include <cmath>

namespace simhash
{

double band_probability(double similarity, int bands, int rows)
{
    return -std::expm1(bands * std::log1p(-std::pow(similarity, rows)));
}

int band_rows(double similarity, int size, double recall)
{
    auto suffices = [=](int rows) { return band_probability(similarity, size / rows, rows) >= recall; };
    if (!suffices(1))
        return 0;
    int most = 1, too_many = size;
    if (suffices(size))
        return size;
    while (too_many - most > 1) {
        int rows = most + (too_many - most) / 2;
        (suffices(rows) ? most : too_many) = rows;
    }
    return most;
}

} // namespace simhash
