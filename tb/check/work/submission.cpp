#include "tb/check/work/submission.h"

#include <algorithm>

namespace fenceline::check {

using common::At;
using common::Hasher;
using common::ObjectKind;

void SubmissionChecks::fail(std::uint32_t queue, const std::string& what) {
  world_.report.fail(
      Invariant::kCommands, queue,
      what + " " + world_.report.name(ObjectKind::kQueue, queue) + ", " + world_.report.now());
}

/// At the end of a submission, recorded commands that were not handed over are dropped.
void SubmissionChecks::on(const At<event::Submission>& event) {
  if (event.begins) return;
  if (const auto queue = queues_.find(event.queue); queue != queues_.end()) {
    auto& commands = queue->second.commands;
    while (!commands.empty() && commands.back().end > event.where &&
           commands.back().agent == event.agent)
      commands.pop_back();
  }
  if (const auto context = contexts_.find(event.queue); context != contexts_.end())
    context->second.recorded.erase(event.agent);
}

void SubmissionChecks::on(const At<event::CommandRecorded>& event) {
  if (event.end != 0) {
    queues_[event.queue].commands.push_back({event.bytes, event.end, event.agent});
    return;
  }
  std::shared_ptr<Call>& call = contexts_[event.queue].recorded[event.agent];
  if (call == nullptr || call->handed_over) call = std::make_shared<Call>();
  call->hashes.push_back(event.bytes);
}

/// When a thread submits parts of a buffer one by one, they hold the commands recorded before the
/// first part.
void SubmissionChecks::on(const At<event::ContextPacket>& event) {
  const auto context = contexts_.find(event.context);
  if (context == contexts_.end()) return;
  const auto recorded = context->second.recorded.find(event.agent);
  if (recorded == context->second.recorded.end()) return;
  recorded->second->handed_over = true;
  context->second.buffers[event.buffer].call = recorded->second;
}

void SubmissionChecks::on(const At<event::ContextGiven>& event) {
  const auto context = contexts_.find(event.context);
  if (context == contexts_.end()) return;
  const auto buffer = context->second.buffers.find(event.buffer);
  if (buffer == context->second.buffers.end()) return;
  given_.erase(buffer->second.place);  // it was preempted and is given again
  buffer->second.place = place(event.adapter, event.engine, event.submission);
  given_[buffer->second.place] = {event.context, event.buffer};
}

void SubmissionChecks::on(const At<event::ContextEnded>& event) {
  const auto context = contexts_.find(event.context);
  if (context != contexts_.end()) context->second.ended = true;
}

SubmissionChecks::Buffer* SubmissionChecks::buffer_at(std::uint64_t place) {
  const auto given = given_.find(place);
  if (given == given_.end()) return nullptr;
  Context& context = contexts_[given->second.context];
  const auto buffer = context.buffers.find(given->second.number);
  if (context.ended || buffer == context.buffers.end() || !buffer->second.call->judged)
    return nullptr;
  return &buffer->second;
}

/// Commands of a broadcast buffer are recorded for only one of its contexts: I95 judges those.
void SubmissionChecks::on(const At<event::PartGiven>& event) {
  if (event.broadcast == 0) return;
  if (Buffer* const buffer = buffer_at(place(event.adapter, event.engine, event.submission)))
    buffer->call->judged = false;
}

/// A buffer that runs again from its begin is left to I87.
void SubmissionChecks::on(const At<event::BufferBegin>& event) {
  Buffer* const buffer = buffer_at(place(event.adapter, event.engine, event.submission));
  if (buffer == nullptr) return;
  if (buffer->begun && event.where == 0) buffer->call->judged = false;
  buffer->begun = true;
}

/// Its other commands do not run, and parts behind it may before the device is in error.
void SubmissionChecks::on(const At<event::BufferFaulted>& event) {
  if (Buffer* const buffer = buffer_at(place(event.adapter, event.engine, event.submission)))
    buffer->call->judged = false;
}

void SubmissionChecks::on(const At<event::BufferEnd>& event) {
  const std::uint64_t at = place(event.adapter, event.engine, event.submission);
  const auto given = given_.find(at);
  if (given == given_.end()) return;
  Context& context = contexts_[given->second.context];
  if (const Buffer* const buffer = buffer_at(at);
      buffer != nullptr && !buffer->call->hashes.empty())
    context.left.push_back(buffer->call);
  context.buffers.erase(given->second.number);
  given_.erase(given);
}

void SubmissionChecks::on(const At<event::CommandDone>& event) {
  if (event.queue != 0)
    done_in_ring(event);
  else
    done_in_buffer(event);
}

void SubmissionChecks::done_in_ring(const At<event::CommandDone>& event) {
  const auto found = queues_.find(event.queue);
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  auto& commands = queue.commands;
  world_.report.checked(Invariant::kCommands);
  queue.done = event.end;
  if (!commands.empty() && commands.front().end == event.end &&
      commands.front().hash == event.bytes) {
    commands.pop_front();
    return;
  }
  const std::string at = "the command that ends at byte " + text(event.end) + " of the ring ";
  if (commands.empty() || commands.front().end > event.end)
    fail(event.queue, at + "ran, and nobody has submitted it: queue");
  else if (commands.front().end < event.end)
    fail(event.queue, "the command that ends at byte " + text(commands.front().end) +
                          " of the ring has not run, and what stands behind it has: queue");
  else
    fail(event.queue, at + "has other bytes than those that were submitted there: queue");
  while (!commands.empty() && commands.front().end <= event.end) commands.pop_front();
}

void SubmissionChecks::done_in_buffer(const At<event::CommandDone>& event) {
  const std::uint64_t at = place(event.adapter, event.engine, event.submission);
  Buffer* const buffer = buffer_at(at);
  if (buffer == nullptr) return;
  Call& call = *buffer->call;
  world_.report.checked(Invariant::kCommands);
  if (!call.hashes.empty() && call.hashes.front() == event.bytes) {
    call.hashes.pop_front();
    return;
  }
  const Given& given = given_[at];
  fail(given.context, "buffer " + text(given.number) +
                          (call.hashes.empty() ? " has more commands than were submitted in it"
                                               : " has other commands than were submitted in it") +
                          ": context");
  call.judged = false;
}

void SubmissionChecks::on(const At<event::CommandsDropped>& event) {
  const auto queue = queues_.find(event.queue);
  if (queue == queues_.end()) return;
  auto& commands = queue->second.commands;
  while (!commands.empty() && commands.front().end <= event.end) commands.pop_front();
}

/// Other parts of the call wait, or its thread waits for room for them.
bool SubmissionChecks::is_under_way(const Context& context, const Call& call) {
  const auto has_part = [&call](const auto& it) { return it.second.call.get() == &call; };
  const auto hands_over = [&call](const auto& it) { return it.second.get() == &call; };
  return std::any_of(context.buffers.begin(), context.buffers.end(), has_part) ||
         std::any_of(context.recorded.begin(), context.recorded.end(), hands_over);
}

void SubmissionChecks::finish_quiescent() {
  for (const auto& [object, queue] : queues_)
    if (!queue.commands.empty() && queue.commands.front().end <= queue.done)
      fail(object, "the command that ends at byte " + text(queue.commands.front().end) +
                       " of the ring has not run, and the front end is past it: queue");
  for (const auto& [object, context] : contexts_) {
    if (context.ended) continue;
    for (const auto& call : context.left)
      if (call->judged && !call->hashes.empty() && !is_under_way(context, *call))
        fail(object, "a buffer has ended, and not all that was submitted in it has run: context");
  }
}

void SubmissionChecks::add_to(Canonical& hash) const {
  Hasher hasher;
  for (const auto& [object, queue] : queues_) {
    hasher.add(object).add(queue.done);
    for (const Command& command : queue.commands) hasher.add(command.hash).add(command.end);
  }
  for (const auto& [object, context] : contexts_) {
    hasher.add(object).add(bits_of(context.ended));
    for (const auto& [agent, call] : context.recorded)
      if (!call->handed_over) {
        hasher.add(agent);
        for (const std::uint64_t command : call->hashes) hasher.add(command);
      }
    for (const auto& [number, buffer] : context.buffers) {
      hasher.add(number << 2 | bits_of(buffer.call->judged, buffer.begun));
      for (const std::uint64_t command : buffer.call->hashes) hasher.add(command);
    }
    for (const auto& call : context.left) hasher.add(call->hashes.size());
  }
  for (const auto& [at, given] : given_) hasher.add(at).add(pair_of(given.context, given.number));
  hash.add(hasher.value());
}

}  // namespace fenceline::check
