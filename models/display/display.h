#pragma once

#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/abi/registers.h"
#include "models/common/engine_command.h"
#include "models/common/register_file.h"
#include "models/common/simulation.h"
#include "models/display/config.h"
#include "models/display/scan_out.h"

namespace fenceline::display {

/// The display engine: reads a primary in VRAM for each frame and reports the start of the frame.
///
/// A frame begins with a vertical sync. At the sync a written address takes effect. Then come
/// vertical blanking and the image. The image is read in kPieces long accesses. Only its first and
/// last word are also read with content, each when its line is due. The reported words therefore
/// are those on the screen at the top and the bottom. An address with abi::kFlipImmediate takes
/// effect at once, between two lines of the current frame.
///
/// In self refresh the panel shows the last image from its own memory. The display then does
/// nothing until another address is written or an agent waits for blanking. A TLM_IGNORE_COMMAND at
/// abi::kDisplayBlank returns in vertical blanking. While exploring, a frame begins at any step.
class Display : public sc_core::sc_module, public common::Hashed {
 public:
  /// From the CPU, and from the command processor for buffers.
  tlm_utils::multi_passthrough_target_socket<Display> SC_NAMED(registers);
  tlm_utils::simple_initiator_socket<Display> SC_NAMED(memory);   ///< to the fabric
  tlm_utils::simple_initiator_socket<Display> SC_NAMED(notices);  ///< to the CMP: SignalNotice

  static constexpr std::uint64_t kPieces = 8;     ///< accesses per frame; A-474
  static constexpr std::uint64_t kLines = 1'024;  ///< the last word is read one line before the end

  /// @param config with a refresh period other than 0. @param adapter ObjectKind::kAdapter, for
  /// events.
  Display(const sc_core::sc_module_name& name, common::Simulation& simulation,
          const std::string& agent_name, const DisplayConfig& config, std::uint32_t adapter);

  std::uint64_t state_hash() const override;

 private:
  void access_register(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void add_registers();
  void write_primary(std::uint64_t value);
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
  const std::uint64_t place_;  ///< for footprints
  common::RegisterFile register_file_;
  common::Gate changed_;
  ScanOut scan_out_;
  bool interrupts_ = false;
  bool blank_ = false;     ///< in vertical blanking, outside self refresh
  bool scanning_ = false;  ///< between first and last line, outside self refresh
  std::uint32_t blank_waiters_ = 0;
  common::Time sync_ = 0;  ///< [ps] start of the frame
};

}  // namespace fenceline::display
