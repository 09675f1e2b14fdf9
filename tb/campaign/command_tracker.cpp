#include "tb/campaign/command_tracker.h"

namespace fenceline::campaign {

using common::At;

/// Objects are created at any time: a context is made anew with its device.
void CommandTracker::add_names() {
  const auto add = [this](std::uint32_t object, Agent::Kind kind, const std::string& name) {
    const auto [stream, fresh] = streams_.try_emplace(name);
    if (fresh) stream->second.agent = progress_.add(kind, name);
    by_object_.try_emplace(object, &stream->second);
  };
  for (const auto& [process, state] : machine_->objects.processes()) {
    for (const auto& [name, queue] : state.queues)
      if (queue->object() != 0) add(queue->object(), Agent::Kind::kQueue, process + "/" + name);
    for (const auto& [name, context] : state.contexts)
      if (context->object() != 0)
        add(context->object(), Agent::Kind::kContext, process + "/" + name);
  }
}

CommandTracker::Stream* CommandTracker::stream_of(std::uint32_t object) {
  const auto found = by_object_.find(object);
  return found == by_object_.end() ? nullptr : found->second;
}

void CommandTracker::begin_command(const At<event::ThreadCommand>& event,
                                   const std::string& pointer) {
  if (stream_of(event.queue) == nullptr) add_names();
  Stream* const stream = stream_of(event.queue);
  if (stream == nullptr) return;
  recording_[event.agent] = {stream, stream->commands.size()};
  stream->commands.push_back({pointer, false, {}});
  stream->packets.emplace_back();
}

CommandTracker::Command CommandTracker::recorded_by(common::AgentId agent, const Stream* stream) {
  const auto found = recording_.find(agent);
  if (found == recording_.end() || found->second.stream != stream) return {};
  ++found->second.stream->packets[found->second.index].left;
  return found->second;
}

void CommandTracker::on(const At<event::CommandRecorded>& event) {
  Stream* const stream = stream_of(event.queue);
  if (stream == nullptr) return;
  const Command command = recorded_by(event.agent, stream);
  if (event.end != 0) {
    if (command.stream != nullptr) stream->in_ring[{event.queue, event.end}] = command.index;
    return;
  }
  std::shared_ptr<Call>& call = calls_[{event.queue, event.agent}];
  if (call == nullptr || call->handed_over) call = std::make_shared<Call>();
  call->packets.push_back(command);
}

void CommandTracker::on(const At<event::SoftwarePacket>& event) {
  Stream* const stream = stream_of(event.context);
  if (stream == nullptr) return;
  const Command command = recorded_by(event.agent, stream);
  if (command.stream != nullptr) stream->software[{event.context, event.number}] = command.index;
}

void CommandTracker::on(const At<event::SoftwarePacketRun>& event) {
  Stream* const stream = stream_of(event.context);
  if (stream == nullptr) return;
  const auto packet = stream->software.find({event.context, event.number});
  if (packet != stream->software.end()) packet_over({stream, packet->second});
}

void CommandTracker::on(const At<event::ContextPacket>& event) {
  const auto call = calls_.find({event.context, event.agent});
  if (call == calls_.end()) return;
  call->second->handed_over = true;
  buffers_[{event.context, event.buffer}].call = call->second;
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
  if (buffer->begun && event.where == 0) buffer->call->next = buffer->first;
  buffer->begun = true;
}

void CommandTracker::on(const At<event::BufferEnd>& event) { running_.erase(event.agent); }
void CommandTracker::on(const At<event::BufferStopped>& event) { running_.erase(event.agent); }

void CommandTracker::on(const At<event::CommandDone>& event) {
  if (event.queue != 0) {
    Stream* const stream = stream_of(event.queue);
    if (stream == nullptr) return;
    const auto packet = stream->in_ring.find({event.queue, event.end});
    if (packet != stream->in_ring.end()) packet_over({stream, packet->second});
    return;
  }
  Buffer* const buffer = buffer_at(place(event.adapter, event.engine, event.submission));
  if (buffer == nullptr || buffer->call->next >= buffer->call->packets.size()) return;
  packet_over(buffer->call->packets[buffer->call->next++]);
}

void CommandTracker::packet_over(const Command& command) {
  if (command.stream == nullptr) return;
  Packets& packets = command.stream->packets[command.index];
  if (packets.left == 0 || --packets.left != 0) return;
  if (packets.over) return set_done(*command.stream, command.index);  // a signal that can be seen
  command_over(command);
}

/// A command without packets, such as a point where a buffer may be split, is over with those
/// before it.
void CommandTracker::command_over(const Command& command) {
  Stream& stream = *command.stream;
  stream.packets[command.index].over = true;
  std::size_t next = progress_.counts()[stream.agent];
  const auto over = [&stream](std::size_t index) {
    const Packets& packets = stream.packets[index];
    return packets.over || (packets.left == 0 && index + 1 < stream.commands.size());
  };
  while (next < stream.commands.size() && over(next)) {
    progress_.reach(stream.agent, next + 1);
    if (stream.packets[next].left == 0) set_done(stream, next);
    ++next;
  }
}

void CommandTracker::set_done(Stream& stream, std::size_t index) {
  if (index >= progress_.counts()[stream.agent]) return;
  stream.commands[index].done = true;
  stream.commands[index].over = progress_.counts();
}

void CommandTracker::on(const At<event::SignalBegin>& event) {
  signalling_[event.agent] = event.queue;
}

CommandTracker::Command CommandTracker::running_at(common::AgentId agent) {
  if (const auto running = running_.find(agent); running != running_.end()) {
    const Buffer* const buffer = buffer_at(running->second);
    if (buffer == nullptr || buffer->call->next >= buffer->call->packets.size()) return {};
    return buffer->call->packets[buffer->call->next];
  }
  const auto queue = signalling_.find(agent);
  Stream* const stream = queue == signalling_.end() ? nullptr : stream_of(queue->second);
  if (stream == nullptr) return {};
  std::size_t index = progress_.counts()[stream->agent];
  while (index < stream->commands.size() && stream->packets[index].left == 0) ++index;
  return index < stream->commands.size() ? Command{stream, index} : Command{};
}

/// From here on the value can be seen.
void CommandTracker::on(const At<event::CurrentValueIssued>& event) {
  const Command command = running_at(event.agent);
  if (command.stream != nullptr) command_over(command);
}

void CommandTracker::finish(std::map<std::string, std::vector<CommandSeen>>& commands) {
  for (auto& [name, stream] : streams_) {
    const std::size_t last =
        stream.commands.size() - 1;  // with those before it, if it has no packets
    if (!stream.commands.empty() && progress_.counts()[stream.agent] == last &&
        stream.packets[last].left == 0)
      stream.commands[last].done = true;
    commands[name] = std::move(stream.commands);
  }
}

}  // namespace fenceline::campaign
