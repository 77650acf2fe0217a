// The strategy numbers of the operator class.
#pragma once

#include "pg/server/compat.hpp"

extern "C" {
#include "access/stratnum.h"
}

namespace simhash
{

enum Strategy : StrategyNumber {
    kInBall = 1,    // simhash <@| simhash_ball
    kNearDuplicate, // simhash ~= simhash
    kEqual,         // simhash = simhash
    kDistanceOrder, // ORDER BY simhash <@> simhash
    kInGuidedBall,  // simhash <@| simhash_weights_ball
    kWeightsOrder,  // ORDER BY simhash <@> simhash_weights
    kStrategies = kWeightsOrder
};

} // namespace simhash
