#include "tb/check/invariants.h"

#include "tb/check/invariant_sources.h"

namespace fenceline::check {

namespace {

constexpr std::array<InvariantInfo, kInvariantCount> kTable{{
    {"I1", "NO_LOST_WAITER",
     "At quiescence no CPU waiter is left whose value the fence has reached.", kConcept,
     "NF3 NF4 NF5 NF10 MF2 MF4",
     "the shadow MonitoredValue is still queued when the engine reads it, and CurrentValue is "
     "still queued when the OS looks again"},
    {"I2", "NO_LOST_GPU_WAIT",
     "At quiescence no queue still waits for a value that the fence has reached.", kConcept,
     "NF2 NF13 NF14 NF15 MF3",
     "a queue reads the old value, the signaller scans the empty parked list, the queue parks"},
    {"I3", "RELEASE_BOUND",
     "A waiter resumes within the configured time after its wait and its value are both there.",
     "assumption: no document states a bound, so none is set by default", "NF3",
     "a missing notification that a later one hides"},
    {"I4", "NO_EARLY",
     "A waiter resumes only if CurrentValue has had its value since it began to wait, or a signal "
     "of it is under way, or AlwaysSignaled.",
     kConcept, "NF1 NF10 MF4 MF5", "a CurrentValue stored in halves is read half old, half new"},
    {"I5", "UMV_POST",
     "A signal that an older MonitoredValue silenced, and that update u would not, is visible "
     "before DxgkDdiUpdateMonitoredValues(u) returns.",
     kUpdateDdi, "NF5", "the driver posts the new MonitoredValue and returns at once"},
    {"I6", "STEP2",
     "The CMP's CurrentValue read for update u sees every signal that an older MonitoredValue "
     "silenced and that u would not.",
     kConcept, "NF4", "no barrier between the CMP's shadow write and its CurrentValue read"},
    {"I7", "INT_DATA",
     "After a notification that names a fence for a value, the DPC reads a CurrentValue at or "
     "after that write.",
     kConcept, "NF3 NF4 LB3", "the interrupt overtakes CurrentValue"},
    {"I8", "SPURIOUS_OK", "An interrupt that releases nobody is counted and is no error.", kConcept,
     "NF5", "cannot break; it must never be reported"},
    {"I9", "CONTRACT",
     "A signal above MonitoredValue leads to a notification that covers its fence, unless the CMP "
     "holds a MonitoredValue that silences it; one that becomes visible after the latest update "
     "returned is covered by a notification or by a later OS read.",
     "WDDM docs, DXGKARGCB_NOTIFY_INTERRUPT_DATA", "NF3 NF12",
     "two notices are coalesced and one fence is forgotten"},
    {"I10", "MV_MIN",
     "At quiescence MonitoredValue is the lowest waited value minus 1, UINT64_MAX without waiters, "
     "and 0 on a cross-adapter fence.",
     kConcept, "NF1 NF14", "two updates that nothing serialises"},
    {"I11", "NO_TEAR",
     "Every 64-bit read of CurrentValue, of the shadow MonitoredValue or of a log header returns a "
     "value that was written as a whole.",
     kConcept, "NF1 LB2", "write one half, read, write the other"},
    {"I12", "CV_MONO",
     "Reads of CurrentValue by one agent follow its coherence order, and writes of one agent "
     "become visible in the order they were issued.",
     "assumption: per-location coherence", "NF1 UX1",
     "a posted FIFO whose entries pass each other"},
    {"I13", "LOG_ORDER",
     "A logged signal issues value, entry and index before it tells the CMP; value and index are "
     "visible before the interrupt is delivered, the entry before the OS reads it.",
     kLogDocs, "LB3 LB6", "the interrupt leaves before the index is visible"},
    {"I14", "LOG_WHOLE",
     "An entry below the index that the OS read is exactly the log command it stands for, unless "
     "an overrun is flagged.",
     kLogDocs, "LB1 LB2 LB6", "the index is visible, the entry is not, and nothing flushes it"},
    {"I15", "LOG_LATE",
     "A DPC that reads the log of a notified, logged signal consumes its entry or flags an "
     "overrun.",
     kLogDocs, "LB3 LB7", "the interrupt arrives before the index"},
    {"I16", "HDR_MONO",
     "WraparoundCount and FirstFreeEntryIndex never go backwards for a reader, and the index is "
     "below the number of entries.",
     kLogDocs, "LB2 LB4", "the two halves of the header are stored one after the other"},
    {"I17", "OVERRUN",
     "A DPC that meets overwritten entries flags the overrun, reads the fences of that log that "
     "have waiters, and takes no newer entry for the old one.",
     kLogDocs, "LB4 LB7", "the OS looks for an overrun only before it reads the entries"},
    {"I18", "TS_MONO",
     "Timestamps of a log that are not 0 never decrease; 0 and equal ones are fine.", kLogDocs,
     "LB5 LB8", "an entry with 4 after one with 5"},
    {"I19", "LOG_ONCE",
     "A command of a queue with logs writes one entry, and a wait is unblocked only once the fence "
     "has its value.",
     kLogDocs, "LB2 LB8", "a wait that was unblocked and logged is preempted and runs again"},
    {"I20", "HANDLE_LIVE",
     "Notifications and the CMP name a fence only between its create and its destroy, and destroy "
     "comes after the last close.",
     "WDDM docs, DXGKDDI_DESTROYNATIVEFENCE", "NF8 NF12",
     "an interrupt is pending, the fence is destroyed, the ISR reports it"},
    {"I21", "VA_SCOPE",
     "MonitoredValueKernelCpuVa is used only between the call and the return of "
     "DxgkDdiUpdateMonitoredValues.",
     kUpdateDdi, "NF5 NF8", "the driver keeps the address and stores through it later"},
    {"I22", "IRQL",
     "DDIs run at their IRQL, and no ISR reports fences while DxgkDdiUpdateMonitoredValues runs on "
     "the same adapter.",
     kUpdateDdi, "NF5 LB6 EV1", "DxgkDdiUpdateMonitoredValues without the interrupt lock"},
    {"I23", "CROSS_ADAPTER",
     "MonitoredValue of a fence that several adapters share is 0 on each, so that every signal of "
     "a "
     "GPU interrupts; each signal, once visible, is followed by NotificationOnly on every other "
     "adapter that has the fence as a native one.",
     kConcept, "NF14", "MonitoredValue is that of a fence without waiters, and nobody is told"},
    {"I26", "WAIT32",
     "On a GPU with 32-bit atomics every value that is waited for or signalled is within "
     "UINT_MAX / 2 of the fence's value.",
     kContextDocs, "MF5", "the OS takes a wait for a value that is too far away"},
    {"I27", "PAYLOAD",
     "A waiter, CPU or GPU, released by a signal sees all work that its queue wrote before.",
     kConcept, "NF1 NF2",
     "the work is still queued for one bank when CurrentValue reaches another"},
    {"I28", "LOG_BUF",
     "No write of the GPU reaches a fence log buffer after another one has taken its place.",
     "WDDM docs, DxgkDdiSetNativeFenceLogBuffer", "LB1",
     "an entry is still queued when the driver returns with the new buffer set"},
    {"I30", "UNWAITED",
     "No thread waits for a fence by a handle that its process has closed: by default its waits "
     "end "
     "with the close, with UnwaitCpuWaitersOnlyOnDestroy when the last process closes the fence.",
     "WDDM docs, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS", "NF8 MF2",
     "the fence is destroyed and its waiters are forgotten in the list"},
    {"I31", "STALE_NAME",
     "A packet that names a destroyed fence stores nothing, interrupts for nobody and ends no wait "
     "of the fence that has its slot since.",
     "WDDM docs, DXGKDDI_DESTROYNATIVEFENCE", "NF8",
     "a queue reaches its signal when the fence is gone and another one has its slot"},
    {"I34", "ONLY_ABOVE",
     "The driver stores the MonitoredValue that it was given, and the CMP interrupts for a "
     "fence only for a value above the MonitoredValue that it holds.",
     kConcept, "NF3 NF5", "the driver stores a lower MonitoredValue than it was given"},
    {"I35", "CPU_VALUE",
     "Before DxgkDdiUpdateCurrentValuesFromCpu returns, the driver stores each "
     "CurrentValue that it was given, whole.",
     "WDDM docs, DXGKDDI_UPDATECURRENTVALUESFROMCPU", "NF13", "the driver stores the low 32 bits"},
    {"I36", "PROGRESS_KEPT",
     "CurrentValue of a native progress fence never falls, whoever writes it.",
     "WDDM docs, DxgkDdiCreateHwQueue", "NF11",
     "the driver starts the progress fence again when it gets another log"},
    {"I37", "BOTH_KINDS",
     "When an engine has written a monitored fence that is to interrupt, a notification "
     "follows that has the OS look at monitored fences; one with "
     "EvaluateLegacyMonitoredFences names no fence.",
     kInterruptDocs, "NF12 MF2",
     "the device has one interrupt for both kinds, and the driver leaves the flag out"},
    {"I38", "QUEUE_NAMED",
     "With OptimizedNativeFenceSignaledInterrupt the interrupt routine names each queue "
     "that the entries name which it has read, or the whole node.",
     kInterruptDocs, "NF12", "the driver names the first queue only"},
    {"I40", "NEGOTIATED",
     "An adapter that has started advertises NativeGpuFence only if the OS answered its driver "
     "that "
     "the feature is enabled and handed out the feature's table; DDIs of native fences are called "
     "on such an adapter only.",
     "WDDM docs, DXGK_FEATURE_NATIVE_FENCE", "NF6 NF7",
     "a driver advertises without asking, and the OS does not check"},
    {"I41", "CAPS",
     "DXGK_VIDSCHCAPS of an adapter that has started keep their dependencies, native fences "
     "exclude "
     "No64BitAtomics, and MonitoredValues are a multiple of 8 bytes apart.",
     "WDDM docs, DXGK_VIDSCHCAPS and DXGK_NATIVE_FENCE_CAPS", "NF7",
     "PreemptionAware without MultiEngineAware, and the OS does not check"},
    {"I42", "STORAGE",
     "Values of fences do not overlap and keep the driver's distance and segments; a shared fence "
     "has pages of its own and CurrentValue in system memory; no page holds values of both kinds.",
     "WDDM docs, native GPU fence objects", "NF1 NF7",
     "the OS packs fences of another distance, or shared ones"},
    {"I43", "PROTECTION",
     "User mode reads CurrentValue and never writes it; MonitoredValue it never reaches.",
     "WDDM docs, native GPU fence objects", "NF1", "the page of CurrentValue is mapped writable"},
    {"I44", "BATCH", "A batch of values with a bad handle in it changes no value.",
     "assumption: no document says more than that the failure is fatal", "NF13",
     "the driver checks each handle when its turn comes"},
    {"I45", "CMP_MAPPED",
     "The CMP finds a translation for every value that it reads and every log that it writes, in "
     "the address space that MapToGpuSystemProcess says.",
     "WDDM docs, DXGK_NATIVE_FENCE_CAPS", "NF9",
     "an address of the system process is handed out and never mapped"},
    {"I46", "PROGRESS",
     "A native progress fence is signalled by its own queue only, and each time higher.",
     "WDDM docs, DxgkDdiCreateHwQueue", "NF11", "another queue signals the progress fence"},
    {"I50", "HELD_WORK",
     "The OS gives the driver no buffer of a context behind a wait that is not over.", kContextDocs,
     "MF3", "the OS records the wait and submits what follows"},
    {"I51", "CPU_EVENT",
     "DxgkCbSignalEvent names a CPU event between its creation and its destruction, with the "
     "documented fields, at DISPATCH_LEVEL or below.",
     "WDDM docs, DXGKCB_SIGNALEVENT", "EV1",
     "the DPC has looked the event up, it is destroyed, the DPC signals it"},
    {"I52", "FENCE_MAPPING",
     "User mode reads a monitored fence write-back on hosts that are coherent with devices and "
     "uncached on others, and can write it only where the GPU uses the CPU's addresses; such a GPU "
     "has no address of its own.",
     kContextDocs, "MF1", "a write-back mapping on a host that is not coherent"},
    {"I60", "PEER_DOORBELL",
     "Where GPUs ring each other's doorbells, each signal of a GPU, once visible, is followed by a "
     "doorbell or NotificationOnly on every other adapter that has the fence as a native one.",
     "assumption: the documents only announce such doorbells", "NF15",
     "the doorbell overtakes CurrentValue on the link"},
    {"I70", "LOG_TYPES",
     "A user-mode queue with fence logs works with one of waits and one of signals, and no driver "
     "takes a log of a type that it cannot know.",
     kLogDocs, "LB9", "the OS goes on although the driver refuses a log of waits"},
    {"I71", "LOG_LEVEL",
     "Waits and signals that only a trace wants are logged while verbose logging has been "
     "announced "
     "to both drivers, and are not otherwise.",
     kLogDocs, "LB9", "the OS tells the user-mode driver alone"},
    {"I72", "TIMELINE",
     "On the CPU's clock, by the latest calibrations, an operation that the logs tell of was "
     "executed after user mode recorded it and before the OS read its entry.",
     kLogDocs, "LB8", "the driver reports another frequency than that of the GPU clock"},
    {"I81", "CONTENT",
     "What CPU and GPU read of an allocation is what was written to it last, wherever it has been "
     "moved in between; a move changes no byte.",
     kMemoryDocs, "MM2 MM3 MM4",
     "the GPU goes on with translations of the place that an allocation has left"},
    {"I82", "GPU_MEMORY",
     "A packet touches an allocation only while its memory has not been freed and it is resident.",
     kMemoryDocs, "MM1", "an allocation is destroyed as not in use while queued work uses it"},
    {"I83", "LOCK_RULES",
     "A lock succeeds only where segment, cacheability and residency allow it, and what is locked "
     "outside the device without an aperture segment is not committed to VRAM meanwhile.",
     kMemoryDocs, "MM3", "a cached allocation is locked in a memory segment"},
    {"I84", "HOST_APERTURE",
     "A page of a CpuHostAperture is mapped when it is free, unmapped when it is mapped, and no "
     "page is mapped at D3.",
     "WDDM docs, CPU host aperture", "MM4", "a page that is taken is handed out again"},
    {"I85", "MAP_SYNC",
     "While user mode has memory mapped, no packet touches it; one that reads may where it is "
     "mapped for reading, and any where it is mapped without overwriting.",
     kMemoryDocs, "MM2", "a map returns while the GPU still uses the memory"},
    {"I86", "COHERENCY",
     "Where the host's caches do not see what a GPU does, the CPU reads of a cached allocation "
     "what "
     "was written last, and so does a copy by the GPU: lines are written back and dropped in time.",
     "WDDM docs, D3DKMTInvalidateCache and I/O coherency", "MM5",
     "a line is read on speculation between its invalidation and the GPU's write"},
    {"I87", "PREEMPTED_WORK",
     "The buffers of a context run in the order of their submission, each once and to its end: "
     "after "
     "a preemption one goes on where it was stopped.",
     kPreemptionDocs, "PR2 PR3 PR8", "the driver does not have the saved state restored"},
    {"I88", "RESUBMISSION",
     "Preempted paging buffers are submitted again with the fence ids that they had and before all "
     "else on their node; other buffers get new ids.",
     kPreemptionDocs, "PR5", "the OS gives preempted paging buffers new ids"},
    {"I89", "LAST_COMPLETED",
     "DMA_PREEMPTED names the last submission that the node has completed.", kPreemptionDocs,
     "PR1 PR2", "the driver names the last submission that it was given"},
    {"I90", "CONTEXT_STATE",
     "What a node takes up of a context is what was saved when a node left it, wherever the memory "
     "for it has been moved in between.",
     kPreemptionDocs, "PR3 PR4",
     "the memory for the state of a context moves while a node holds it"},
    {"I91", "PREEMPT_FIRST",
     "A node is taken for hung only when a preemption was asked for and not acknowledged.",
     kPreemptionDocs, "PR2 PR9", "the OS resets a node over a buffer that runs long"},
    {"I92", "SPARED", "A reset puts devices in error whose buffers it has ended, and no others.",
     kPreemptionDocs, "PR9", "the OS gives up all that the node was given"},
    {"I93", "PART_BINDINGS",
     "Every part of a split buffer uses what its own patch locations have bound, whatever ran "
     "before it on the node.",
     kPreemptionDocs, "PR6", "a part relies on what an earlier part has bound"},
    {"I94", "TEARING",
     "A frame on the screen is one image, drawn to its end when it is shown; flips take effect "
     "between two frames, in the order of their presents.",
     kPreemptionDocs, "PR7",
     "a flip in a DMA buffer is preempted between its wait for blanking and its register write"},
    {"I95", "BROADCAST_DATA",
     "A buffer that is broadcast is not modified: all adapters run the same packets of it.",
     kPreemptionDocs, "PR10", "the driver writes each adapter's addresses into the buffer"},
    {"I96", "PREEMPTION_ANSWERED",
     "A preemption that was asked for is acknowledged, or the node is taken for hung; also where "
     "what runs is a wait "
     "that does not hold yet.",
     kPreemptionDocs, "PR1 PR8", "a wait keeps its node until it is satisfied"},
    {"I97", "SUSPENDED_SILENT",
     "Once its suspension is acknowledged nothing of a context is fetched, run or still on its way "
     "to memory, and what is submitted to it waits until it is resumed.",
     kHardwareSchedulingDocs, "PR3 PR8",
     "the suspension is reported before the context's writes are visible"},
    {"I98", "SUSPEND_FENCE",
     "The acknowledgement of a suspension that counts carries the fence of the last call for the "
     "context; each call that is pending is acknowledged, taken back, or ends in a reset.",
     kHardwareSchedulingDocs, "PR3 PR9",
     "the OS takes the acknowledgement of an earlier suspension for that of the last"},
    {"I99", "RESET_SILENT", "Between its reset and its resumption an engine raises no interrupt.",
     kHardwareSchedulingDocs, "PR9", "the driver leaves notices of the engine behind"},
    {"I100", "BAND_ORDER",
     "While a context of a higher band, or of the same process and higher priority, is ready, no "
     "queue of a lower one begins a packet on its node after the grace period.",
     kHardwareSchedulingDocs, "PR2", "the driver does not tell the device of priorities"},
    {"I101", "WORK_ANNOUNCED",
     "At quiescence the device knows of all that user mode has rung a doorbell for, unless the "
     "queue is lost.",
     kSubmissionDocs, "NF10",
     "user mode rings the dummy page and does not read the status of its doorbell"},
    {"I102", "ONE_DOORBELL",
     "A doorbell of the device wakes the queue whose user mode rang it: it is another queue's only "
     "when no address of the one before leads there.",
     kSubmissionDocs, "NF10",
     "the driver gives a doorbell away before DxgkCbDisconnectDoorbell has returned"},
    {"I103", "STATUS_CELL", "Nobody but the OS writes the status of a doorbell.", kSubmissionDocs,
     "NF10", "user mode sets the status itself when it has had its doorbell connected"},
    {"I108", "WRITE_COMBINING",
     "A packet reads what the CPU stored through a write-combined mapping before the work was "
     "submitted: a store fence has sent it.",
     "Intel SDM volume 3, write combining; WDDM docs, Lock2", "MM3 MM4 MM5",
     "the user-mode driver submits work while stores are still in a core's buffers"},
    {"I104", "FAULT_REPORT",
     "A buffer that a node gives up is reported by its own submission id, with the address that "
     "has "
     "no translation where that is the reason, and its device is in error.",
     kInterruptDocs, "PR9", "the driver names the last buffer that it was given"},
    {"I105", "INTERRUPT_ORDER",
     "What one interrupt routine reports of DMA buffers comes before what it reports of the "
     "display.",
     kInterruptDocs, "PR7", "the driver reports vertical syncs first"},
    {"I106", "EXCLUSIVE_RESET",
     "While an adapter is reset, no other thread is in its driver but for interrupts, their DPC "
     "and power.",
     kPreemptionDocs, "PR9", "the OS resets the adapter while a thread is in the driver"},
    {"I107", "LOST_WORK",
     "Where a reset has ended a buffer, or a node has given it up, its device is in error and "
     "nobody "
     "is left waiting for a fence of it.",
     kPreemptionDocs, "PR9", "the OS leaves the fences of the device as they are"},
    {"I109", "BLOCKED",
     "A process over whose buffers nodes were reset more than TdrLimitCount - 1 times within "
     "TdrLimitTime gets no other device; every other process does.",
     kPreemptionDocs, "PR9", "the OS keeps no process from an adapter"},
    {"I110", "COMMANDS",
     "Each command that threads record and submit to a hardware queue or context runs once, in its "
     "place, with the bytes that its thread recorded.",
     kSubmissionDocs, "NF10",
     "two threads write to the same place of a ring, because the user-mode driver takes no lock"},
    {"I112", "CONTEXT_MEMORY",
     "A node gets a buffer of a context only while the GPU reaches all memory that the driver has "
     "asked for, for the context and for its device.",
     kPreemptionDocs, "PR3 PR4", "the OS does not wait until evicted memory is back"},
    {"I115", "HANG_FOUND",
     "Where timeouts are detected, the engine of a hardware queue that hangs is reset, unless the "
     "queue was created with DisableGpuTimeout.",
     kHardwareSchedulingDocs, "PR9", "the driver drops the interrupt of a hung engine"},
    {"I116", "ONLY_HUNG_LOST",
     "A reset of an engine over a hardware queue ends no other work: the context of each hardware "
     "queue that loses work is reported as lost, and buffers of the kernel-mode driver stay.",
     kHardwareSchedulingDocs, "PR9", "the driver names a context that did not run"},
    {"I117", "CPU_EVENT_SCOPE",
     "A CPU event is signalled only for what its user has asked for: in the escape itself, or when "
     "the OS has been told of a buffer that the node it names has completed.",
     "WDDM docs, CPU event signaled by the kernel-mode driver", "EV1",
     "the driver signals the events of another node"},
    {"I120", "LOG_PROTECTED", "User mode reaches no fence log, neither to read nor to write it.",
     kLogDocs, "LB1", "the OS maps a log for the process of its queue"},
    {"I123", "ALL_WORK_ENDS",
     "Where a device is in error, its contexts take nothing more and its hardware contexts are "
     "suspended or lost, whichever of them it was in error for.",
     kPreemptionDocs, "PR9", "the OS ends only the context that was lost"},
    {"I124", "KEPT_VALUE",
     "A fence with NoSignalMaxValueOnTdr is not signalled because a device is in error.",
     kPreemptionDocs, "PR9", "the OS does not look at the flag"},
    {"I130", "REGISTERS",
     "The driver names registers that the device has, and writes to them what they take; read-only "
     "ones and the operating system's take nothing.",
     kRegisterMap, "NF5", "the driver writes the id of the device"},
    {"I131", "KERNEL_ADDRESS",
     "The driver reaches memory by aligned addresses that the port or the OS has given it, and no "
     "further than the mapping goes.",
     kDdiDocs, "NF5", "the driver reads beyond the interrupt ring"},
    {"I132", "KERNEL_MEMORY",
     "The driver asks for memory at DISPATCH_LEVEL or below, and maps only what there is.",
     kMappingDocs, "NF5", "the interrupt routine allocates memory"},
    {"I133", "SPIN_LOCK",
     "The driver acquires its own locks at DISPATCH_LEVEL or below and none twice, releases what "
     "it holds, the last one first, and leaves none locked when a DDI returns.",
     kSpinLockDocs, "NF5", "a DDI returns early with a lock held"},
    {"I134", "CALLBACK",
     "The driver calls functions of the OS while its adapter is started, with handles, pointers "
     "and values that they document.",
     kCallbackDocs, "NF12", "the driver reports an interrupt of a node that there is not"},
    {"I135", "DDI_RETURN",
     "Each entry that the OS calls is there and returns STATUS_SUCCESS or an error code, and no "
     "C++ exception leaves it.",
     kDdiDocs, "NF6", "an allocation of the driver throws std::bad_alloc"},
}};

}  // namespace

const std::array<InvariantInfo, kInvariantCount>& all_invariants() { return kTable; }

const InvariantInfo& info(Invariant invariant) {
  return kTable[static_cast<std::size_t>(invariant)];
}

}  // namespace fenceline::check
