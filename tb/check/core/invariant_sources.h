#pragma once

// Public texts that several invariants follow.
namespace fenceline::check {

constexpr const char* kConcept = "WDDM docs, native GPU fence objects";
constexpr const char* kUpdateDdi = "WDDM docs, DXGKDDI_UPDATEMONITOREDVALUES";
constexpr const char* kContextDocs = "WDDM docs, context monitoring";
constexpr const char* kHardwareSchedulingDocs =
    "WDDM docs, DxgkDdiSuspendContext and other controls of hardware scheduling";
constexpr const char* kPreemptionDocs = "WDDM docs, GPU preemption and timeout detection";
constexpr const char* kInterruptDocs = "WDDM docs, DXGKARGCB_NOTIFY_INTERRUPT_DATA";
constexpr const char* kMemoryDocs = "WDDM docs, allocation usage tracking and Lock2";
constexpr const char* kSubmissionDocs = "WDDM docs, user-mode work submission";
constexpr const char* kLogDocs = "WDDM docs, native fence log buffers";
constexpr const char* kRegisterMap = "assumption: the register map of models/abi";
constexpr const char* kDdiDocs = "WDDM docs, reference pages of the DDIs";
constexpr const char* kMappingDocs = "WDK docs, MmAllocateContiguousMemory and MmMapIoSpace";
constexpr const char* kSpinLockDocs = "WDK docs, KeAcquireSpinLock and KeReleaseSpinLock";
constexpr const char* kCallbackDocs = "WDDM docs, DXGKRNL_INTERFACE";

}  // namespace fenceline::check
