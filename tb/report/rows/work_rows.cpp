#include "tb/report/rows/work_rows.h"

#include "models/common/event_handlers.h"
#include "tb/report/record/at_or_grow.h"

namespace fenceline::report {

using common::At;

namespace {

StopLevel stop_level(abi::GraphicsGranularity granularity) {
  switch (granularity) {
    case abi::GraphicsGranularity::kPrimitive:
      return StopLevel::kPrimitive;
    case abi::GraphicsGranularity::kTriangle:
      return StopLevel::kTriangle;
    case abi::GraphicsGranularity::kPixel:
      return StopLevel::kPixel;
    case abi::GraphicsGranularity::kShader:
      return StopLevel::kShader;
    default:
      return StopLevel::kOther;
  }
}

StopLevel stop_level(abi::ComputeGranularity granularity) {
  switch (granularity) {
    case abi::ComputeGranularity::kThreadGroup:
      return StopLevel::kThreadGroup;
    case abi::ComputeGranularity::kThread:
      return StopLevel::kThread;
    case abi::ComputeGranularity::kShader:
      return StopLevel::kShader;
    default:
      return StopLevel::kOther;
  }
}

}  // namespace

void WorkRows::take(const common::Event& event) { common::Handlers<WorkRows>::hand(*this, event); }

// --- packets

void WorkRows::on(const At<event::PacketBegin>& event) {
  auto& open = at_or_grow(packets_, event.queue);
  for (const std::size_t slice : open) draft_.end(slice, event.time);
  open = {draft_.begin(SliceKind::kPacket, event.time, {Lane::kQueue, event.queue, event.opcode})};
  if (event.engine == 0) return;
  const auto running = running_.find(event.engine);
  const std::uint32_t owner =
      running == running_.end() ? event.queue.number : running->second.buffer.context;
  const std::uint32_t process = at_or_grow(processes_, owner);
  open.push_back(draft_.begin(SliceKind::kPacket, event.time,
                              {Lane::kEngine, event.engine, event.opcode, 0, owner, process}));
  last_[event.engine] = {open, false};
}

void WorkRows::on(const At<event::PacketEnd>& event) {
  auto& open = at_or_grow(packets_, event.queue);
  for (const std::size_t slice : open) draft_.end(slice, event.time);
  open.clear();
}

void WorkRows::on(const At<event::CommandDone>& event) {
  last_[given_.engine(static_cast<std::uint32_t>(event.adapter), event.engine)].done = true;
}

void WorkRows::on(const At<event::Doorbell>& event) {
  draft_.mark(InstantKind::kDoorbell, event.time, {Lane::kQueue, event.queue, event.write_pointer});
}

void WorkRows::on(const At<event::QueueState>& event) {
  draft_.end(suspended_, event.queue, event.time);
  if (event.state != event::QueueStateKind::kSuspended) return;
  suspended_[event.queue] =
      draft_.begin(SliceKind::kSuspended, event.time, {Lane::kQueue, event.queue});
}

// --- buffers of contexts

void WorkRows::on(const At<event::ContextPacket>& event) {
  at_or_grow(processes_, event.context) = static_cast<std::uint32_t>(event.process);
}

void WorkRows::on(const At<event::ContextGiven>& event) { given_.take(event); }

void WorkRows::on(const At<event::BufferBegin>& event) {
  const std::uint32_t engine = given_.engine(event.adapter, event.engine);
  end_buffer(engine, event.time);
  const GivenBuffers::Buffer* buffer = given_.find(engine, event.submission);
  if (buffer == nullptr) return;
  Running& running = running_[engine];
  running.buffer = *buffer;
  last_.erase(engine);
  running.on_context =
      draft_.begin(SliceKind::kBuffer, event.time, {Lane::kQueue, buffer->context, buffer->number});
  running.on_engine = draft_.begin(SliceKind::kBuffer, event.time,
                                   {Lane::kEngine, engine, buffer->number, 0, buffer->context,
                                    at_or_grow(processes_, buffer->context)});
}

void WorkRows::end_buffer(std::uint32_t engine, std::uint64_t time) {
  const auto running = running_.find(engine);
  if (running == running_.end()) return;
  draft_.end(running->second.on_context, time);
  draft_.end(running->second.on_engine, time);
  running_.erase(running);
}

void WorkRows::on(const At<event::BufferEnd>& event) {
  end_buffer(given_.engine(event.adapter, event.engine), event.time);
}

void WorkRows::on(const At<event::BufferStopped>& event) {
  const std::uint32_t engine = given_.engine(event.adapter, event.engine);
  const auto running = running_.find(engine);
  Stopped& stopped = stopped_[engine] = stopped_work(engine, event.adapter);
  if (running != running_.end()) {
    const GivenBuffers::Buffer& buffer = running->second.buffer;
    stopped.slices.push_back(running->second.on_context);
    stopped.slices.push_back(running->second.on_engine);
    draft_.mark(InstantKind::kStopped, event.time, {Lane::kEngine, engine, buffer.number});
    draft_.mark(InstantKind::kStopped, event.time, {Lane::kQueue, buffer.context, buffer.number});
  }
  end_buffer(engine, event.time);
}

/// A packet that was stopped has ended on the engine, but its command is not done.
WorkRows::Stopped WorkRows::stopped_work(std::uint32_t engine, std::uint64_t adapter) {
  const Packet& last = last_[engine];
  if (last.done || last.slices.empty()) return {StopLevel::kPackets, {}};
  const auto opcode = static_cast<abi::Opcode>(draft_.timeline.slices[last.slices[0]].detail);
  const StopLevel level = level_of(opcode, adapter);
  if (level == StopLevel::kPackets) return {level, {}};
  return {level, last.slices};
}

StopLevel WorkRows::level_of(abi::Opcode opcode, std::uint64_t adapter) const {
  const bool draw = opcode == abi::Opcode::kDraw;
  if (!draw && opcode != abi::Opcode::kDispatch)
    return opcode == abi::Opcode::kCopy ? StopLevel::kOther : StopLevel::kPackets;
  if (scenario_ == nullptr) return StopLevel::kOther;
  const std::string_view name = names_.object(common::ObjectKind::kAdapter, adapter);
  for (const top::GpuConfig& gpu : scenario_->platform.gpus) {
    if (gpu.name != name) continue;
    const abi::Granularity& granularity = gpu.preemption.granularity;
    return draw ? stop_level(granularity.graphics) : stop_level(granularity.compute);
  }
  return StopLevel::kOther;
}

void WorkRows::on(const At<event::BufferFaulted>& event) {
  const std::uint32_t engine = given_.engine(event.adapter, event.engine);
  end_buffer(engine, event.time);
}

void WorkRows::on(const At<event::ContextSaved>& event) {
  draft_.mark(InstantKind::kSaved, event.time,
              {Lane::kEngine, given_.engine(event.adapter, event.engine), event.bytes});
}

void WorkRows::on(const At<event::ContextRestored>& event) {
  draft_.mark(InstantKind::kRestored, event.time,
              {Lane::kEngine, given_.engine(event.adapter, event.engine), event.bytes});
}

// --- preemption and recovery

void WorkRows::on(const At<event::PreemptCall>& event) {
  const std::uint32_t engine = given_.engine(event.adapter, event.engine);
  preemptions_[pair_key(engine, event.preemption)] =
      draft_.begin(SliceKind::kPreemption, event.time, {Lane::kEngine, engine, event.preemption});
}

void WorkRows::on(const At<event::Preempted>& event) {
  const std::uint32_t engine = given_.engine(event.adapter, event.engine);
  const std::uint64_t key = pair_key(engine, event.preemption);
  const Stopped stopped = std::exchange(stopped_[engine], {});
  const auto preemption = preemptions_.find(key);
  if (preemption == preemptions_.end()) return;
  draft_.timeline.slices[preemption->second].stop = stopped.level;
  for (const std::size_t slice : stopped.slices) draft_.timeline.slices[slice].stop = stopped.level;
  draft_.end(preemptions_, key, event.time);
}

void WorkRows::on(const At<event::EngineFault>& event) {
  const std::uint32_t engine = given_.engine(event.adapter, event.engine + 1);
  draft_.mark(InstantKind::kHang, event.time, {Lane::kEngine, engine});
}

void WorkRows::on(const At<event::PacketFault>& event) {
  const std::uint32_t engine = given_.engine(event.adapter, event.engine + 1);
  draft_.mark(InstantKind::kPacketFault, event.time, {Lane::kEngine, engine});
}

void WorkRows::reset(std::uint32_t engine, std::uint64_t time) {
  draft_.mark(InstantKind::kReset, time, {Lane::kEngine, engine});
  forget_preemptions(engine, time);
}

/// A reset also ends the preemptions that the engine did not acknowledge.
void WorkRows::forget_preemptions(std::uint32_t engine, std::uint64_t time) {
  stopped_.erase(engine);
  const auto first = preemptions_.lower_bound(pair_key(engine, 0));
  const auto last = preemptions_.lower_bound(pair_key(engine + 1, 0));
  for (auto it = first; it != last; ++it) draft_.end(it->second, time);
  preemptions_.erase(first, last);
}

void WorkRows::on(const At<event::HwEngineReset>& event) {
  if (event.reset) forget_preemptions(given_.engine(event.adapter, event.engine), event.time);
}

void WorkRows::on(const At<event::Recovery>& event) {
  using event::RecoveryStage;
  if (event.stage == RecoveryStage::kEngineReset)
    reset(given_.engine(event.adapter, event.engine), event.time);
  if (event.stage != RecoveryStage::kAdapterReset) return;
  std::uint64_t node = 1;
  while (const std::uint32_t engine = given_.engine(event.adapter, node)) {
    reset(engine, event.time);
    ++node;
  }
}

}  // namespace fenceline::report
