// The volume of a Hamming ball.
#pragma once

namespace simhash
{

// Returns the fraction of all bit strings of length `bits` that are within `radius` of a given one: from 0, also
// where it is too small for a double, to 1.
double ball_volume(int bits, int radius);

// Returns the least radius whose ball has at least this fraction of the bit strings, at most `bits`.
int ball_radius(int bits, double fraction);

} // namespace simhash
