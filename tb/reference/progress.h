#pragma once

#include "tb/reference/completion.h"

namespace fenceline::reference {

/// Gives the signals of progress fences their values, if the submissions of all threads to the
/// queue are known to be in one order. False: there is no such fence, or none is left.
bool settle_progress(Program& program, const Order& order, const Extent& may_end);

}  // namespace fenceline::reference
