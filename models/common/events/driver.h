#pragma once

#include "models/common/events/event_type.h"

/// Events of the driver: DDIs, adapter start, misuse, CPU events.
namespace fenceline::event {

/// Kinds of driver calls that are checked. DdiReturn counts the calls of each kind, up to
/// kMaxGuardedCalls, in kGuardedCallBits bits from bit kGuardedCallBits * kind.
enum class GuardedCall : std::uint8_t {
  kRegister,  ///< register accesses
  kAddress,   ///< memory accesses by kernel address
  kMemory,    ///< requests for memory or mappings
  kLock,      ///< locks and shared values
  kCallback,  ///< OS functions
  kCount
};
constexpr unsigned kGuardedCallBits = 12;
constexpr std::uint64_t kMaxGuardedCalls = (1ULL << kGuardedCallBits) - 1;
/// Rules that a DxgkCbSignalEvent call can break.
enum CpuEventFault : std::uint64_t {
  kEventNotAlive = 1,
  kEventWrongFields = 2,
  kEventWrongIrql = 4
};

/// A DDI is entered.
struct DdiCall {
  AdapterId adapter;
  std::uint64_t ddi;  ///< index of its name
  std::uint64_t irql;
  FENCELINE_FIELDS(adapter, ddi, irql)
  static constexpr Words kWords{"ddi_call", kPlain,
                                "{adapter} is called: {ddi:ddi} at IRQL {irql}"};
};
/// A DDI returns.
struct DdiReturn {
  AdapterId adapter;
  std::uint64_t ddi;     ///< index of its name
  std::uint64_t status;  ///< NTSTATUS
  std::uint64_t calls;   ///< GuardedCall counts
  FENCELINE_FIELDS(adapter, ddi, status, calls)
  static constexpr Words kWords{"ddi_return", kPlain,
                                "{adapter} returns from {ddi:ddi}: {status:status}"};
};
/// A bug check stops the system.
struct BugCheck {
  AdapterId adapter;
  std::uint64_t code;
  std::uint64_t first;   ///< first parameter
  std::uint64_t second;  ///< second parameter
  FENCELINE_FIELDS(adapter, code, first, second)
  static constexpr Words kWords{"bug_check", kStory | kExplains,
                                "bug check {code:hex} on {adapter}"};
};
/// A DDI or callback ran at the wrong IRQL.
struct IrqlViolation {
  AdapterId adapter;
  std::uint64_t ddi;  ///< index of its name
  std::uint64_t irql;
  std::uint64_t required;
  FENCELINE_FIELDS(adapter, ddi, irql, required)
  static constexpr Words kWords{
      "irql_violation", kStory | kOrdered,
      "{ddi:ddi} ran at IRQL {irql} on {adapter}; {required} is required"};
};
/// A driver misused the kernel or the machine.
struct DriverMisuse {
  AdapterId adapter;
  std::uint64_t misuse;  ///< os::Misuse
  CallSiteId site;
  std::uint64_t number;  ///< the wrong number; 0: none
  FENCELINE_FIELDS(adapter, misuse, site, number)
  static constexpr Words kWords{"driver_misuse", kStory | kOrdered,
                                "the driver of {adapter} breaks a rule of the kernel at {site}"};
};
/// IsFeatureEnabled was answered.
struct FeatureAnswer {
  AdapterId adapter;
  std::uint64_t feature;
  Part<16> result;  ///< bits
  Part<48> version;
  bool user_mode;  ///< 1: user mode asked
  FENCELINE_FIELDS(adapter, feature, result, version, user_mode)
  static constexpr Words kWords{"feature_answer", kPlain,
                                "{adapter} is asked for feature {feature}: {feature:hex}"};
};
/// The driver requested the table of a feature.
struct FeatureTable {
  AdapterId adapter;
  std::uint64_t feature;
  std::uint64_t status;  ///< NTSTATUS
  FENCELINE_FIELDS(adapter, feature, status)
  static constexpr Words kWords{
      "feature_table", kPlain,
      "the driver of {adapter} asks for the table of feature {feature}: {status:status}"};
};
/// The adapter has started.
struct AdapterStarted {
  AdapterId adapter;
  std::uint64_t caps;      ///< DXGK_VIDSCHCAPS
  bool native;             ///< 1: user mode sees native fences
  std::uint64_t distance;  ///< [bytes] distance of MonitoredValues
  FENCELINE_FIELDS(adapter, caps, native, distance)
  static constexpr Words kWords{"adapter_started", kStory, "{adapter} has started"};
};
/// The CMP found no translation.
struct GpuFault {
  AdapterId adapter;
  std::uint64_t address;
  std::uint64_t space;
  Part<32> slot;      ///< slot of the fence or the queue
  Part<1, bool> log;  ///< the address is in a log; slot is that of its queue
  FENCELINE_FIELDS(adapter, address, space, slot, log)
  static constexpr Words kWords{"gpu_fault", kStory,
                                "the CMP of {adapter} finds no translation for {address:hex}"};
};
/// DxgkDdiCreateCpuEvent succeeded.
struct CpuEventCreate {
  AdapterId adapter;
  std::uint64_t event;  ///< number in the run
  FENCELINE_FIELDS(adapter, event)
  static constexpr Words kWords{"cpu_event_create", kStory,
                                "CPU event {event} of {adapter} is created"};
};
/// The known escape sets the use of a CPU event.
struct CpuEventUse {
  AdapterId adapter;
  std::uint64_t event;
  std::uint64_t use;     ///< abi::CpuEventUse
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(adapter, event, use, engine)
  static constexpr Words kWords{"cpu_event_use", kStory,
                                "user mode says what CPU event {event} of {adapter} is for: {use}"};
};
/// DxgkCbSignalEvent is called.
struct CpuEventSignal {
  AdapterId adapter;
  std::uint64_t event;
  std::uint64_t irql;
  std::uint64_t faults;  ///< CpuEventFault bits; 0: no fault
  FENCELINE_FIELDS(adapter, event, irql, faults)
  static constexpr Words kWords{"cpu_event_signal", kStory,
                                "the driver of {adapter} signals CPU event {event}"};
};
/// DxgkDdiDestroyCpuEvent is called.
struct CpuEventDestroy {
  AdapterId adapter;
  std::uint64_t event;
  FENCELINE_FIELDS(adapter, event)
  static constexpr Words kWords{"cpu_event_destroy", kStory,
                                "CPU event {event} of {adapter} is destroyed"};
};
/// The adapter enters a D-state.
struct AdapterPower {
  AdapterId adapter;
  std::uint64_t state;
  Part<32> flags;        ///< flags of the escape
  Part<1, bool> escape;  ///< caused by an escape
  FENCELINE_FIELDS(adapter, state, flags, escape)
  static constexpr Words kWords{"adapter_power", kStory | kAdvances, "{adapter} goes to D{state}"};
};

using DriverEvents = List<DdiCall, DdiReturn, BugCheck, IrqlViolation, DriverMisuse, FeatureAnswer,
                          FeatureTable, AdapterStarted, GpuFault, CpuEventCreate, CpuEventUse,
                          CpuEventSignal, CpuEventDestroy, AdapterPower>;

}  // namespace fenceline::event
