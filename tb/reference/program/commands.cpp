#include "tb/reference/program/commands.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "models/abi/mutant.h"
#include "tb/reference/program/call_rules.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// No command of the model takes more bytes of a ring, its log entry included. The true figure is
/// smaller, so a ring that is full here may have room: the safe side.
constexpr std::uint64_t kMaxBytesOfCommand = 128;

Op op_at(const std::string& pointer) {
  Op op;
  op.pointer = pointer;
  return op;
}

}  // namespace

Submission::Submission(Unrolling& unrolling, const Name& target, By by)
    : unrolling_(unrolling),
      by_(std::move(by)),
      queue_(unrolling.objects.queue(target)),
      lane_(open_lane()) {
  const std::vector<Op>& ops = unrolling_.program().lanes[lane_].ops;
  room_ = ops.empty() ? 0 : ops.back().room;
  next_buffer();
}

Id Submission::open_lane() {
  const auto key = std::make_pair(queue_, by_.name);
  const auto found = unrolling_.queue_lanes.find(key);
  if (found != unrolling_.queue_lanes.end()) return found->second;
  Lane lane;
  lane.kind = Lane::Kind::kQueue;
  lane.name = queue().name;
  lane.queue = queue_;
  lane.submitter = by_.name;
  lane.process = queue().process;
  const Id id = unrolling_.add_lane(std::move(lane));
  unrolling_.program().queues[queue_].lanes.push_back(id);
  unrolling_.queue_lanes[key] = id;
  return id;
}

/// Room of a context is counted in buffers.
void Submission::next_buffer() {
  if (is_context()) ++room_;
}

/// A buffer is complete when its last command is done: it may set events.
void Submission::end_buffer() {
  given_up_ = false;
  if (abi::mutant(abi::Mutant::kBufferSetsNothing) || !is_context() || !last_ ||
      !unrolling_.program().at(*last_).counted)
    return;
  for (const Id event : unrolling_.objects.set_by_buffers(*queue().node)) {
    Op op = op_at(by_.pointer);
    op.counted = false;
    op.signals.push_back({event, 1});
    put(std::move(op));
  }
}

/// The node has given up the buffer: assumption A-640.
void Submission::skip(Op& op) {
  op.faulty = true;
  op.counted = op.holds_node = false;
  for (const auto* points : {&op.waits, &op.signals})
    for (const Point& point : *points) op.names.push_back(point.handle);
  op.waits.clear();
  op.signals.clear();
  op.writes.clear();
}

void Submission::put(Op op) {
  if (!is_context()) room_ += kMaxBytesOfCommand;
  if (given_up_ && op.counted) skip(op);
  op.origin = by_.step;
  op.room = room_;
  last_ = unrolling_.add(lane_, std::move(op));
}

void Submission::add(const json& commands, const std::string& pointer, const Counters& counters) {
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::string& verb = commands[i].begin().key();
    const json& value = commands[i].begin().value();
    const std::string at = pointer + "/" + std::to_string(i);
    if (verb != "repeat") {
      add_one(verb, value, at, counters);
      continue;
    }
    Counters inner = counters;
    const std::uint64_t count = evaluate(value.at("count"), counters);
    for (std::uint64_t turn = abi::mutant(abi::Mutant::kFirstTurnMissing) ? 1 : 0; turn < count;
         ++turn) {
      if (value.contains("counter")) inner[value.at("counter")] = turn;
      add(value.at("commands"), at + "/repeat/commands", inner);
    }
  }
}

void Submission::add_one(const std::string& verb, const json& value, const std::string& pointer,
                         const Counters& counters) {
  if (verb == "wait")
    return add_wait(value.at("fence"), evaluate(value.at("value"), counters), pointer);
  if (verb == "signal")
    return add_signal(value.at("fence"), evaluate(value.at("value"), counters), pointer);
  if (verb == "bad_packet") return add_bad_packet(value, pointer);
  Op op = op_at(pointer);
  if (verb == "write") {
    op.writes.push_back({Write::Kind::kValue, use(value.at("allocation"), op),
                         bytes_of(value.at("offset")), 8, evaluate(value.at("value"), counters)});
  } else if (verb == "copy") {
    const Id source = use(value.at("source"), op);
    op.writes.push_back({Write::Kind::kCopy, use(value.at("destination"), op), 0,
                         abi::mutant(abi::Mutant::kCopiesWord) ? 8 : bytes_of(value.at("size")), 0,
                         source});
  } else if (verb == "dispatch" || verb == "draw") {
    return add_work(value, std::move(op));
  } else if (verb == "split") {
    op.counted =
        abi::mutant(abi::Mutant::kSplitIsPacket);  // a place in the list of patch locations
  }
  put(std::move(op));
}

/// A hardware queue skips it: assumption A-864. Without its size no next one is found, and user
/// mode does not report a BIND, so nothing is said of these two. A node gives up the buffer of a
/// context, and the device of the process is in error. Source: background/preemption.md, faults.
void Submission::add_bad_packet(const std::string& kind, const std::string& pointer) {
  Op op = op_at(pointer);
  op.faulty = is_context() && !abi::mutant(abi::Mutant::kBadPacketIsDone);
  op.counted = !op.faulty;
  put(std::move(op));
  given_up_ = is_context() && !abi::mutant(abi::Mutant::kBufferGoesOn);
  if (!is_context() && (kind == "size" || kind == "bind"))
    unrolling_.be_silent("", "a packet of a ring that is not reported");
  if (is_context() && !abi::mutant(abi::Mutant::kBadPacketLosesNothing))
    unrolling_.program().failures.push_back({*last_, queue().process, true});
}

void Submission::add_work(const json& value, Op op) {
  const std::uint64_t written = bytes_of(value.at("write"));
  if (value.contains("allocation")) {
    const Id target = use(value.at("allocation"), op);
    if (written != 0 && !abi::mutant(abi::Mutant::kWorkWritesNothing))
      op.writes.push_back({Write::Kind::kUnknown, target, 0, written});
  }
  put(std::move(op));
}

/// Notes a use of the allocation if it has to be resident for that.
Id Submission::use(const std::string& name, Op& op) {
  const Name key{by_.process, name};
  const Id allocation = unrolling_.objects.allocation(key);
  if (unrolling_.objects.managed(key) != nullptr) op.uses.push_back(allocation);
  return allocation;
}

/// A command needs the address of its fence, which only a fence that was there has.
void Submission::refuse_unknown(const std::string& fence, const std::string& pointer) {
  if (pointer != by_.pointer && !unrolling_.objects.was_closed({by_.process, fence}))
    unrolling_.be_silent("", "a command for a fence that is not there yet");
  refuse("STATUS_INVALID_HANDLE");
}

/// A context runs a wait for a native fence as a packet; the OS holds a wait for a monitored fence,
/// which ends the buffer.
void Submission::add_wait(const std::string& fence, std::uint64_t value, const std::string& pointer,
                          Doer doer) {
  const std::optional<Id> handle = unrolling_.objects.handle({by_.process, fence});
  if (!handle) return refuse_unknown(fence, pointer);
  Op op = op_at(pointer);
  op.waits.push_back({*handle, value});
  if (const std::string status = wait_status(unrolling_.program(), op.waits);
      status != "STATUS_SUCCESS")
    return refuse(status, *handle);
  const bool monitored = unrolling_.program().handles[*handle].monitored;
  const bool packet =
      doer == Doer::kNode && (!monitored || abi::mutant(abi::Mutant::kNodeWaitsForMonitored));
  op.counted = packet;
  op.holds_node = is_context() && packet;
  if (!packet) end_buffer();
  put(std::move(op));
  if (!packet) next_buffer();
}

void Submission::add_signal(const std::string& fence, std::uint64_t value,
                            const std::string& pointer, Doer doer) {
  const std::optional<Id> handle = unrolling_.objects.handle({by_.process, fence});
  if (!handle) return refuse_unknown(fence, pointer);
  Op op = op_at(pointer);
  op.signals.push_back({*handle, value});
  if (const std::string status = signal_status(unrolling_.program(), op.signals);
      status != "STATUS_SUCCESS")
    return refuse(status, *handle);
  const Handle& target = unrolling_.program().handles[*handle];
  const bool written = !target.monitored || (queue().writes_fences && target.gpu_access &&
                                             !abi::mutant(abi::Mutant::kEngineNeverWrites));
  op.counted = doer == Doer::kNode && written;
  const bool counted = op.counted;
  if (!counted) end_buffer();
  put(std::move(op));
  if (!counted) next_buffer();
}

/// Of several mistakes the documents do not say which one the call returns.
std::vector<std::string> Submission::statuses() const {
  if (mistakes_.empty()) return {"STATUS_SUCCESS"};
  if (abi::mutant(abi::Mutant::kOneMistake)) return {*mistakes_.begin()};
  return {mistakes_.begin(), mistakes_.end()};
}

void Submission::end() {
  end_buffer();
  if (!queue().progress) return;
  Queue& target = unrolling_.program().queues[queue_];
  Program& program = unrolling_.program();
  if (target.lanes.size() > 1 && !abi::mutant(abi::Mutant::kProgressInFixedOrder))
    program.fence_of({*target.progress, 0}).counts = true;
  Op op = op_at(by_.pointer);
  op.signals.push_back({*target.progress, ++target.submissions});
  put(std::move(op));
}

}  // namespace fenceline::reference
