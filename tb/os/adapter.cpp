#include "tb/os/adapter.h"

#include <stdexcept>
#include <utility>

#include "models/abi/registers.h"

namespace fenceline::os {

namespace {
Adapter* first = nullptr;  ///< of those that there are: handles of drivers are looked up there
}

Adapter::Adapter(Cpu& cpu, top::Gpu& gpu, std::uint32_t number, PagePool& system_pages,
                 const kmd_host::DriverPolicy& policy, const AdapterOptions& options,
                 std::uint64_t system_memory_bytes, common::Gate& dpc_queued)
    : cpu_(cpu),
      gpu_(gpu),
      options_(options),
      vector_(number),
      guard_(cpu, gpu.object()),
      port_(cpu, gpu.bars(), system_pages, policy, gpu.object()),
      driver_port_(cpu, port_, guard_, gpu.bars(),
                   {system_memory_bytes, gpu.config().vram.size_bytes,
                    static_cast<std::uint32_t>(gpu.config().engines.size())}),
      interrupt_lock_(cpu.simulation().steps),
      features_(options.system),
      system_memory_bytes_(system_memory_bytes),
      interrupts_(*this),
      door_(cpu.simulation().steps),
      emptied_(cpu.simulation().steps),
      deferred_done_(cpu.simulation().steps),
      dpc_changed_(dpc_queued),
      place_(cpu.simulation().steps.new_place()) {
  cpu_.simulation().steps.add_state(*this);
  cpu_.core(options_.interrupt_core).on_interrupt(vector_, DEVICE_LEVEL, [this] { interrupt(); });
  next_ = std::exchange(first, this);
}

Adapter::~Adapter() {
  Adapter** link = &first;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

Adapter* Adapter::find(HANDLE handle) {
  Adapter* adapter = first;
  while (adapter != nullptr && adapter != handle) adapter = adapter->next_;
  return adapter;
}

Adapter* Adapter::inside() {
  for (Adapter* adapter = first; adapter != nullptr; adapter = adapter->next_)
    if (adapter->guard_.depth() != 0) return adapter;
  return first;
}

bool Adapter::check_irql(Ddi ddi) {
  const DdiInfo& info = ddi_info(ddi);
  const KIRQL irql = cpu_.irql();
  if (irql >= info.lowest && irql <= info.highest) return true;
  cpu_.simulation().emit(
      event::IrqlViolation{object(), static_cast<std::uint64_t>(ddi), irql, info.highest});
  return false;
}

bool Adapter::counts_threads() const { return options_.system.finds_timeouts(); }

/// False for what may run beside a reset: it is not waited for.
bool Adapter::enter(Ddi ddi) {
  return ddi != Ddi::kInterruptRoutine && ddi != Ddi::kDpcRoutine && ddi != Ddi::kSetPowerState &&
         come_in();
}

bool Adapter::come_in() {
  if (!counts_threads()) return false;
  common::Steps& steps = cpu_.simulation().steps;
  const common::AgentId agent = steps.current();
  if (agent == deferred_ || agent == resetter_) return false;
  const std::uint64_t place = emptied_.id;
  steps.touch(common::Place::kEvent, place, true);
  if (closed_ && cpu_.irql() != PASSIVE_LEVEL)
    throw std::logic_error("an agent at raised IRQL stands at the door of a driver that is reset");
  steps.wait_until(door_, [this, &steps, place] {
    steps.touch(common::Place::kEvent, place, false);
    return !closed_;
  });
  steps.touch(common::Place::kEvent, place, true);
  ++inside_;
  return true;
}

void Adapter::leave() {
  cpu_.simulation().steps.touch(common::Place::kEvent, emptied_.id, true);
  if (--inside_ == 0) emptied_.set();
}

void Adapter::close_driver() {
  common::Steps& steps = cpu_.simulation().steps;
  resetter_ = steps.current();
  if (!counts_threads() || !options_.system.preemption.exclusive_reset) return;
  const common::Time until = steps.simulated() + options_.system.preemption.tdr_ddi_delay;
  for (;;) {
    emptied_.clear();
    if (inside_ == 0) break;
    const common::Time now = steps.simulated();
    const common::Time left = until > now ? until - now : 1;
    if (!cpu_.block(emptied_, &left, common::Fires::kLast))
      bug_check(VIDEO_TDR_FAILURE, {inside_},
                "threads have not left the driver within TdrDdiDelay");
  }
  closed_ = true;
}

void Adapter::open_driver() {
  cpu_.simulation().steps.touch(common::Place::kEvent, emptied_.id, true);
  closed_ = false;
  door_.open();
}

void Adapter::before(Ddi ddi) {
  check_irql(ddi);
  cpu_.simulation().emit(event::DdiCall{object(), static_cast<std::uint64_t>(ddi), cpu_.irql()});
}

void Adapter::after(Ddi ddi, NTSTATUS status) {
  cpu_.simulation().emit(event::DdiReturn{object(), static_cast<std::uint64_t>(ddi),
                                          static_cast<std::uint32_t>(status), guard_.counts()});
}

void Adapter::require(NTSTATUS status, const char* what) const {
  if (!NT_SUCCESS(status))
    throw StartFailure(StartRule::kCallFailed, gpu_.config().name + ": " + what + " failed with " +
                                                   fenceline::wddm::status_name(status));
}

void Adapter::bug_check(std::uint32_t code, const StopParameters& parameters,
                        const std::string& why) {
  cpu_.simulation().emit(event::BugCheck{object(), code, parameters.first, parameters.second});
  throw BugCheck(code, parameters, gpu_.config().name + ": " + why);
}

void Adapter::program_message() {
  // MSI-X table: address, then data and mask. Data is core << 8 | vector.
  const std::uint64_t data = options_.interrupt_core << 8 | vector_;
  port_.write_register(abi::kMsixTable, abi::kMessageWindow);
  port_.write_register(abi::kMsixTable + 8, data);
}

void Adapter::stop() {
  call(Ddi::kStopDevice, [&](auto& ddi) { return ddi.DxgkDdiStopDevice(context_); });
  serves_driver_ = false;
  call(Ddi::kRemoveDevice, [&](auto& ddi) { return ddi.DxgkDdiRemoveDevice(context_); });
}

}  // namespace fenceline::os
