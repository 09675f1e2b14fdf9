#pragma once

#include <cstdint>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/common/engine_command.h"
#include "models/common/simulation.h"

namespace fenceline::engine {

class Engine;

/// Posted writes and barriers of one engine, and the first access of a command that found no
/// translation.
class StorePort {
 public:
  using Socket = tlm_utils::simple_initiator_socket<Engine>;
  /// Purpose of a posted write.
  enum class Purpose : std::uint8_t { kValue, kLog, kWork };
  /// A posted write of a command.
  struct Store {
    Purpose purpose;
    std::uint32_t space;  ///< address space
    std::uint64_t address;
    std::uint64_t signal = 0;  ///< number of the signal that writes CurrentValue
  };
  /// Parts of the engine that the port uses.
  struct Uses {
    Socket& memory;      ///< to the MMU
    Socket& log_writes;  ///< to the CMP, for logs with `log.writer` = cmp
    common::Time issue;  ///< time of one memory instruction
    bool whole_stores;   ///< 64-bit stores are not split
  };
  StorePort(common::Simulation& simulation, const Uses& uses)
      : simulation_(simulation), uses_(uses) {}

  /// False if there is no translation.
  bool post(const common::EngineCommand& command, const Store& store, const void* data,
            std::size_t bytes);
  /// A 64-bit store. It is split into two halves unless both the switch and the device keep it
  /// whole.
  bool post_value(const common::EngineCommand& command, const Store& store, std::uint64_t value,
                  common::Stores stores);
  void barrier(common::Barrier kind, common::BarrierReach reach, Purpose purpose = Purpose::kValue);
  /// Makes all writes visible for a report that is not part of the running packet.
  void barrier_for_report();
  /// Makes the writes of a signal visible, including its log if that uses the CMP's port.
  void signal_barrier(const common::EngineCommand& command);

  /// There were work writes since the last barrier.
  bool wrote() const { return wrote_; }
  void note_work() { wrote_ = true; }

  /// A new command begins.
  void begin() {
    fault_ = abi::FaultCode::kNone;
    fault_address_ = 0;
  }
  /// Records the first address without a translation; returns `ok`.
  bool note_fault(bool ok, std::uint64_t address, bool written);
  /// Records why the command is not executed; returns false.
  bool refuse(abi::FaultCode code) {
    fault_ = code;
    return false;
  }
  abi::FaultCode fault() const { return fault_; }
  std::uint64_t fault_address() const { return fault_address_; }

 private:
  tlm::tlm_response_status send(const common::EngineCommand& command, const Store& store,
                                const void* data, std::size_t bytes, bool partial,
                                common::Time before);
  void send_barrier(common::Barrier kind, common::BarrierReach reach, Purpose purpose);
  bool cmp_logs() const { return simulation_.ordering.cmp.log_writer == common::LogWriter::kCmp; }
  Socket& port(Purpose purpose) const {
    return purpose == Purpose::kLog && cmp_logs() ? uses_.log_writes : uses_.memory;
  }

  common::Simulation& simulation_;
  const Uses uses_;
  bool wrote_ = false;
  abi::FaultCode fault_ = abi::FaultCode::kNone;  ///< fault of the current command
  std::uint64_t fault_address_ = 0;
};

}  // namespace fenceline::engine
