// Presents: flips of images that a context has drawn.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "models/abi/mutant.h"
#include "tb/reference/program/steps.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// The OS still holds a wait behind which no buffer has come: the flip does not wait for it, and
/// what comes later in the context does. Source: A-475.
bool ends_with_wait(const std::vector<Op>& ops) {
  for (auto op = ops.rbegin(); op != ops.rend() && !op->counted; ++op)
    if (!op->waits.empty()) return true;
  return false;
}

/// An event that is set when the commands so far of one submitter are done; none: it has none.
std::optional<Id> after_commands(Unrolling& unrolling, Id queue, const std::string& submitter,
                                 const Name& event, const std::string& pointer) {
  const auto lane = unrolling.queue_lanes.find({queue, submitter});
  if (lane == unrolling.queue_lanes.end()) return std::nullopt;
  const std::vector<Op>& ops = unrolling.program().lanes[lane->second].ops;
  if (ops.empty()) return std::nullopt;
  if (ends_with_wait(ops))
    unrolling.be_silent("", "a present behind a wait that no buffer follows");
  Op op;
  op.pointer = pointer;
  op.counted = false;
  op.origin = ops.back().origin;
  op.room = ops.back().room;
  const Id set = unrolling.objects.event(event);
  op.signals.push_back({set, 1});
  unrolling.add(lane->second, std::move(op));
  return set;
}

}  // namespace

/// Flips come in order, each when the work is complete that its context had before. The step waits
/// for the last flip of which no more than `queued` later ones are left. Source: A-475.
void ThreadSteps::add_present(const json& value, Op op) {
  const std::string adapter = unrolling_.objects.adapter_of(process_).at("name");
  if (unrolling_.presenters.emplace(adapter, thread_).first->second != thread_)
    unrolling_.be_silent("", "several threads present on one display");
  const Id context = unrolling_.objects.queue({process_, value.at("context")});
  const Name event{process_, "flip " + std::to_string(flips_.size()) + " of " + thread_};
  flips_.push_back(after_commands(unrolling_, context, thread_, event, op.pointer));
  const auto queued =
      value.at("queued").get<std::size_t>() + (abi::mutant(abi::Mutant::kPresentsEarly) ? 1 : 0);
  if (queued < flips_.size())
    if (const std::optional<Id>& drawn = flips_[flips_.size() - 1 - queued])
      op.waits.push_back({*drawn, 1});
  op.statuses = {"STATUS_SUCCESS"};
  put(std::move(op));
}

}  // namespace fenceline::reference
