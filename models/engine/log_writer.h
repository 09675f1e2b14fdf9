#pragma once

#include <cstdint>

#include "models/common/steps/gpu_clock.h"
#include "models/engine/cmp_notices.h"
#include "models/engine/store_port.h"

namespace fenceline::engine {

/// Writes entries of fence logs: first the entry, then the index in the header of the log.
class LogWriter {
 public:
  using Socket = StorePort::Socket;
  /// Parts of the engine that the writer uses.
  struct Uses {
    Socket& positions;  ///< to the command processor, see common::LogCursor
    StorePort& stores;
    CmpNotices& notices;
    const common::GpuClock& clock;
    std::uint32_t number;  ///< node ordinal
  };
  LogWriter(common::Simulation& simulation, const Uses& uses)
      : simulation_(simulation), uses_(uses) {}

  /// Executes a LOG packet of the command. False if it is refused or the log could not be written.
  bool write(const common::EngineCommand& command, const abi::LogPacket& packet);

 private:
  void access_position(tlm::tlm_command what, const common::EngineCommand& command,
                       common::LogCursor& log);
  bool post_entry(const common::EngineCommand& command, const abi::LogPacket& packet,
                  const common::LogCursor& log);
  bool post_index(const common::EngineCommand& command, const common::LogCursor& log);

  common::Simulation& simulation_;
  const Uses uses_;
};

}  // namespace fenceline::engine
