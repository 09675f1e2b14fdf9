#include <algorithm>

#include "tb/check/logs/log.h"

namespace fenceline::check {

using common::At;

namespace {
constexpr std::size_t kNotified = 32;
constexpr std::size_t kSuspicions = 8;
}  // namespace

void LogChecks::Reader::clear() {
  begin = 0;
  logs.clear();
  scanned.clear();
}

void LogChecks::on(const At<event::Notify>& /*event*/) {
  const LoggedSignal& logged = interrupts_.notified();
  if (logged.log == 0) return;
  auto& notified = log(logged.log).notified;
  if (notified.size() == kNotified) notified.erase(notified.begin());
  notified.push_back({world_.report.seq(), logged.entry});
}

void LogChecks::on(const At<event::DpcBegin>& event) {
  Reader& reader = readers_[event.agent];
  reader.clear();
  reader.begin = world_.report.seq();
}

void LogChecks::on(const At<event::DpcEnd>& event) {
  Reader& reader = readers_[event.agent];
  for (Reading& reading : reader.logs) {
    const LogState& state = log(reading.log);
    if (state.header_seen && state.reader == event.agent) settle(reading.log, &reading);
    settle_late(reading, reader);
    settle_overrun(reading, reader);
  }
  reader.clear();
}

void LogChecks::on(const At<event::CurrentValueRead>& event) {
  if (event.reader != event::Reader::kOsDpcScan) return;
  Reader& reader = readers_[event.agent];
  if (reader.begin != 0) reader.scanned.push_back(event.fence);
}

/// True if the count was written as a whole, or is too old to judge.
bool LogChecks::whole(const LogState& state, std::uint64_t count) {
  const auto& headers = state.headers;
  if (headers.empty() || count < headers[headers.first_index()]) {
    return count == 0 || headers.first_index() != 0;
  }
  for (std::uint64_t i = headers.end_index(); i != headers.first_index(); --i) {
    if (headers[i - 1] == count) return true;
  }
  for (std::uint64_t i = state.in_flight.first_index(); i != state.in_flight.end_index(); ++i) {
    if (state.in_flight[i] == count) return true;
  }
  return false;
}

void LogChecks::check_header(const At<event::LogHeaderRead>& event, LogState& state,
                             std::uint64_t read) {
  Reporter& report = world_.report;
  report.checked(Invariant::kHdrMono);
  report.checked(Invariant::kNoTear);
  const std::uint64_t index = event.header & 0xFFFFFFFFU;
  if (!whole(state, read)) {
    fail(Invariant::kNoTear, event.log, 0,
         "the header was read as " + text(event.header >> 32) + ":" + text(index) +
             ", which nobody wrote as a whole");
  }
  if (index >= state.entries()) {
    fail(Invariant::kHdrMono, event.log, 0,
         "FirstFreeEntryIndex was read as " + text(index) + " of " + text(state.entries()) +
             " entries");
  }
  for (LogState::HeaderReader& reader : state.readers) {
    if (reader.agent != event.agent) continue;
    if (read < reader.count) {
      fail(
          Invariant::kHdrMono, event.log, 0,
          "a reader saw the header go back from entry " + text(reader.count) + " to " + text(read));
    }
    reader.count = read;
    return;
  }
  state.readers.push_back({event.agent, read});
}

void LogChecks::on(const At<event::LogHeaderRead>& event) {
  Reader& reader = readers_[event.agent];
  LogState& state = log(event.log);
  const std::uint64_t read = state.count(event.header);
  check_header(event, state, read);
  const auto known = [&](const Reading& reading) { return reading.log == event.log; };
  auto& logs = reader.logs;
  if (reader.begin != 0 && std::none_of(logs.begin(), logs.end(), known)) {
    logs.push_back({event.log});
  }
  state.header_seen = true;
  state.reader = event.agent;
  state.header_read = read;
  if (read > state.consumed + state.entries()) state.lost = true;
}

void LogChecks::read_entry(std::uint32_t number, const ReadEntry& read) {
  LogState& state = log(number);
  state.before = 0;
  const std::uint64_t index = read.index % state.entries();
  if (state.header_read <= index) return;  // the index does not cover the entry
  state.entry_seen = true;
  const std::uint64_t entry =
      (state.header_read - 1 - index) / state.entries() * state.entries() + index;
  world_.report.checked(Invariant::kLogWhole);
  judge_entry(number, read, state, entry);
  state.consumed = std::max(state.consumed, entry + 1);
}

void LogChecks::judge_entry(std::uint32_t number, const ReadEntry& read, LogState& state,
                            std::uint64_t entry) {
  const LogSlot& slot = state.slots[read.index % state.entries()];
  const bool none = slot.visible.number == kNever;
  const bool late = none || slot.visible.number < entry;
  if (!late && !read.torn && slot.visible.number == entry && read.value == slot.visible.value) {
    check_stamp(number, read, state, entry);
    return;
  }
  const std::string which = "entry " + text(read.index) + ", read with the value " +
                            text(read.value) + " below index " +
                            text(state.header_read % state.entries()) + ", ";
  if (slot.issued.number == kNever) {
    suspect(state, Invariant::kLogWhole, 0, which + "was never written");
  } else if (late) {
    suspect(state, Invariant::kLogOrder, slot.issued.fence, which + "was not visible yet");
    suspect(state, Invariant::kLogWhole, slot.issued.fence, which + "is not its own yet");
  } else if (slot.visible.number > entry) {
    suspect(state, Invariant::kOverrun, slot.visible.fence, which + "is a newer one");
  } else if (read.torn) {
    const bool over = slot.issued.number > entry;
    suspect(state, over ? Invariant::kOverrun : Invariant::kLogWhole, slot.visible.fence,
            which + "is a mixture of two");
  } else {
    suspect(state, Invariant::kLogWhole, slot.visible.fence,
            which + "should hold " + text(slot.visible.value));
  }
}

void LogChecks::check_stamp(std::uint32_t number, const ReadEntry& read, LogState& state,
                            std::uint64_t entry) {
  world_.report.checked(Invariant::kTsMono);
  if (entry + 1 <= state.stamped) return;
  state.before = state.stamp;
  if (read.end_time == 0) return;
  if (read.end_time < state.stamp) {
    fail(Invariant::kTsMono, number, 0,
         "entry " + text(read.index) + " has the timestamp " + text(read.end_time) +
             ", an earlier one has " + text(state.stamp));
  }
  state.stamp = std::max(state.stamp, read.end_time);
  state.stamped = entry + 1;
}

/// A queue runs its commands in order: a wait begins when the one before it has ended.
void LogChecks::on(const At<event::LogEntryTimes>& event) {
  LogState& state = log(event.log);
  if (event.observed_time == 0 || event.observed_time >= state.before) return;
  suspect(state, Invariant::kTsMono, 0,
          "a wait was observed at " + text(event.observed_time) +
              ", before an earlier entry ended at " + text(state.before));
}

void LogChecks::suspect(LogState& state, Invariant invariant, std::uint32_t fence,
                        const std::string& what) {
  if (state.suspicions.size() < kSuspicions) state.suspicions.push_back({invariant, fence, what});
}

void LogChecks::on(const At<event::LogOverrun>& event) {
  LogState& state = log(event.log);
  state.flagged = true;
  state.consumed = std::max(state.consumed, state.header_read);
}

void LogChecks::on(const At<event::LogReadDone>& event) {
  Reader& reader = readers_[event.agent];
  for (Reading& reading : reader.logs) {
    if (reading.log == event.log) return settle(event.log, &reading);
  }
  settle(event.log, nullptr);
}

/// The reader has finished with the log: findings that an overrun could have excused are judged
/// now.
/// @param reading of a DPC, which then looks at fences; null for other readers
void LogChecks::settle(std::uint32_t number, Reading* reading) {
  LogState& state = log(number);
  if (!state.flagged) {
    for (const LogSuspicion& suspicion : state.suspicions) {
      fail(suspicion.invariant, number, suspicion.fence, suspicion.what);
    }
  }
  state.suspicions.clear();
  if (reading != nullptr) {
    reading->header = state.header_read;
    reading->lost = reading->lost || state.lost;
    reading->flagged = reading->flagged || state.flagged;
  } else if (state.lost && !state.flagged) {
    fail(Invariant::kOverrun, number, 0, "entries were overwritten unread and nothing flagged it");
  }
  if (state.lost) state.consumed = std::max(state.consumed, state.header_read);
  state.header_seen = state.entry_seen = state.lost = state.flagged = false;
}

void LogChecks::settle_late(const Reading& reading, const Reader& reader) {
  LogState& state = log(reading.log);
  auto& notified = state.notified;
  std::size_t kept = 0;
  for (const LogState::Notified note : notified) {
    if (note.seq > reader.begin) {
      notified[kept++] = note;
      continue;
    }
    world_.report.checked(Invariant::kLogLate);
    if (reading.flagged || reading.lost || state.consumed > note.entry) continue;
    const bool late = reading.header <= note.entry;
    fail(Invariant::kLogLate, reading.log, 0,
         "the OS was told of the signal of entry " + text(note.entry % state.entries()) +
             ", but its DPC " +
             (late ? "read the index before that entry" : "did not read that entry"));
  }
  notified.resize(kept);
}

void LogChecks::settle_overrun(const Reading& reading, const Reader& reader) {
  const LogState& state = log(reading.log);
  if (!reading.lost && !reading.flagged) return;
  world_.report.checked(Invariant::kOverrun);
  if (!reading.flagged) {
    fail(Invariant::kOverrun, reading.log, 0,
         "entries were overwritten before the OS read them, and its DPC did not flag it");
    return;
  }
  for (const std::uint32_t fence : state.fences) {
    if (fence == 0 || !waiters_.waited_for(fence, reader.begin)) continue;
    // A waiter may be on another adapter, which is notified and reads the fence itself: I23.
    if (world_.fences[fence].cross_adapter) continue;
    const auto& scanned = reader.scanned;
    if (std::find(scanned.begin(), scanned.end(), fence) != scanned.end()) continue;
    fail(Invariant::kOverrun, reading.log, fence,
         "after an overrun the DPC did not read fence " + world_.report.fence(fence) +
             ", which has waiters");
  }
}

/// A reader that has read the header, and no entry after it, has lost no entry.
void LogChecks::finish_quiescent() {
  for (std::size_t number = 0; number < logs_.size(); ++number) {
    const LogState& state = logs_[number];
    if (state.entry_seen || !state.suspicions.empty()) {
      settle(static_cast<std::uint32_t>(number), nullptr);
    }
  }
}

}  // namespace fenceline::check
