#include "tb/check/fences/storage.h"

#include <algorithm>

#include "models/abi/page_table.h"

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::ObjectKind;
using event::UserTarget;

namespace {
bool in_system_memory(std::uint64_t address) { return (address & abi::kSystemMemoryBit) != 0; }
}  // namespace

void StorageChecks::on(const At<event::FenceStorage>& event) {
  world_.report.checked(Invariant::kStorage);
  const bool shared = (event.flags & event::kStorageShared) != 0;
  if (shared && !in_system_memory(event.current))
    fail_fence(Invariant::kStorage, event.fence,
               "is shared, and its CurrentValue is not in system memory");
  const auto allowed = [&](std::uint64_t address, std::uint64_t local, std::uint64_t system) {
    return (event.flags & (in_system_memory(address) ? system : local)) != 0;
  };
  // A shared fence always has CurrentValue in system memory.
  if (!shared && !allowed(event.current, event::kStorageCurrentLocal, event::kStorageCurrentSystem))
    fail_fence(Invariant::kStorage, event.fence,
               "has CurrentValue in a segment that the driver rules out");
  if (!allowed(event.monitored, event::kStorageMonitoredLocal, event::kStorageMonitoredSystem))
    fail_fence(Invariant::kStorage, event.fence,
               "has MonitoredValue in a segment that the driver rules out");
  const std::uint64_t adapter = event.adapter != 0 ? event.adapter : fences_[event.fence].adapter;
  const std::uint64_t distance = adapters_[adapter].distance;
  put({event.current, event.fence, false, shared}, adapter, 8);
  put({event.monitored, event.fence, true, shared}, adapter, std::max<std::uint64_t>(distance, 8));
}

void StorageChecks::on(const At<event::FenceStorageFree>& event) {
  const auto page = pages_.find(page_of(event.address, event.adapter));
  if (page != pages_.end()) {
    auto& values = page->second;
    values.erase(
        std::remove_if(values.begin(), values.end(),
                       [&event](const Value& value) { return value.address == event.address; }),
        values.end());
    if (values.empty()) pages_.erase(page);
  }
  if (event.gone) world_.freed(event.fence);
}

std::pair<std::uint64_t, std::uint64_t> StorageChecks::page_of(std::uint64_t address,
                                                               std::uint64_t adapter) {
  return {in_system_memory(address) ? 0 : adapter, address >> abi::kPageBits};
}

void StorageChecks::put(const Value& value, std::uint64_t adapter, std::uint64_t distance) {
  auto& page = pages_[page_of(value.address, adapter)];
  for (const Value& other : page) {
    // Adapters that share a fence share one CurrentValue.
    if (!value.monitored && other.fence == value.fence && other.address == value.address) return;
    const std::string beside = " on one page with " + world_.report.fence(other.fence);
    const std::uint64_t apart =
        std::max(value.address, other.address) - std::min(value.address, other.address);
    if (value.monitored != other.monitored)
      fail_fence(Invariant::kStorage, value.fence, "has values of both kinds" + beside);
    else if (value.shared || other.shared)
      fail_fence(Invariant::kStorage, value.fence, "is" + beside + ", and one of them is shared");
    else if (apart < distance)
      fail_fence(Invariant::kStorage, value.fence,
                 "has a value " + text(apart) + " bytes from that of " +
                     world_.report.fence(other.fence) + " where " + text(distance) + " are due");
  }
  page.push_back(value);
}

void StorageChecks::on(const At<event::UserAccess>& event) {
  world_.report.checked(Invariant::kProtection);
  const auto target = event.target;
  if (!event.allowed || target == UserTarget::kReadCurrent) return;
  const char* const what = target == UserTarget::kWriteCurrent    ? "CurrentValue was written"
                           : target == UserTarget::kReadMonitored ? "MonitoredValue was read"
                                                                  : "MonitoredValue was written";
  fail_fence(Invariant::kProtection, event.fence,
             std::string("is not protected: its ") + what + " by user mode");
}

void StorageChecks::on(const At<event::UserLogAccess>& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kLogProtected);
  if (!event.allowed) return;
  report.fail(Invariant::kLogProtected, event.log,
              "log " + report.name(ObjectKind::kLog, event.log) + " was " +
                  (event.writes ? "written" : "read") + " by user mode of process " +
                  report.name(ObjectKind::kProcess, event.process) + " " + at_time(event.time));
}

void StorageChecks::on(const At<event::GpuFault>& event) {
  Reporter& report = world_.report;
  report.fail(Invariant::kCmpMapped, event.adapter,
              "the CMP of " + report.name(ObjectKind::kAdapter, event.adapter) +
                  " found no translation for " +
                  (event.log ? "a log of queue slot " : "the value of fence slot ") +
                  text(event.slot) + " in address space " + text(event.space) + " " +
                  at_time(event.time));
}

/// The values on a page decide whether later fences break the rules.
void StorageChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (const auto& [place, values] : pages_)
    for (const Value& value : values)
      sum += hash_values(pair_of(place.first, value.fence), value.address,
                         bits_of(value.monitored, value.shared));
  hash.add(sum);
}

}  // namespace fenceline::check
