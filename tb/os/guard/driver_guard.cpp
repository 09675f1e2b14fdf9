#include "tb/os/guard/driver_guard.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fenceline::os {

namespace {

std::string base_name(const char* file) {
  const char* slash = std::strrchr(file, '/');
  return slash != nullptr ? slash + 1 : file;
}

}  // namespace

common::AgentId DriverGuard::push(Ddi ddi) {
  frames_.push_back({cpu_.simulation().steps.current(), ddi});
  return frames_.back().agent;
}

void DriverGuard::pop(common::AgentId agent) {
  const auto last = std::find_if(frames_.rbegin(), frames_.rend(),
                                 [agent](const Frame& frame) { return frame.agent == agent; });
  frames_.erase(std::next(last).base());
}

const DriverGuard::Frame* DriverGuard::innermost() const {
  const common::AgentId agent = cpu_.simulation().steps.current();
  const auto last = std::find_if(frames_.rbegin(), frames_.rend(),
                                 [agent](const Frame& frame) { return frame.agent == agent; });
  return last != frames_.rend() ? &*last : nullptr;
}

std::uint32_t DriverGuard::depth() const {
  const common::AgentId agent = cpu_.simulation().steps.current();
  return static_cast<std::uint32_t>(
      std::count_if(frames_.begin(), frames_.end(),
                    [agent](const Frame& frame) { return frame.agent == agent; }));
}

void DriverGuard::count(event::GuardedCall kind) {
  Frame* frame = innermost();
  if (frame == nullptr) return;
  const unsigned shift = static_cast<unsigned>(kind) * event::kGuardedCallBits;
  if ((frame->calls >> shift & event::kMaxGuardedCalls) != event::kMaxGuardedCalls)
    frame->calls += 1ULL << shift;
}

std::uint64_t DriverGuard::counts() const {
  const Frame* frame = innermost();
  return frame != nullptr ? frame->calls : 0;
}

/// Source: WDDM, reference pages of the DDIs: STATUS_SUCCESS or one of the error codes; from
/// DxgkDdiSuspendContext STATUS_PENDING too.
NTSTATUS DriverGuard::checked(NTSTATUS status) {
  constexpr std::uint32_t kError = 0xC0000000;
  constexpr std::uint32_t kSeverity = 0xF0000000;  // with the bits for customers' codes
  const auto bits = static_cast<std::uint32_t>(status);
  if (status == STATUS_SUCCESS || (bits & kSeverity) == kError) return status;
  if (status == STATUS_PENDING && innermost()->ddi == Ddi::DxgkDdiSuspendContext) return status;
  report(Misuse::kStatusUndocumented, innermost()->ddi, bits);
  return status;
}

bool DriverGuard::passes() const {
  const Frame* frame = innermost();
  return frame == nullptr || frame->passes;
}

void DriverGuard::left_by_exception() { report(Misuse::kExceptionLeft, innermost()->ddi); }

void DriverGuard::note_passing(std::exception_ptr stop) {
  if (Frame* frame = innermost()) frame->passes = true;
  if (stop != nullptr) stop_ = std::move(stop);
}

/// The driver has caught a bug check and gone on.
std::exception_ptr DriverGuard::take_kept() {
  if (stop_ == nullptr || !passes()) return nullptr;
  report(Misuse::kExceptionKept, innermost()->ddi);
  return std::exchange(stop_, nullptr);
}

void DriverGuard::report(Misuse misuse, const kmd_host::CallSite& site, std::uint64_t number) {
  std::string place = base_name(site.file) + ":" + std::to_string(site.line) + " (" + site.function;
  if (const Frame* frame = innermost()) place += std::string(", in ") + ddi_info(frame->ddi).name;
  emit(misuse, place + ")", number);
}

void DriverGuard::report(Misuse misuse, Ddi where, std::uint64_t number) {
  std::string place = ddi_info(where).name;
  const Frame* frame = innermost();
  if (frame != nullptr && frame->ddi != where)
    place += std::string(" (in ") + ddi_info(frame->ddi).name + ")";
  emit(misuse, place, number);
}

void DriverGuard::emit(Misuse misuse, const std::string& place, std::uint64_t number) {
  common::Simulation& simulation = cpu_.simulation();
  std::uint32_t& site = sites_[place];
  if (site == 0) site = simulation.events.add_object(common::ObjectKind::kCallSite, place);
  simulation.emit(event::DriverMisuse{adapter_, static_cast<std::uint64_t>(misuse), site, number});
}

}  // namespace fenceline::os
