// The strategy numbers of the operator classes. No class has all of them.
#pragma once

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
    kStrategies = kEqualSmallint
};

} // namespace simhash
