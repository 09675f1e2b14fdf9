#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/event_fields.h"
#include "models/common/object_kind.h"

namespace fenceline::common {

/// Index of an agent of `Steps`: whoever issues, drains, delivers or computes. 0 is "nobody".
using AgentId = std::uint16_t;

/// Every event of the stream. Each line gives the meaning of {agent; object; a; b; c}.
/// Source: the observable events that the ordering invariants speak of.
enum class EventKind : std::uint8_t {
  // Values in memory. `object` is a fence; `agent` wrote or read.
  kCurrentValueIssued,   ///< a write to CurrentValue entered its posted FIFO; a = value, b = signal
                         ///< number (kSignalBegin), 0 for the CPU
  kCurrentValueVisible,  ///< the write reached its home; a = value
  kCurrentValueRead,     ///< CurrentValue was read at its home; a = value, b = Reader
  kMonitoredValueVisible,  ///< a write to MonitoredValue reached its home; a = value, b = adapter
                           ///< object
  kMonitoredValueStored,   ///< the driver stores MonitoredValue; a = value, b = adapter object
  kCurrentValueStored,     ///< kernel mode stores CurrentValue; a = value, b = adapter object
  kShadowVisible,  ///< the CMP's shadow of MonitoredValue took a value in GPU memory; a = value, b
                   ///< = adapter object
  kShadowRead,     ///< an engine read the shadow; a = value, b = adapter object

  // Work that a queue stores in memory. `object` is a queue; a = number of the write, which the
  // queue uses once.
  kWorkIssued,   ///< the write entered its posted FIFO
  kWorkVisible,  ///< it reached its home (b = 0), or the link to host memory, where all that its
                 ///< own
                 ///< device reads there stays behind it (b = 1)

  // Signals on the GPU. `object` is a fence.
  kSignalBegin,  ///< a queue starts a signal command; a = value, b = signal number (1, 2, ... over
                 ///< the whole run), c = queue
  kDecision,  ///< the engine compared; a = value, b = signal number, c = 1 if above MonitoredValue
              ///< and the CMP is told, else 0
  kCmpDecision,  ///< the CMP compared; a = CurrentValue considered, b = MonitoredValue, c = Decider
                 ///< << 1 | raised
  kSignalEnd,    ///< the command is complete; a = value, b = signal number, c = queue
  kCpuSignal,  ///< the OS stored CurrentValue for a signal by the CPU; a = value, b = flags of the
               ///< DDI, c = adapter whose driver is told (0: the OS stored it)

  // Interrupts. `object` is an adapter unless said.
  kInterruptRaised,   ///< the CMP queued a payload entry and asked for an interrupt; a = fence (0
                      ///< unknown), b = value, c = queue, or kBothKinds: native and monitored
  kMessageSent,       ///< the MSI-X write left the device; a = vector
  kMessageCoalesced,  ///< no MSI-X write was needed, one is already pending; a = vector
  kMessageLost,       ///< it came while its core masked it, and is gone; object = core, a = vector
  kMessageDelivered,  ///< a core accepted the interrupt; a = vector, c = core
  kIsrBegin,          ///< a = core
  kIsrAcknowledge,    ///< the ISR told the device how far it had read; a = read pointer
  kIsrEnd,            ///< a = core
  kNotify,     ///< DxgkCbNotifyInterrupt named a fence; object = fence, a = interrupt type, b =
               ///< adapter, c = queue
  kNotifyAll,  ///< DxgkCbNotifyInterrupt with a NULL array or queue: everything is to be scanned; a
               ///< = interrupt type, c = engine
  kDpcBegin,   ///< a = core
  kDpcEnd,     ///< a = core, b = waiters released
  kSpuriousInterrupt,  ///< a DPC released nobody; a = core
  kFallback,           ///< the OS looked at all fences by itself; a = core, b = waiters released

  // MonitoredValue updates. `object` is a fence.
  kUpdateMonitoredCall,    ///< DxgkDdiUpdateMonitoredValues is called; a = new MonitoredValue, b =
                           ///< update number (1, 2, ...), c = adapter
  kUpdateMonitoredReturn,  ///< it returned; same fields
  kShadowIssued,  ///< the CMP issued the shadow write for an update; a = value, b = adapter object

  // Waits by the CPU. `object` is a fence; b = waiter number (1, 2, ... over the run).
  kWaitAdd,      ///< a waiter entered the list; a = value, c = thread | kind << 32 (1 any, 2 all) |
                 ///< process << 40
  kWaitRelease,  ///< the OS found it satisfied; a = value, c = thread
  kWaitDone,     ///< the waiting thread (or event) was resumed; a = value, c = thread
  kWaitTimeout,  ///< it gave up; a = value, c = thread
  kWaitLetGo,    ///< the OS ended it because the fence was closed; a = value, c = thread

  // Waits by the GPU. `object` is a fence.
  kGpuWaitBegin,    ///< a queue reached a wait command; a = value, c = queue
  kGpuWaitPark,     ///< the queue went on the parked list; a = value, c = queue
  kGpuWaitUnblock,  ///< the wait is satisfied; a = value, b = signal number believed to have done
                    ///< it (0 unknown), c = queue

  // Fence log buffers. `object` is a log.
  kLogEntryIssued,  ///< the engine issues the entry's writes; a = entry index, b = fence value, c =
                    ///< fence
  kLogEntryVisible,   ///< all bytes of the entry reached memory; a = entry index, b = fence value
  kLogHeaderIssued,   ///< the engine issued {FirstFreeEntryIndex, WraparoundCount}; a = the packed
                      ///< 64 bits
  kLogHeaderVisible,  ///< it reached memory; a = the packed 64 bits
  kLogHeaderRead,     ///< the OS read it; a = the packed 64 bits
  kLogEntryRead,      ///< the OS read an entry; a = entry index, b = FenceValue read, c =
                      ///< FenceEndGpuTimestamp read
  kLogEntryTorn,  ///< the OS read an entry whose bytes are not those of one log command; a = entry
                  ///< index, b = FenceValue read
  kLogFlushCall,  ///< DxgkDdiUpdateNativeFenceLogs is called for the queue of this log
  kLogFlushReturn,  ///< it returned
  kLogOverrun,      ///< the OS noticed that entries were overwritten before it read them; a = lost
                    ///< entries
  kLogEntryTimes,   ///< the rest of an entry that the OS read, after kLogEntryRead; a =
                    ///< OperationType
                    ///< << 32 | user-mode handle, b = FenceObservedGpuTimestamp, c =
                    ///< adapter << 32 | queue
  kLogRetired,      ///< another buffer has taken its place: its memory may be used for anything
  kLogReadDone,     ///< the OS has read what it was to read: overruns have been told of

  // What a trace of fences needs beside the logs.
  kSignalQueued,     ///< user mode has recorded a signal; object = fence, a = value, b = user-mode
                     ///< handle, c = queue
  kWaitQueued,       ///< the same for a wait
  kClockCalibrated,  ///< DxgkDdiCalibrateGpuClock; object = adapter, a = GPU counter, b = CPU
                     ///< counter, c = [Hz] of the GPU's

  // Lifetime. `object` is a fence; a = process, b = adapter.
  kFenceCreate,  ///< a = initial value, c = 1: monitored, 2: waiters stay, 4: the value stays
  kFenceOpen,    ///< c = 1 if the device may not signal it
  kFenceClose,   ///< c = 1 if the process has hardware queues, which may signal it yet
  kFenceDestroy,

  // Work and hardware activity.
  kPacketBegin,  ///< a queue starts a packet; object = queue, a = abi::Opcode, b = cookie, c =
                 ///< engine
  kPacketEnd,    ///< it ends; same fields
  kDoorbell,  ///< a doorbell write arrived; object = queue (0: it is nobody's), a = write pointer,
              ///< b = its page + 1 where queues share doorbells, c = adapter
  kQueueState,  ///< object = queue, a = QueueState
  /// A TLP crossed; object = link direction, a = TlpKind << 32 | payload bytes, b is the start
  /// [ps], c the duration [ps].
  kPcieTransfer,
  kLinkFault,    ///< something that the scenario asked for goes wrong; object = link direction, a =
                 ///< LinkFaultKind
  kEngineFault,  ///< the engine hangs, as asked for; object = queue, a = engine, b = adapter
  kPowerState,  ///< a core changed C-state; object = core, a = state index (0 is C0), b = residency
                ///< in the left state [ps]
  kThreadState,  ///< object = thread, a = ThreadState
  kThreadStep,   ///< a user-mode thread begins a step of its program; object = thread, a = step
                 ///< index, b = iteration
  kDdiCall,      ///< a DDI is entered; object = adapter, a = index of the DDI name, b = IRQL
  kDdiReturn,    ///< it returns; object = adapter, a = index of the DDI name, b = NTSTATUS, c =
                 ///< GuardedCalls that the driver made in it
  kBugCheck,  ///< object = adapter, a = bug-check code, b = first parameter, c = second parameter
  kIrqlViolation,  ///< a DDI or callback ran at the wrong IRQL; object = adapter, a = index of the
                   ///< DDI name, b = IRQL, c = IRQL required
  kDriverMisuse,  ///< a driver used the kernel or the machine as it must not; object = adapter, a =
                  ///< os::Misuse, b = call site, c = the number that is wrong, 0: none
  kHandleViolation,  ///< an interrupt or the CMP named a fence that is not alive; object = fence
  kFeatureAnswer,   ///< IsFeatureEnabled was answered; object = adapter, a = feature id, b = result
                    ///< bits | version << 16, c = 1 for user mode
  kFeatureTable,    ///< the driver asked for its table; object = adapter, a = feature id, b =
                    ///< NTSTATUS
  kAdapterStarted,  ///< object = adapter, a = DXGK_VIDSCHCAPS, b = 1 if user mode is told of native
                    ///< fences, c = distance of MonitoredValues [bytes]
  kFenceStorage,  ///< values got their places; object = fence, a and b = GPU physical addresses of
                  ///< CurrentValue and MonitoredValue, c = StorageFlag
  kFenceStorageFree,  ///< object = fence, a = address that is free, b = adapter, c = 1: it is gone
  kUserAccess,     ///< user mode touched a value; object = fence, a = UserTarget, b = 1 if allowed
  kUserLogAccess,  ///< the same; object = log, a = 1 to write, b = 1 if allowed, c = process
  kGpuFault,       ///< the CMP found no translation; object = adapter, a = address, b = address
                   ///< space, c = fence slot; a log: kLogOfQueue | queue slot
  kNotifyCall,     ///< DxgkCbNotifyInterrupt was called; object = adapter, a = interrupt type, b =
                   ///< handles named, c = flags
  kNotifyQueue,    ///< it named a hardware queue; object = queue, a = adapter
  kProgressFence,  ///< a queue got its progress fence; object = queue, a = fence
  kBatchBad,  ///< the OS gives a batch with a bad handle to the driver; object = fence of a good
              ///< one, a = its value
  kLogMade,   ///< the OS has made a buffer; object = log, a = type, b = entries, c = queue
  kLogSet,  ///< DxgkDdiSetNativeFenceLogBuffer returned; object = log, a = type, b = NTSTATUS, c =
            ///< queue
  kLogLevel,     ///< object = adapter, a = LogLevel: verbose logging as a trace wants it
  kFenceTraced,  ///< the user-mode driver logs the fence for traces only; object = fence
  kStalePacket,  ///< a packet names a fence that was destroyed; object = queue, a = value, b = 1 if
  ///< the device executes it, | 2 for a wait, c = fence that has the slot now, 0: none
  // Monitored fences and contexts. A fence of this kind has kFenceKind next to its kFenceCreate.
  kFenceKind,    ///< object = fence, a = 1 for a monitored fence, b = bits of its value
  kFenceMapped,  ///< a process got its addresses; object = fence, a = FenceMapping bits, b = GPU
                 ///< virtual address, c = process
  kEngineInterrupt,     ///< the CMP queued an entry that names no fence; object = adapter, a =
                        ///< abi::InterruptCause, b = submission id, c = engine
  kMonitoredFenceTold,  ///< an engine has told the CMP that it wrote a monitored fence that is to
                        ///< interrupt; object = adapter, c = engine
  kContextSubmit,       ///< the OS gives a buffer to the driver; object = queue (a context), a =
                        ///< submission id, b = adapter
  kBufferComplete,      ///< the OS was told of it; object = adapter, a = submission id, b = engine
  kInterruptType,  ///< DxgkCbNotifyInterrupt was called for anything but native fences; object =
                   ///< adapter, a = DXGK_INTERRUPT_TYPE, c = core
  // Preemption. `object` is an adapter, c = engine unless said.
  kBufferBegin,    ///< a node starts a buffer or goes on with it; a = submission id, b = where it
                   ///< goes on: a hash, 0 for its beginning
  kBufferEnd,      ///< it is through; a = submission id
  kBufferStopped,  ///< it has left the node before its end; a = submission id, b = where: a hash
  kBufferFaulted,  ///< it is given up; a = submission id, b = address without a translation, c =
                   ///< engine | abi::FaultCode << 8
  kFaultTold,      ///< the OS was told; a = submission id, b = address, c = engine |
                   ///< DXGK_INTERRUPT_TYPE << 8
  kContextSaved,   ///< its state is on its way to memory; a = GPU virtual address | VMID << 48, b =
                   ///< hash of it, c = engine | bytes << 8
  kContextRestored,  ///< state was read from memory; same fields
  kPreemptCall,      ///< DxgkDdiPreemptCommand is called; a = preemption id
  kPreempted,        ///< the OS was told; a = preemption id, b = last completed submission id
  kContextPacket,  ///< a thread has submitted a buffer; object = queue (a context), a = its number
                   ///< there, b = address, c = 1 for a paging buffer | process << 8
  kContextGiven,   ///< goes with kContextSubmit; object = queue (a context), a = number of the
                   ///< buffer (0: none, the node leaves the context), b = submission id, c =
                   ///< engine | DXGK_SUBMITCOMMANDFLAGS << 8 | adapter << 48
  kContextEnded,   ///< its device is in error: what it has submitted does not count any more;
                   ///< object = queue (a context), a = process
  kContextMemory,  ///< a context allocation that it needs is moved; object = queue (a context), a =
                   ///< number of the allocation, b = 1 if the GPU reaches it from now on, else 0
  // Buffers with addresses to be patched. `object` is an adapter, a = submission id | engine << 32,
  // c = GPU physical address of the packet; a place in the buffer.
  kPatchLocation,   ///< the OS has had the driver patch a BIND there; b = slot << 56 | address
  kBoundUse,        ///< a node uses what a slot is bound to; b = slot << 56 | address, 0: nothing
  kPacketRead,      ///< a node runs a packet of such a buffer; b = hash of its bytes
  kPartGiven,       ///< a part of such a buffer is about to be given to the driver; b = number of
                    ///< the broadcast (0: it goes to one adapter), c = its beginning
  kRecovery,        ///< timeout detection and recovery; a = RecoveryStage, b = an id, c = engine
  kRecoveryLimits,  ///< what the OS keeps to; a = TdrLimitCount, b = TdrLimitTime [ps]
  kDeviceCreated,   ///< D3DKMTCreateDevice returned to a thread; object = process, a = NTSTATUS
  kDeviceError,     ///< object = process whose device is, a = adapter, b = 1 if a thread asked
  // Contexts of hardware queues, as hardware schedules them. `object` is an adapter, a = number of
  // the context over the run, unless said.
  kScheduledQueue,  ///< object = hardware queue, a = context that it belongs to, b = adapter, c =
                    ///< engine | kRunsToItsEnd
  kContextRank,     ///< DxgkDdiSetContextSchedulingProperties returned; b = band | realtime level
                    ///< << 8 | in-process priority + 7 << 16 | process << 32, c = grace period for
                    ///< lower ones [100 ns] | engine << 56
  kBandGrace,       ///< DxgkDdiSetupPriorityBands returned; a = band, b = grace period [100 ns]
  kSuspendCall,     ///< DxgkDdiSuspendContext is called; b = fence
  kSuspendReturn,   ///< it returned; b = fence, c = NTSTATUS
  kContextSuspended,  ///< the OS was told; b = fence, c = 1 if it counts, 0: taken for stale
  kResumeCall,        ///< DxgkDdiResumeContext is called
  kRingFetched,       ///< a front end has read packets; object = hardware queue, a = address, b =
                      ///< bytes
  kHwEngineReset,     ///< DxgkDdiResetHwEngine returned (b = NTSTATUS), or the engine is to go on
                      ///< again; a = 1 for the reset, 0 for the end of it, c = engine
  kEngineNotify,      ///< DxgkCbNotifyInterrupt named the engine; a = interrupt type, c = engine
  kContextLost,       ///< DxgkCbInvalidateHwContext; b = flags, c = process
  kQueueGuarded,    ///< a hang of the queue is to be found and ended; object = hardware queue, a =
                    ///< adapter, c = engine
  kEngineTimedOut,  ///< the device has found a hang; object = hardware queue, a = adapter, c =
                    ///< engine
  kWorkDropped,     ///< a reset has thrown work of a queue away; object = queue, a = adapter, b = 1
                    ///< for a ring of the driver's own, c = engine
  // The display. `object` is an adapter; addresses are GPU physical.
  kPresent,        ///< a thread presents an image; a = number of the present, b = address, c =
                   ///< context that draws it
  kFlipCall,       ///< the OS has the driver flip; a = number of the present, b = address, c = 1 if
                   ///< that goes through a DMA buffer
  kFlipEffective,  ///< another primary is scanned out; a = address, b = 1 while a frame is on its
                   ///< way to the screen, c = frame
  kVerticalSync,   ///< a frame begins; a = address that it starts with, c = frame
  kScanTop,        ///< the first word of a frame was scanned out; a = address of the primary, b =
                   ///< the word, c = frame
  kScanBottom,     ///< the same for the last word
  kFlipDone,       ///< the OS has been told; a = number of the present, b = address
  // Fences that several adapters share.
  kCrossAdapterFence,  ///< the fence is a native one on an adapter; object = fence, a = 1 if GPUs
                       ///< ring each other's doorbells for it, b = adapter
  kPeerDoorbell,  ///< a doorbell written by another GPU arrived; object = adapter, a = PeerScan, b
                  ///< =
                  ///< fence that it names (0 none), c = queues that look again
  // User-mode submission where queues share doorbells. `object` is a queue; a doorbell is named by
  // its page + 1, 0: the dummy page, or memory that the device does not watch.
  kDoorbellMapped,  ///< where user mode's address leads from now on; a = doorbell, c = adapter
  kDoorbellStatus,  ///< the OS stores the status; a = D3DDDI_DOORBELLSTATUS
  kDoorbellStatusVisible,  ///< a write to the status cell reached memory; a = value
  kDoorbellRung,    ///< user mode writes its doorbell; a = write pointer, b = doorbell, c = adapter
  kDoorbellAnswer,  ///< user mode has read a status that is not CONNECTED; a = the status
  kDoorbellConnect,  ///< DxgkDdiConnectDoorbell has returned; a = doorbell, b = the status, c =
                     ///< adapter
  kDoorbellTaken,    ///< DxgkCbDisconnectDoorbell is called; a = DisconnectReason
  kRingScan,         ///< the device has read the write pointer in memory; a = its value
  // Commands, from the thread that records them to their end on the GPU.
  kSubmission,       ///< a thread begins (a = 1) or ends (a = 0) a submission; object = hardware
                     ///< queue or context, b = where its next command starts
  kCommandRecorded,  ///< user mode has recorded a command; object as above, a = hash of its bytes,
                     ///< b = where it ends in the ring, 0 for a context
  kCommandDone,  ///< a front end is through with one; object = hardware queue, 0 for a context, a
                 ///< and b as above, c = submission id | engine << 32 | adapter << 48
  kCommandsDropped,  ///< a front end passes over what is left; object = hardware queue, b = up to
                     ///< where
  // CPU events. `object` is an adapter, a = number of the event over the run.
  kCpuEventCreate,   ///< DxgkDdiCreateCpuEvent succeeded
  kCpuEventUse,      ///< the known escape says what it is for; b = abi::CpuEventUse, c = engine
  kCpuEventSignal,   ///< DxgkCbSignalEvent; b = IRQL, c = CpuEventFault bits, 0 if all is well
  kCpuEventDestroy,  ///< DxgkDdiDestroyCpuEvent is called
  kAdapterPower,     ///< object = adapter, a = D-state, b = 1 if an escape caused it, c = its flags
  // Memory that the OS manages. `object` is an allocation.
  kAllocationCreated,  ///< a = GPU virtual address, b = bytes, c = adapter << 48 | root of the
                       ///< address space
  kAllocationPlaced,   ///< its content is at a new place; a = Placement, b = hash of it, c =
                       ///< AllocationFact bits
  kAllocationLocked,   ///< a lock was asked for; a = NTSTATUS, b = AllocationFact bits before, c =
                       ///< Placement after
  kAllocationUnlocked,
  kAllocationDestroyed,  ///< its memory is free; a = 1 if it was said not to be in use
  kAllocationMapped,     ///< user mode mapped it; a = MapMode, b = 1, or 0 when it unmaps it
  kCpuStore,             ///< user mode stored 64 bits; a = offset, b = value, c = core whose
                         ///< write-combining buffers take it, 0: none
  kCpuLoad,              ///< user mode loaded 64 bits; a = offset, b = value, c = CpuLoadFlag bits
  kCacheMaintained,      ///< CPU caches have written back or dropped lines of it; a = offset, b =
                         ///< bytes, c = CacheCall
  // Write-combining buffers. `object` is a core.
  kCombiningSent,     ///< one was sent; a = bus address of its line, b = bytes of it
  kCombiningDrained,  ///< all that were in use have been sent; a = CombiningDrain, b = [ps] that
                      ///< it took
  // The same by engines. `object` is an adapter; addresses are GPU virtual.
  kGpuStore,    ///< a = address, b = value, c = VMID
  kGpuCopy,     ///< a = source, b = destination, c = bytes << 8 | VMID
  kGpuLoad,     ///< a copy has read 64 bits, where caches may hide others; a = address, b = value,
                ///< c = VMID | kGpuLoadNotSnooped
  kGpuTraffic,  ///< a = address, b = bytes, c = VMID << 1 | 1 if some are written
  kAddressSpace,  ///< object = adapter, a = VMID, b = GPU physical address of its root table
  kHostAperture,  ///< a page of the CPU's window to VRAM; object = adapter, a = page of the window,
                  ///< b = page of VRAM, c = 1 if it leads there from now on, else 0
  kMark,          ///< a label of a program was reached; object = thread, a = label index
  kQuiescent,     ///< nothing is left to simulate and all FIFOs are empty
  kEndOfRun,      ///< the run stopped for another reason (time limit)
  kCount
};

/// One entry of the stream: 48 bytes, plain data.
struct Event {
  std::uint64_t time;  ///< [ps] of simulated time; while exploring, the logical clock
  EventKind kind;
  AgentId agent;         ///< who did it
  std::uint32_t object;  ///< what it is about, see EventKind
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;
};

/// Receives events in the order they happen. `on_event` must not step or emit.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
};

/// The one stream that modules, driver and OS emit to. With no subscriber an event costs a branch.
class EventStream {
 public:
  /// Subscribes to the listed kinds, or to all with an empty list. `sink` must outlive the stream.
  void subscribe(EventSink& sink, const std::vector<EventKind>& kinds = {});

  /// True when somebody listens to `kind`: lets emitters skip work that only the event needs.
  bool wants(EventKind kind) const { return !sinks_[static_cast<std::size_t>(kind)].empty(); }

  void emit(EventKind kind, AgentId agent, std::uint32_t object, std::uint64_t a = 0,
            std::uint64_t b = 0, std::uint64_t c = 0) {
    if (wants(kind)) dispatch(kind, agent, object, a, b, c);
  }

  /// Where the time of an event comes from; set once by `Steps`. @pre not null.
  void set_clock(std::uint64_t (*clock)(const void*), const void* context) {
    now_ = clock;
    clock_context_ = context;
  }
  std::uint64_t now() const { return now_ != nullptr ? now_(clock_context_) : 0; }

  /// Registers an object under a readable name; returns its number (1, 2, ...).
  std::uint32_t add_object(ObjectKind kind, std::string name);
  /// Name of an object; "none" for 0. @pre the number was returned by add_object.
  const std::string& name(ObjectKind kind, std::uint32_t object) const;
  std::uint32_t object_count(ObjectKind kind) const;

 private:
  void dispatch(EventKind kind, AgentId agent, std::uint32_t object, std::uint64_t a,
                std::uint64_t b, std::uint64_t c);

  std::array<std::vector<EventSink*>, static_cast<std::size_t>(EventKind::kCount)> sinks_;
  std::array<std::vector<std::string>, static_cast<std::size_t>(ObjectKind::kCount)> names_;
  std::uint64_t (*now_)(const void*) = nullptr;
  const void* clock_context_ = nullptr;
};

/// What the `object` field of `kind` names.
ObjectKind object_kind(EventKind kind);
/// Stable lower-case name, e.g. "current_value_visible": used in events.csv and in scenarios.
const char* event_name(EventKind kind);

}  // namespace fenceline::common
