// A number for each degree of similarity, or level, computed side by side.
//
// They are vectors of two doubles, which compilers translate to whatever the processor has. Each lane is IEEE
// arithmetic, so results are the same everywhere.
#pragma once

namespace simhash
{

inline constexpr int kLevelPairs = 3;
inline constexpr int kLevelLanes = 2 * kLevelPairs;

// Aligned as a double only, because memory from callers is.
typedef double LevelPair __attribute__((vector_size(16), aligned(8)));

inline LevelPair pair_of(double number) { return LevelPair{number, number}; }

struct Levels {
    LevelPair pair[kLevelPairs];

    double operator[](int level) const { return pair[level / 2][level % 2]; }
    void set(int level, double number) { pair[level / 2][level % 2] = number; }
};

inline Levels levels_of(double number)
{
    Levels levels;
    for (int i = 0; i < kLevelPairs; i++) // not by reference, which would assume aligned pairs
        levels.pair[i] = pair_of(number);
    return levels;
}

inline Levels operator+(const Levels &a, const Levels &b)
{
    Levels levels;
    for (int i = 0; i < kLevelPairs; i++)
        levels.pair[i] = a.pair[i] + b.pair[i];
    return levels;
}

inline Levels operator-(const Levels &a, const Levels &b)
{
    Levels levels;
    for (int i = 0; i < kLevelPairs; i++)
        levels.pair[i] = a.pair[i] - b.pair[i];
    return levels;
}

inline Levels operator*(const Levels &a, const Levels &b)
{
    Levels levels;
    for (int i = 0; i < kLevelPairs; i++)
        levels.pair[i] = a.pair[i] * b.pair[i];
    return levels;
}

inline Levels operator/(const Levels &a, const Levels &b)
{
    Levels levels;
    for (int i = 0; i < kLevelPairs; i++)
        levels.pair[i] = a.pair[i] / b.pair[i];
    return levels;
}

// In this order on every processor.
inline double sum_of(const Levels &levels)
{
    LevelPair sum = levels.pair[0];
    for (int i = 1; i < kLevelPairs; i++)
        sum += levels.pair[i];
    return sum[0] + sum[1];
}

} // namespace simhash
