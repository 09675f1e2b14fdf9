#pragma once

#include <cstdint>

#include "kmd_stub/host/driver_caps.h"
#include "models/abi/switch.h"

namespace fenceline::kmd_host {

constexpr abi::SwitchValues<std::uint8_t, 4> kDestroyDrains{{
    {"0", 0, "nothing is drained", "I20 HANG"},
    {"1", 1, "the CMP is drained, interrupts that are on their way are not", abi::kNothing},
    {"2", 2, "interrupts are drained, the CMP is not", "I20 HANG"},
    {"3", 3, "both are drained"},
}};

enum class UpdateAnswer : std::uint8_t { kAtOnce, kPosted, kDone };
constexpr abi::SwitchValues<UpdateAnswer, 3> kUpdateAnswers{{
    {"false", UpdateAnswer::kAtOnce, "it returns when the register is written", "I5"},
    {"posted", UpdateAnswer::kPosted,
     "it reads a register back: the device has the write, the CMP may not have acted on it", "I5"},
    {"true", UpdateAnswer::kDone, "it returns when the CMP has counted the update"},
}};

enum class Acknowledge : std::uint8_t { kLast, kFirstAll, kFirst };
constexpr abi::SwitchValues<Acknowledge, 3> kAcknowledges{{
    {"false", Acknowledge::kLast,
     "the ISR acknowledges all entries at the end: entries that arrived meanwhile are lost",
     "I1 I2 I9 I23 I37 I87 I94 I96 I98 HANG"},
    {"uncounted", Acknowledge::kFirstAll,
     "first, but all entries: an entry written after the ISR read the ring is lost",
     "I1 I2 I9 I23 I37 I87 I94 I96 I98 HANG"},
    {"true", Acknowledge::kFirst, "first, with the count of entries that the ISR has read"},
}};

enum class VictimScan : std::uint8_t { kNever, kBefore, kAfter };
constexpr abi::SwitchValues<VictimScan, 3> kVictimScans{{
    {"false", VictimScan::kNever, "work that the queue rang for in between is lost",
     "I94 I101 HANG"},
    {"before", VictimScan::kBefore, "before the doorbell is taken away: later rings are lost",
     "I94 I101 HANG"},
    {"true", VictimScan::kAfter, "after user mode has lost access to the doorbell"},
}};

/// Variants of the driver under study. The defaults are correct. Other drivers may ignore them.
/// Scenarios set them at /platform/ordering/<name>. Declaration: see models/abi/switch.h.
struct DriverSwitches {
  UpdateAnswer umv_ack = UpdateAnswer::kDone;
  bool ucv_order = true;
  bool store_barrier = true;
  bool log_drain = true;
  bool batch_checked = true;
  bool va_cached = false;
  bool event_lock = true;
  std::uint8_t destroy_drain = 3;  ///< bit 0: the CMP; bit 1: interrupts
  bool resume_state = true;
  Acknowledge ack_first = Acknowledge::kFirst;
  bool live_filter = true;
  bool null_array = false;
  bool read_flush = false;
  bool load_barrier = false;
  bool victim_first = true;
  VictimScan victim_scan = VictimScan::kAfter;
  bool connect_scan = true;

  template <class V, class T>
  static void switches(V& v, T& t) {
    fences(v, t);
    interrupts(v, t);
    doorbells(v, t);
  }

 private:
  template <class V, class T>
  static void fences(V& v, T& t) {
    v.mechanism("kmd.umv_ack", t.umv_ack, kUpdateAnswers,
                "DxgkDdiUpdateMonitoredValues waits for the CMP before it returns.");
    v.mechanism("kmd.ucv_order", t.ucv_order,
                abi::when_true("the CMP gets its notice first", "I2 I94 HANG"),
                "The CPU's CurrentValue store is visible before the CMP gets its notice.");
    v.mechanism("kmd.store_barrier", t.store_barrier,
                abi::when_true("the register write may overtake the store", "I1 I2 I5 I9 I94 HANG"),
                "The driver has a barrier between its store of a value and the register write that "
                "announces it.");
    v.mechanism(
        "kmd.log_drain", t.log_drain,
        abi::when_true("a write may arrive in the old buffer after its memory was reused", "I28"),
        "A new log buffer is reported as set when all writes to the old buffer have arrived.");
    v.mechanism("kmd.batch_checked", t.batch_checked,
                abi::when_true("the items before a bad item stay stored", "I44 BUG_CHECK"),
                "The driver checks the whole batch before it stores any item.");
    v.mechanism("kmd.va_cached", t.va_cached,
                abi::when_false("it stores to the address that each call gives", "I10 I21 I23"),
                "The driver keeps MonitoredValue's address and stores to it when a fence is "
                "destroyed.");
    v.mechanism("kmd.event_lock", t.event_lock,
                abi::when_true("the event may be destroyed before it is signalled", "I51"),
                "The driver signals a CPU event under the lock that destroys it.");
    v.mechanism("kmd.destroy_drain", t.destroy_drain, kDestroyDrains,
                "What destroying a fence drains: 1 the CMP, 2 interrupts, 3 both.");
    v.mechanism("kmd.resume_state", t.resume_state,
                abi::when_true("the buffer starts again at its first command", "I23 I87"),
                "A buffer that is submitted again continues from the saved state of its context.");
  }
  template <class V, class T>
  static void interrupts(V& v, T& t) {
    v.mechanism("isr.ack_first", t.ack_first, kAcknowledges,
                "The ISR acknowledges before it handles entries, with the count of entries that it "
                "has read.");
    v.mechanism("isr.live_filter", t.live_filter,
                abi::when_true("a destroyed fence is reported to the OS", abi::kNothing),
                "The ISR drops handles of destroyed fences.");
    v.variant("isr.null_array", t.null_array,
              abi::when_true("the ISR names the signaled fences that it knows", abi::kNothing),
              "The ISR always reports a NULL array.");
    v.mechanism("isr.read_flush", t.read_flush,
                abi::when_true("an interrupt that overtook its entry finds nothing", abi::kNothing),
                "The ISR reads a device register before it reads the interrupt ring.");
    v.mechanism(
        "isr.load_barrier", t.load_barrier,
        abi::when_true("on a weak host the other words may be older than the sequence number",
                       abi::kNothing),
        "The ISR has a barrier between its read of an entry's sequence number and its reads of the "
        "other words.");
  }
  template <class V, class T>
  static void doorbells(V& v, T& t) {
    v.mechanism("kmd.victim_first", t.victim_first,
                abi::when_true("the old queue can ring a doorbell that belongs to another queue",
                               "I94 I101 I102 HANG"),
                "The driver gives a doorbell away after DxgkCbDisconnectDoorbell has returned.");
    v.mechanism("kmd.victim_scan", t.victim_scan, kVictimScans,
                "The driver makes the device check the ring of the queue that lost its doorbell.");
    v.mechanism("kmd.connect_scan", t.connect_scan,
                abi::when_true("commands written before the connection wait for the next ring",
                               "I94 I101 HANG"),
                "The driver makes the device check the ring of a queue that gets a doorbell.");
  }
};

/// Configuration of a driver.
struct DriverPolicy : DriverSwitches {
  DriverCaps caps;  ///< properties that it reports at start
};

}  // namespace fenceline::kmd_host
