#include "tb/run/threads/thread_program.h"

#include "tb/run/threads/thread_killed.h"

namespace fenceline::run {

using common::Operation;
using event::ThreadStateKind;

namespace {
template <typename... Bodies>
struct Overloaded : Bodies... {
  using Bodies::operator()...;
};
template <typename... Bodies>
Overloaded(Bodies...) -> Overloaded<Bodies...>;
}  // namespace

ThreadProgram::ThreadProgram(ScenarioMachine& machine, ScenarioMachine::Thread& thread)
    : machine_(machine),
      thread_(thread),
      state_(machine.objects.process(thread.program->process)),
      kernel_(machine.kernel()),
      at_(&thread.program->at.pointer) {
  if (!thread.program->counter.empty()) counters_[thread.program->counter] = thread.index;
}

void ThreadProgram::run() {
  try {
    if (thread_.program->queue) {
      user::QueueWriter& target = queue(*thread_.program->queue);
      user::Submission submission(target);
      write_commands(target, thread_.program->commands);
      submission.submit();
    } else {
      run_steps(thread_.program->steps);
    }
  } catch (const ThreadKilled&) {
  }
}

void ThreadProgram::run_steps(const scenario::Steps& steps) {
  for (const scenario::Step& step : steps) run_step(step);
}

void ThreadProgram::run_step(const scenario::Step& step) {
  // Between steps a thread knows where it is and nothing else.
  common::Hasher place;
  place.add(step_index_);
  for (const auto& [name, value] : counters_) place.add(value);
  machine_.simulation().steps.forget_at(place.value());
  machine_.simulation().steps.beat();
  kernel_.cpu().step(Operation::kBegin, {});
  machine_.objects.names().read();
  thread_.step = &step;
  at_ = &step.at.pointer;
  common::EventStream& events = machine_.simulation().events;
  events.emit(thread_.agent, event::ThreadStep{thread_.object, step_index_++});
  std::visit([this](const auto& what) { perform(what); }, step.what);
  events.emit(thread_.agent, event::ThreadStepEnd{thread_.object});
}

void ThreadProgram::set_state(ThreadStateKind state) {
  machine_.simulation().events.emit(thread_.agent, event::ThreadState{thread_.object, state});
}

ThreadProgram::Points ThreadProgram::points(const std::vector<scenario::FencePoint>& points) {
  Points result;
  for (const scenario::FencePoint& point : points) {
    result.handles.push_back(fence(point.fence).handle);
    result.values.push_back(value(point));
  }
  return result;
}

void ThreadProgram::perform(const scenario::WaitStep& step) {
  const Points named = points(step.points);
  thread_.waits_for.clear();
  for (std::size_t i = 0; i < step.points.size(); ++i)
    thread_.waits_for += (i == 0     ? ""
                          : step.any ? " or "
                                     : " and ") +
                         step.points[i].fence + " >= " + std::to_string(named.values[i]);
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
  args.ObjectCount = static_cast<UINT>(named.handles.size());
  args.ObjectHandleArray = named.handles.data();
  args.FenceValueArray = named.values.data();
  args.Flags.Value = step.any ? D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS::kWaitAny : 0;
  if (step.event) {
    os::KernelEvent& event = machine_.objects.event(state_, *step.event);
    event.clear();
    args.hAsyncEvent = &event;
  }
  set_state(ThreadStateKind::kBlocked);
  os::CallOptions options;
  options.limit = step.timeout;
  const os::WithOptions scope(kernel_.system.threads, std::move(options));
  const NTSTATUS status =
      kernel_.waits.D3DKMTWaitForSynchronizationObjectFromCpu(*state_.process, args);
  set_state(ThreadStateKind::kRunning);
  check_status("D3DKMTWaitForSynchronizationObjectFromCpu", status, step.status);
  thread_.waits_for.clear();
}

void ThreadProgram::perform(const scenario::WaitEventStep& step) {
  os::KernelEvent& event = machine_.objects.event(state_, step.event);
  thread_.waits_for = "event " + step.event;
  if (!event.is_set()) {
    set_state(ThreadStateKind::kBlocked);
    kernel_.cpu().block(event, step.timeout ? &*step.timeout : nullptr);
    set_state(ThreadStateKind::kRunning);
  }
  thread_.waits_for.clear();
}

void ThreadProgram::perform(const scenario::SignalStep& step) {
  const Points named = points(step.points);
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU args{};
  args.ObjectCount = static_cast<UINT>(named.handles.size());
  args.ObjectHandleArray = named.handles.data();
  args.FenceValueArray = named.values.data();
  os::CallOptions options;
  options.bad_handle = step.bad_handle;
  const os::WithOptions scope(kernel_.system.threads, std::move(options));
  check_status("D3DKMTSignalSynchronizationObjectFromCpu",
               kernel_.waits.D3DKMTSignalSynchronizationObjectFromCpu(*state_.process, args),
               step.status);
}

void ThreadProgram::perform(const scenario::PollStep& step) {
  common::Simulation& simulation = machine_.simulation();
  const std::uint64_t wanted = value(step.point);
  // Whoever destroys the fence meanwhile, the loop goes on with what it has.
  const user::UserFence seen = fence(step.point.fence);
  if (seen.handle == 0) never_made("fence", step.point.fence);
  if (seen.current_value_cpu == nullptr)
    end_thread("the fence " + step.point.fence + " has a CurrentValue to poll",
               "it is a CPU event, which has none");
  const auto found_fence =
      machine_.objects.find_fence(state_.config->name + "/" + step.point.fence);
  const os::Fence& polled = *found_fence;
  thread_.waits_for = "polls " + step.point.fence + " >= " + std::to_string(wanted);
  thread_.polls = &polled;
  const common::Time start = simulation.steps.now();
  if (step.timeout && !simulation.steps.exploring()) simulation.steps.expect(*step.timeout);
  for (;;) {
    const std::uint64_t found =
        kernel_.user_access.read_value(*state_.process, polled, seen.current_value_cpu);
    if (found >= wanted) break;
    if (step.timeout && simulation.steps.now() - start >= *step.timeout) break;
    if (simulation.steps.exploring()) {
      // A loop that is explored looks again when there is something new to see.
      const auto is_new = [&] { return machine_.objects.current_value(polled) != found; };
      if (!kernel_.cpu().yield_until(is_new, step.timeout)) break;
    } else {
      kernel_.cpu().pause(kernel_.cpu().core().config().poll_interval);
    }
  }
  thread_.polls = nullptr;
  thread_.waits_for.clear();
}

void ThreadProgram::perform(const scenario::SubmitStep& step) {
  if (step.context) {
    user::ContextWriter& target = context(*step.context);
    thread_.waits_for = "its turn at the context " + *step.context;
    user::Submission submission(target);
    thread_.waits_for.clear();
    write_commands(target, step.commands);
    for (const std::string& other : step.broadcast) broadcast(target, other);
    const NTSTATUS status = submission.submit();
    return check_submission("a call for the context", status, step.status);
  }
  user::QueueWriter& target = queue(step.queue);
  thread_.waits_for = "its turn at the queue " + step.queue;
  user::Submission submission(target);
  thread_.waits_for.clear();
  write_commands(target, step.commands);
  const NTSTATUS status = submission.submit();
  check_submission("the submission to the queue", status, step.status);
}

/// A process whose device is in error learns it here, unless the scenario says what it expects.
void ThreadProgram::check_submission(const char* call, NTSTATUS status,
                                     const std::optional<std::string>& wanted) {
  if (!wanted && status == STATUS_DEVICE_REMOVED) return report_status(status);
  check_status(call, status, wanted);
}

void ThreadProgram::perform(const scenario::ConnectDoorbellStep& step) {
  check_status("D3DKMTConnectDoorbell", queue(step.queue).connect_doorbell(), step.status);
}

void ThreadProgram::sleep(common::Time duration) {
  set_state(ThreadStateKind::kBlocked);
  kernel_.cpu().sleep(duration);
  set_state(ThreadStateKind::kRunning);
}

void ThreadProgram::perform(const scenario::DelayStep& step) { sleep(step.duration); }

void ThreadProgram::perform(const scenario::ComputeStep& step) {
  kernel_.cpu().compute(step.duration);
}

void ThreadProgram::perform(const scenario::PaceStep& step) {
  const common::Time now = machine_.simulation().steps.now();
  sleep(step.period - now % step.period);
}

void ThreadProgram::perform(const scenario::MarkStep& step) {
  machine_.reach_mark(thread_, step.label);
}

void ThreadProgram::perform(const scenario::SetLogBuffersStep& step) {
  check_status("setting log buffers", queue(step.queue).set_log_buffers(step.entries),
               std::nullopt);
}

void ThreadProgram::perform(const scenario::CaptureLogsStep& step) {
  if (step.verbose) kernel_.traces.set_verbose(*step.verbose);
  kernel_.traces.capture_logs(*state_.process);
}

void ThreadProgram::perform(const scenario::RepeatStep& step) {
  const std::uint64_t count = step.count.evaluate(counters_);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!step.counter.empty()) counters_[step.counter] = i;
    run_steps(step.body);
  }
  counters_.erase(step.counter);
}

namespace {

/// Below 2^47, and no process maps anything there.
constexpr std::uint64_t kNowhere = 0x7FFF'FFFF'F000;
constexpr std::uint64_t kWord = sizeof(std::uint64_t);
constexpr std::uint16_t kUnknownOpcode = 0x7777;

/// Appends a packet that is to be refused.
void write_bad(user::CommandWriter& queue, scenario::BadPacket what) {
  using scenario::BadPacket;
  switch (what) {
    case BadPacket::kOpcode:
      return queue.packet(abi::PacketHeader{static_cast<abi::Opcode>(kUnknownOpcode), 0,
                                            sizeof(abi::PacketHeader)});
    case BadPacket::kSize:
      return queue.packet(abi::PacketHeader{abi::Opcode::kBarrier, 0, 0});
    case BadPacket::kRead:
      return queue.packet(abi::make_packet<abi::Opcode::kCopy>(0, kNowhere, kNowhere, kWord));
    case BadPacket::kWrite:
      return queue.packet(abi::make_packet<abi::Opcode::kWrite>(0, kNowhere, 1U));
    case BadPacket::kPhysical:
      return queue.packet(
          abi::make_packet<abi::Opcode::kCopy>(abi::kPhysicalAddresses, kNowhere, kNowhere, kWord));
    case BadPacket::kBind:
      return queue.packet(abi::make_packet<abi::Opcode::kBind>(0, 0U, 0U, 4096U, 4096U));
    case BadPacket::kWaitBlank:
      return queue.barrier(abi::Opcode::kWaitBlank);
    case BadPacket::kFlip:
      return queue.packet(abi::make_packet<abi::Opcode::kFlip>(0, 0U));
  }
}

}  // namespace

void ThreadProgram::write_commands(user::CommandWriter& queue, const scenario::Commands& commands) {
  for (const scenario::Command& command : commands) {
    thread_.command = &command;
    if (!std::holds_alternative<scenario::RepeatCommands>(command.what))
      machine_.simulation().events.emit(thread_.agent,
                                        event::ThreadCommand{thread_.object, queue.object()});
    write_command(queue, command);
  }
}

void ThreadProgram::write_command(user::CommandWriter& queue, const scenario::Command& command) {
  std::visit(
      Overloaded{
          [&](const scenario::SignalCommand& c) {
            queue.signal(usable(c.point.fence, queue), value(c.point));
          },
          [&](const scenario::WaitCommand& c) {
            queue.wait(usable(c.point.fence, queue), value(c.point));
          },
          [&](const scenario::WriteCommand& c) {
            queue.write(use(c.allocation, queue, true) + c.offset, c.value.evaluate(counters_));
          },
          [&](const scenario::CopyCommand& c) {
            const D3DGPU_VIRTUAL_ADDRESS from = use(c.source, queue, false);
            queue.copy(from, use(c.destination, queue, true), c.bytes);
          },
          [&](const scenario::DispatchCommand& c) {
            abi::WorkPacket packet = work(queue, c);
            packet.units = c.groups;
            packet.threads = c.threads;
            packet.shared_bytes = c.shared_bytes;
            packet.variation = static_cast<std::uint16_t>(10 * c.variation);
            packet.distribution = c.distribution;
            queue.work(abi::Opcode::kDispatch, packet);
          },
          [&](const scenario::DrawCommand& c) {
            abi::WorkPacket packet = work(queue, c);
            packet.units = c.primitives;
            packet.triangles = c.triangles;
            packet.pixels = c.pixels;
            queue.work(abi::Opcode::kDraw, packet);
          },
          [&](const scenario::BarrierCommand&) { queue.barrier(abi::Opcode::kBarrier); },
          [&](const scenario::FlushCommand&) { queue.barrier(abi::Opcode::kFlush); },
          [&](const scenario::SplitCommand&) { dynamic_cast<user::PatchedWriter&>(queue).split(); },
          [&](const scenario::BadPacketCommand& c) { write_bad(queue, c.what); },
          [&](const scenario::RepeatCommands& c) {
            const std::uint64_t count = c.count.evaluate(counters_);
            for (std::uint64_t i = 0; i < count; ++i) {
              if (!c.counter.empty()) counters_[c.counter] = i;
              write_commands(queue, c.body);
            }
            counters_.erase(c.counter);
          }},
      command.what);
}

/// What dispatches and draws have in common.
template <class C>
abi::WorkPacket ThreadProgram::work(user::CommandWriter& queue, const C& command) {
  abi::WorkPacket packet{};
  packet.duration = command.duration;
  packet.registers = command.registers;
  packet.read_bytes = command.read_bytes;
  packet.write_bytes = command.write_bytes;
  if (command.write_through) packet.header.flags = abi::kWriteThrough;
  if (command.allocation)
    packet.address = use(*command.allocation, queue, command.write_bytes != 0);
  return packet;
}

}  // namespace fenceline::run
