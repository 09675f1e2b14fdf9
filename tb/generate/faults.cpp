#include "tb/generate/faults.h"

namespace fenceline::generate {

namespace {

using common::kNanosecond;
using scenario::Fault;
using scenario::FaultKind;

constexpr std::uint64_t kMaxFaults = 3;

void draw_trigger(Draw& draw, Fault& fault) {
  switch (draw.below(3)) {
    case 0:
      fault.nth = draw.between(1, 12);
      break;
    case 1:
      fault.every = draw.between(1, 5);
      break;
    default:
      fault.at = draw.between(0, 500) * 100 * kNanosecond;
  }
}

Fault drawn_fault(Draw& draw, const std::string& adapter) {
  static const std::vector<FaultKind> kHarmless{FaultKind::kMessageTwice, FaultKind::kMessageLate,
                                                FaultKind::kLinkReplay};
  Fault fault;
  fault.kind = draw.one_of(kHarmless);
  fault.adapter = adapter;
  if (fault.kind != FaultKind::kMessageTwice) fault.delay = draw.between(1, 200) * 50 * kNanosecond;
  if (fault.kind == FaultKind::kLinkReplay)
    fault.way = scenario::kFaultWays[draw.below(scenario::kFaultWays.size())].value;
  draw_trigger(draw, fault);
  return fault;
}

}  // namespace

void draw_faults(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario) {
  if (!draw.occurs(constraints.features.faults)) return;
  const std::uint64_t count = draw.between(1, kMaxFaults);
  for (std::uint64_t i = 0; i < count; ++i)
    scenario.faults.push_back(drawn_fault(draw, draw.one_of(scenario.platform.gpus).name));
}

}  // namespace fenceline::generate
