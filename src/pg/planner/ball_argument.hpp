// What the planner knows of the ball that an index is searched for.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace simhash
{

struct PlannedBall {
    int radius;    // -1 to the number of bits
    bool exact;    // otherwise the index may miss rows
    double recall; // with which it finds them
};

// Reads a ball of values of this many bits: a constant, or a call of a function that makes it. What is not known is
// assumed. A null argument stands for any element of an array. `type` is one of the extension's types of balls, which the
// operator requires: a constant of another type is not read.
PlannedBall planned_ball(Node *argument, Oid type, int bits);

} // namespace simhash
