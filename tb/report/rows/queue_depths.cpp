#include "tb/report/rows/queue_depths.h"

#include <fmt/format.h>
#include <limits>
#include <string>

namespace fenceline::report {

using common::At;
using common::ObjectKind;

QueueDepths::Depth& QueueDepths::depth(std::uint32_t queue, const char* unit) {
  const auto [it, fresh] = depths_.try_emplace(queue);
  if (fresh) {
    const std::string name(names_.object(ObjectKind::kQueue, queue));
    it->second.series = {name, "Queue depth", unit, {}};
  }
  return it->second;
}

void QueueDepths::add(std::uint32_t queue, const char* unit, std::uint64_t item,
                      std::uint64_t time) {
  Depth& it = depth(queue, unit);
  if (it.series.points.empty() && time > 0) it.series.points.emplace_back(0, 0);
  it.waiting.push_back(item);
  it.series.points.emplace_back(time, it.waiting.size());
}

void QueueDepths::remove(std::uint32_t queue, std::uint64_t last, std::uint64_t time) {
  const auto found = depths_.find(queue);
  if (found == depths_.end()) return;
  Depth& it = found->second;
  const std::size_t before = it.waiting.size();
  while (!it.waiting.empty() && it.waiting.front() <= last) it.waiting.pop_front();
  if (it.waiting.size() != before) it.series.points.emplace_back(time, it.waiting.size());
}

void QueueDepths::on(const At<event::CommandRecorded>& event) {
  if (event.end != 0) add(event.queue, "commands", event.end, event.time);
}

void QueueDepths::on(const At<event::CommandDone>& event) {
  if (event.queue != 0) remove(event.queue, event.end, event.time);
}

void QueueDepths::on(const At<event::CommandsDropped>& event) {
  remove(event.queue, event.end, event.time);
}

void QueueDepths::on(const At<event::ContextPacket>& event) {
  processes_[event.context] = event.process;
  add(event.context, "buffers", event.buffer, event.time);
}

void QueueDepths::end_buffer(std::uint32_t engine, std::uint64_t submission, std::uint64_t time) {
  if (const GivenBuffers::Buffer* buffer = given_.find(engine, submission))
    remove(buffer->context, buffer->number, time);
}

void QueueDepths::on(const At<event::BufferEnd>& event) {
  end_buffer(given_.engine(event.adapter, event.engine), event.submission, event.time);
}

void QueueDepths::on(const At<event::BufferFaulted>& event) {
  end_buffer(given_.engine(event.adapter, event.engine), event.submission, event.time);
}

void QueueDepths::on(const At<event::ContextEnded>& event) {
  remove(event.context, std::numeric_limits<std::uint64_t>::max(), event.time);
}

std::vector<ValueSeries> QueueDepths::finish() {
  std::map<std::string, int> owners;
  for (const auto& [queue, depth] : depths_) ++owners[depth.series.name];
  std::vector<ValueSeries> list;
  for (auto& [queue, depth] : depths_) {
    const auto process = processes_.find(queue);
    if (owners[depth.series.name] > 1 && process != processes_.end())
      depth.series.name +=
          fmt::format(" ({})", names_.object(ObjectKind::kProcess, process->second));
    list.push_back(std::move(depth.series));
  }
  return list;
}

}  // namespace fenceline::report
