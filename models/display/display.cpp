#include "models/display/display.h"

#include <cstring>

namespace fenceline::display {

using common::Footprint;
using common::Operation;
using common::Place;

Display::Display(const sc_core::sc_module_name& name, common::Simulation& simulation,
                 const std::string& agent_name, const DisplayConfig& config, std::uint32_t adapter)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      adapter_(adapter),
      place_(simulation.steps.new_place()),
      changed_(simulation.steps),
      scan_out_(config) {
  registers.register_b_transport(this, &Display::access_register);
  add_registers();
  simulation_.steps.add_agent(agent_name, [this] { run(); });
  simulation_.steps.add_state(*this);
}

std::uint64_t Display::state_hash() const {
  return common::hash_values(scan_out_.hash(), std::uint64_t{blank_waiters_} << 3 |
                                                   (scanning_ ? 4U : 0U) | (interrupts_ ? 2U : 0U) |
                                                   (blank_ ? 1U : 0U));
}

void Display::access_register(int /*id*/, tlm::tlm_generic_payload& payload,
                              sc_core::sc_time& delay) {
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  simulation_.steps.touch(Place::kRegister, place_, payload.is_write());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return wait_for_blank();
  register_file_.access(payload);
}

void Display::add_registers() {
  register_file_.add_read_only(abi::kDisplayMode,
                               [this](const auto&) { return config_.primary_bytes; });
  register_file_.add_write_only(
      abi::kDisplayPrimary, [this](std::uint64_t, std::uint64_t value) { write_primary(value); });
  register_file_.add_read_only(abi::kDisplayCurrent,
                               [this](const auto&) { return scan_out_.current(); });
  register_file_.add(
      abi::kDisplayInterrupt, [this](const auto&) { return interrupts_ ? 1 : 0; },
      [this](std::uint64_t, std::uint64_t value) { interrupts_ = (value & 1) != 0; });
  register_file_.add_read_only(abi::kDisplayBlank, [this](const auto&) { return blank_ ? 1 : 0; });
}

void Display::write_primary(std::uint64_t value) {
  const bool immediate = (value & abi::kFlipImmediate) != 0;
  if (scan_out_.write(value & ~abi::kFlipImmediate, immediate))
    simulation_.emit(
        event::FlipEffective{adapter_, scan_out_.current(), scanning_, scan_out_.frame()});
  changed_.open();
}

void Display::wait_for_blank() {
  ++blank_waiters_;
  changed_.open();
  simulation_.steps.wait_until(changed_, [this] {
    simulation_.steps.touch(Place::kRegister, place_, false);
    return blank_;
  });
  simulation_.steps.touch(Place::kRegister, place_, true);
  --blank_waiters_;
}

void Display::run() {
  common::Steps& steps = simulation_.steps;
  for (;;) {
    steps.forget();
    steps.wait_until(changed_, [this] {
      simulation_.steps.touch(Place::kRegister, place_, false);
      return scan_out_.awake() || blank_waiters_ > 0;
    });
    const common::Time now = steps.simulated();
    sync_ = scan_out_.next_sync(now);
    steps.step(Operation::kWork, Footprint().writes(Place::kRegister, place_), sync_ - now);
    begin_frame();
    wait_for_line(scan_out_.line(0, kPieces));
    scan_frame();
  }
}

void Display::begin_frame() {
  simulation_.steps.touch(Place::kRegister, place_, true);
  const bool flips = scan_out_.sync(sync_);
  if (flips)
    simulation_.emit(event::FlipEffective{adapter_, scan_out_.current(), false, scan_out_.frame()});
  simulation_.emit(event::VerticalSync{adapter_, scan_out_.current(), scan_out_.frame()});
  blank_ = true;
  changed_.open();
  if (interrupts_) interrupt();
}

void Display::interrupt() {
  common::SignalNotice notice;
  notice.kind = common::SignalNotice::Kind::kVerticalSync;
  notice.engine = abi::kDisplayEngine;
  notice.value = scan_out_.current();
  auto tell = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, 0, &notice, sizeof notice);
  common::send(simulation_.steps, notices, tell);
}

void Display::scan_frame() {
  common::Steps& steps = simulation_.steps;
  steps.step(Operation::kRead, Footprint().writes(Place::kRegister, place_));
  steps.touch(Place::kRegister, place_, true);
  blank_ = false;
  if (scan_out_.current() == 0) return;  // no primary was ever written
  scanning_ = true;
  simulation_.emit(event::ScanTop{adapter_, scan_out_.current(), read_word(scan_out_.current()),
                                  scan_out_.frame()});
  for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
    wait_for_line(scan_out_.line(piece, kPieces));
    read_piece(piece);
  }
  wait_for_line(scan_out_.line(kLines - 1, kLines));
  steps.step(Operation::kRead, Footprint().writes(Place::kRegister, place_));
  steps.touch(Place::kRegister, place_, true);
  const std::uint64_t last = config_.primary_bytes - sizeof(std::uint64_t);
  simulation_.emit(event::ScanBottom{adapter_, scan_out_.current(),
                                     read_word(scan_out_.current() + last), scan_out_.frame()});
  scanning_ = false;
}

/// Waits for `line`, a time after the sync.
void Display::wait_for_line(common::Time line) {
  const common::Time now = simulation_.steps.simulated();
  if (sync_ + line > now) simulation_.steps.elapse(sync_ + line - now);
}

std::uint64_t Display::read_word(std::uint64_t address) {
  simulation_.steps.touch(Place::kRegister, place_, false);
  std::uint64_t word = 0;
  auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, address, &word, sizeof word);
  sc_core::sc_time ahead = sc_core::SC_ZERO_TIME;  // the display reads ahead of the scan-out
  memory->b_transport(read->payload, ahead);
  return word;
}

/// Reads a part of the image without content: only memory traffic counts.
void Display::read_piece(std::uint64_t piece) {
  const std::uint64_t bytes = config_.primary_bytes / kPieces;
  auto traffic = simulation_.transactions.lend_traffic(
      tlm::TLM_READ_COMMAND, scan_out_.current() + piece * bytes, bytes, common::kPhysical);
  sc_core::sc_time ahead = sc_core::SC_ZERO_TIME;
  memory->b_transport(traffic->payload, ahead);
}

}  // namespace fenceline::display
