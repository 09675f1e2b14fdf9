#pragma once

#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/abi/registers.h"
#include "models/common/engine_command.h"
#include "models/common/simulation.h"
#include "models/display/config.h"
#include "models/display/scan_out.h"

namespace fenceline::display {

/// The display engine: reads a primary in VRAM, frame by frame, and says when one begins.
///
/// A frame begins with a vertical sync, at which a written address takes effect; then comes
/// vertical blanking, then the image. Its memory traffic is read in kPieces long accesses; of the
/// image itself the first and the last word are read when their lines are due, so that what is
/// reported of a frame is what was on the screen at its top and at its bottom. An address with
/// abi::kFlipImmediate takes effect at once, between two lines of whatever is on its way.
///
/// Nothing happens once the panel shows the last image from its own memory (self refresh), until
/// another address is written or somebody waits for blanking. A TLM_IGNORE_COMMAND at
/// abi::kDisplayBlank returns in vertical blanking. While exploring, a frame begins at any step.
class Display : public sc_core::sc_module, public common::Hashed {
 public:
  /// From the CPU, and from the command processor for its buffers.
  tlm_utils::multi_passthrough_target_socket<Display> SC_NAMED(registers);
  tlm_utils::simple_initiator_socket<Display> SC_NAMED(memory);   ///< to the fabric
  tlm_utils::simple_initiator_socket<Display> SC_NAMED(notices);  ///< to the CMP: SignalNotice

  static constexpr std::uint64_t kPieces = 8;     ///< accesses a frame; A-474
  static constexpr std::uint64_t kLines = 1'024;  ///< the last word is read a line before the end

  /// @param config with a refresh period. @param adapter ObjectKind::kAdapter, for events.
  Display(const sc_core::sc_module_name& name, common::Simulation& simulation,
          const std::string& agent_name, const DisplayConfig& config, std::uint32_t adapter);

  std::uint64_t state_hash() const override;

 private:
  void access_register(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  std::uint64_t read_register(std::uint64_t offset) const;
  void write_register(std::uint64_t offset, std::uint64_t value);
  void wait_for_blank();
  void run();
  void begin_frame();
  void interrupt();
  void scan_frame();
  void wait_for_line(common::Time line);
  std::uint64_t read_word(std::uint64_t address);
  void read_piece(std::uint64_t piece);

  common::Simulation& simulation_;
  const DisplayConfig config_;
  const std::uint32_t adapter_;
  const std::uint64_t place_;  ///< of footprints
  common::Gate changed_;
  ScanOut scan_out_;
  bool interrupts_ = false;
  bool blank_ = false;     ///< vertical blanking, of a frame that is not the panel's own
  bool scanning_ = false;  ///< between the first and the last line of such a frame
  std::uint32_t blank_waiters_ = 0;
  common::Time sync_ = 0;  ///< [ps] when the frame began
};

}  // namespace fenceline::display
