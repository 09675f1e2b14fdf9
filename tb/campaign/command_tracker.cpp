#include "tb/campaign/command_tracker.h"

#include <algorithm>

#include "tb/reference/outcome.h"

namespace fenceline::campaign {

using common::At;

/// Objects are created at any time: a context is made anew with its device.
void CommandTracker::add_names() {
  const auto add = [this](std::uint32_t object, Agent::Kind kind, const std::string& name) {
    const auto [stream, fresh] = streams_.try_emplace(name);
    if (fresh) stream->second.agent = progress_.add(kind, name);
    stream->second.name = name;
    stream->second.queue = kind == Agent::Kind::kQueue;
    by_object_.try_emplace(object, &stream->second);
  };
  for (const auto& [process, state] : machine_->objects.processes()) {
    const std::string prefix = process + "/";
    for (const auto& [name, queue] : state.queues)
      if (queue->object() != 0) {
        add(queue->object(), Agent::Kind::kQueue, prefix + name);
        streams_.at(prefix + name).progress = queue->progress_fence().handle;
      }
    for (const auto& [name, context] : state.contexts)
      if (context->object() != 0) add(context->object(), Agent::Kind::kContext, prefix + name);
  }
}

CommandTracker::Stream* CommandTracker::stream_of(std::uint32_t object) {
  const auto found = by_object_.find(object);
  return found == by_object_.end() ? nullptr : found->second;
}

void CommandTracker::begin_command(const At<event::ThreadCommand>& event,
                                   const std::string& pointer) {
  places_[event.agent].command = pointer;
}

/// A context has packets that no command makes, at the end of a program or step.
CommandTracker::Command CommandTracker::add_command(common::AgentId agent, Stream& stream) {
  Place& place = places_[agent];
  if (!place.command && !stream.queue) return {};
  const std::string& submitter = submitters_[agent];
  part_of(stream, submitter).commands.push_back(stream.commands.size());
  stream.commands.push_back({place.command.value_or(place.step), false, {}, submitter});
  stream.effective.push_back(false);
  place.command.reset();
  return {&stream, stream.commands.size() - 1};
}

CommandTracker::Part& CommandTracker::part_of(Stream& stream, const std::string& submitter) {
  const auto [part, fresh] = stream.parts.try_emplace(submitter);
  if (fresh)
    part->second.agent = progress_.add(stream.queue ? Agent::Kind::kQueue : Agent::Kind::kContext,
                                       reference::part_name(stream.name, submitter));
  return part->second;
}

/// The signal of a progress fence is no command, and comes after one that was left out, too.
void CommandTracker::on(const At<event::SignalQueued>& event) {
  if (stream_of(event.queue) == nullptr) add_names();
  const Stream* const stream = stream_of(event.queue);
  if (stream != nullptr && stream->queue && event.user_handle == stream->progress)
    places_[event.agent].command.reset();
}

void CommandTracker::on(const At<event::CommandRecorded>& event) {
  if (stream_of(event.queue) == nullptr) add_names();
  Stream* const stream = stream_of(event.queue);
  if (stream == nullptr) return;
  const Command command = add_command(event.agent, *stream);
  if (event.end != 0) {
    stream->in_ring[{event.queue, event.end}] = command.index;
    return;
  }
  std::shared_ptr<Call>& call = calls_[{event.queue, event.agent}];
  if (call == nullptr || call->handed_over) call = std::make_shared<Call>();
  call->packets.push_back(command);
}

void CommandTracker::on(const At<event::ContextPacket>& event) {
  const auto call = calls_.find({event.context, event.agent});
  if (call == calls_.end()) return;
  call->second->handed_over = true;
  drop_usage(event.context, *call->second);
  buffers_[{event.context, event.buffer}].call = call->second;
}

/// A wait for a monitored fence ends a buffer: the usage fence comes in its place.
void CommandTracker::drop_usage(std::uint32_t context, Call& call) {
  bool writes_usage = false;
  for (const auto& [process, state] : machine_->objects.processes())
    for (const auto& [name, writer] : state.contexts)
      writes_usage = writes_usage || (writer->object() == context && writer->writes_usage());
  if (!writes_usage || call.packets.empty()) return;
  Command& last = call.packets.back();
  if (last.stream != nullptr) {
    part_of(*last.stream, last.stream->commands.back().submitter).commands.pop_back();
    last.stream->commands.pop_back();
    last.stream->effective.pop_back();
  }
  last = {};
}

void CommandTracker::on(const At<event::ContextGiven>& event) {
  given_[place(event.adapter, event.engine, event.submission)] = {event.context, event.buffer};
}

CommandTracker::Buffer* CommandTracker::buffer_at(std::uint64_t place) {
  const auto given = given_.find(place);
  if (given == given_.end()) return nullptr;
  const auto buffer = buffers_.find(given->second);
  return buffer == buffers_.end() ? nullptr : &buffer->second;
}

/// A buffer may run again from its begin.
void CommandTracker::on(const At<event::BufferBegin>& event) {
  const std::uint64_t at = place(event.adapter, event.engine, event.submission);
  running_[event.agent] = at;
  Buffer* const buffer = buffer_at(at);
  if (buffer == nullptr) return;
  if (!buffer->begun) buffer->first = buffer->call->next;
  if (buffer->begun && event.where == 0) begin_anew(*buffer);
  buffer->begun = true;
}

void CommandTracker::begin_anew(const Buffer& buffer) {
  Call& call = *buffer.call;
  for (; call.next > buffer.first; --call.next) {
    const Command& command = call.packets[call.next - 1];
    if (command.stream != nullptr) command.stream->commands[command.index].times = 0;
  }
}

void CommandTracker::on(const At<event::BufferEnd>& event) { running_.erase(event.agent); }
void CommandTracker::on(const At<event::BufferStopped>& event) { running_.erase(event.agent); }

void CommandTracker::on(const At<event::CommandDone>& event) {
  if (event.queue != 0) {
    Stream* const stream = stream_of(event.queue);
    if (stream == nullptr) return;
    const auto packet = stream->in_ring.find({event.queue, event.end});
    if (packet != stream->in_ring.end()) finish({stream, packet->second});
    return;
  }
  Buffer* const buffer = buffer_at(place(event.adapter, event.engine, event.submission));
  if (buffer == nullptr || buffer->call->next >= buffer->call->packets.size()) return;
  finish(buffer->call->packets[buffer->call->next++]);
}

void CommandTracker::finish(const Command& command) {
  if (command.stream == nullptr) return;
  take_effect(command);
  CommandSeen& seen = command.stream->commands[command.index];
  seen.done = true;
  seen.over = progress_.counts();
  ++seen.times;
  seen.finished = command.stream->finished++;
}

void CommandTracker::take_effect(const Command& command) {
  Stream& stream = *command.stream;
  stream.effective[command.index] = true;
  std::size_t count = progress_.counts()[stream.agent];
  while (count < stream.commands.size() && stream.effective[count]) ++count;
  progress_.reach(stream.agent, count);
  Part& part = part_of(stream, stream.commands[command.index].submitter);
  while (part.effective < part.commands.size() && stream.effective[part.commands[part.effective]])
    ++part.effective;
  progress_.reach(part.agent, part.effective);
}

/// A node runs a buffer and the packets of queues in turn.
void CommandTracker::on(const At<event::SignalBegin>& event) {
  const Command command = signal_of(event);
  if (command.stream != nullptr) signals_[event.signal] = command;
}

CommandTracker::Command CommandTracker::signal_of(const At<event::SignalBegin>& event) {
  if (Stream* const stream = stream_of(event.queue)) {
    const std::size_t index = progress_.counts()[stream->agent];
    return index < stream->commands.size() ? Command{stream, index} : Command{};
  }
  const auto running = running_.find(event.agent);
  if (running == running_.end()) return {};
  const Buffer* const buffer = buffer_at(running->second);
  if (buffer == nullptr || buffer->call->next >= buffer->call->packets.size()) return {};
  return buffer->call->packets[buffer->call->next];
}

/// From here on the value can be seen.
void CommandTracker::on(const At<event::CurrentValueIssued>& event) {
  const auto signal = signals_.find(event.signal);
  if (signal == signals_.end()) return;
  take_effect(signal->second);
  signals_.erase(signal);
}

/// Packets of a call that the OS has not taken count for nothing: the last one may be no command.
void CommandTracker::drop_refused() {
  for (const auto& [submission, call] : calls_) {
    if (call->handed_over) continue;
    for (const Command& command : call->packets)
      if (command.stream != nullptr) command.stream->commands[command.index].pointer.clear();
  }
}

void CommandTracker::hand_over(std::map<std::string, std::vector<CommandSeen>>& commands) {
  drop_refused();
  for (auto& [name, stream] : streams_) {
    auto& seen = stream.commands;
    const auto refused = [](const CommandSeen& it) { return it.pointer.empty(); };
    seen.erase(std::remove_if(seen.begin(), seen.end(), refused), seen.end());
    commands[name] = std::move(seen);
  }
}

}  // namespace fenceline::campaign
