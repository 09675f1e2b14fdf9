#include "tb/os/driver/adapter.h"

#include <stdexcept>
#include <utility>

#include "models/abi/mutant.h"
#include "models/abi/registers.h"
#include "models/top/gpu.h"

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
      configuration_(cpu, gpu),
      interrupts_(*this),
      door_(cpu, options_.system),
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

void Adapter::close_driver() {
  if (const std::uint32_t left = door_.close(); left != 0)
    bug_check(VIDEO_TDR_FAILURE, {left}, "threads have not left the driver within TdrDdiDelay");
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

void Adapter::must_succeed(NTSTATUS status, Ddi ddi, std::uint32_t code,
                           std::uint32_t first_parameter) {
  if (!NT_SUCCESS(status))
    bug_check(code, {first_parameter, static_cast<std::uint32_t>(status)},
              std::string(ddi_info(ddi).name) + " failed");
}

void Adapter::program_message() {
  // MSI-X table: address, then data and mask. Data is core << 8 | vector.
  const std::uint64_t data = options_.interrupt_core << 8 | vector_;
  port_.write_register(abi::kMsixTable, abi::kMessageWindow);
  port_.write_register(abi::kMsixTable + 8, data);
}

void Adapter::stop() {
  call<Ddi::DxgkDdiStopDevice>(context_);
  serves_driver_ = false;
  call<Ddi::DxgkDdiRemoveDevice>(context_);
}

void Adapter::interrupt() {
  const std::uint32_t core = cpu_.core().object();
  cpu_.simulation().emit(event::MessageDelivered{object(), vector_, core});
  call_interrupt_routine();
}

void Adapter::call_interrupt_routine() {
  common::Simulation& simulation = cpu_.simulation();
  const std::uint32_t core = cpu_.core().object();
  const LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
  simulation.emit(event::IsrBegin{object(), core});
  run(Ddi::DxgkDdiInterruptRoutine, [this] {
    if (table_.DxgkDdiInterruptRoutine == nullptr)
      return guard_.report_missing(Ddi::DxgkDdiInterruptRoutine);
    const BOOLEAN ours = table_.DxgkDdiInterruptRoutine(context_, abi::kInterruptVector);
    return ours != FALSE ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
  });
  simulation.emit(event::IsrEnd{object(), core});
}

void Adapter::ignore_node(UINT node, bool ignore) {
  LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
  interrupts_.ignore(node, ignore);
}

void Adapter::silence_node(UINT node, bool silent) {
  LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
  interrupts_.silence(node, silent);
}

void Adapter::flush_deferred_calls() {
  if (!door_.counts_threads()) return;
  for (;;) {
    deferred_done_.clear();
    cpu_.simulation().steps.touch(common::Place::kEvent, place_, false);
    if (!dpc_queued_ && !dpc_runs_) return;
    cpu_.block(deferred_done_, nullptr);
  }
}

bool Adapter::queue_dpc() {
  cpu_.simulation().steps.touch(common::Place::kEvent, place_, true);
  if (dpc_queued_) return false;
  dpc_queued_ = true;
  dpc_changed_.open();
  return true;
}

void Adapter::run_dpc() {
  cpu_.simulation().steps.touch(common::Place::kEvent, place_, true);
  dpc_queued_ = false;
  dpc_runs_ = true;
  run(Ddi::DxgkDdiDpcRoutine,
      [this] { return entry_of<Ddi::DxgkDdiDpcRoutine>(context_)(table_); });
  dpc_runs_ = false;
  if (abi::mutant(abi::Mutant::kDpcClearedLate)) dpc_queued_ = false;
  if (door_.counts_threads()) deferred_done_.set();
}

void Adapter::notify_dpc() {
  FenceNotification taken;
  {
    // The list is shared with the ISR.
    LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
    taken = interrupts_.take();
  }
  if (on_fences_signaled) on_fences_signaled(taken);
}

void Adapter::synchronize(PKSYNCHRONIZE_ROUTINE routine, PVOID context, BOOLEAN* result) {
  LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
  *result = guard_.caught([&] { return routine(context); }, FALSE);
}

std::uint32_t Adapter::object() const { return gpu_.object(); }

std::size_t Adapter::nodes() const { return gpu_.config().engines.size(); }

bool Adapter::shares_doorbells() const {
  return gpu_.config().command_processor.doorbells != 0 || port_.policy().caps.notify_kmd;
}

void Adapter::set_device_power(bool on) {
  if (host_aperture_ != nullptr || shares_doorbells()) configuration_.set_power(on);
}

}  // namespace fenceline::os
