// The strategy numbers of the operator classes. No class has all of them.
#pragma once

#include "core/text/text_features.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "access/stratnum.h"
}

namespace simhash
{

enum Strategy : StrategyNumber {
    kInBall = 1,    // simhash <@| simhash_ball, bit <@| signature_ball
    kNearDuplicate, // simhash ~= simhash
    kEqual,         // simhash = simhash, bit = bit
    kDistanceOrder, // ORDER BY simhash <@> simhash, bit <@> bit
    kWeightsOrder,  // ORDER BY simhash <@> simhash_weights, bit <@> signature_ball
    kEqualInteger,  // bigint = integer
    kEqualSmallint, // bigint = smallint
    kBallsMeet,     // simhash_ball ~= simhash_ball, signature_ball ~= signature_ball
    kEqualBigint,   // integer = bigint
    kNearText,      // text ~= text
    kInTextBall,    // text <@| text_ball, of an index by words
    kInTitleBall,   // the same of an index by characters
    kTextBallsMeet, // text_ball ~= text_ball
    kStrategies = kTextBallsMeet
};

inline bool is_equality(int strategy)
{
    return strategy == kEqual || strategy == kEqualInteger || strategy == kEqualSmallint ||
           strategy == kEqualBigint;
}

// That of text <@| text_ball in the class that the unit of the ball needs.
inline Strategy text_ball_strategy(TextUnit unit)
{
    return unit == TextUnit::kWord ? kInTextBall : kInTitleBall;
}

// Whether the index finds more rows than satisfy the operator, so that each is checked again.
inline bool is_rechecked(int strategy)
{
    return strategy == kBallsMeet || (strategy >= kNearText && strategy <= kTextBallsMeet);
}

} // namespace simhash
