#pragma once

#include <optional>

#include "tb/reference/completion.h"
#include "tb/reference/order.h"
#include "tb/reference/outcome.h"

namespace fenceline::reference {

/// Everything that is known about a program: how far its lanes come, and in which order.
struct Analysis {
  const Program& program;
  const Possible& possible;
  const Signals& signals;
  const Order& order;
  const Certain& certain;

  Happens ends(Ref ref) const {
    if (certain.surely_refused(ref)) return Happens::kNever;
    if (certain.ends()[ref.lane] > ref.op && !certain.may_be_lost(ref)) return Happens::kAlways;
    return possible.ends[ref.lane] > ref.op ? Happens::kMaybe : Happens::kNever;
  }
  Happens begins(Ref ref) const;
};

/// The step that creates the fence never ends. Its name stands for an earlier fence, or for none.
bool is_never_made(const Analysis& analysis, Id id);

/// CurrentValue at the end; none for a fence that does not exist then.
///
/// It may be the value of every signal that no signal follows that always happens, or the initial
/// value if no signal always happens.
std::optional<Allowed> final_value(const Analysis& analysis, Id id);

}  // namespace fenceline::reference
