#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tb/report/names.h"
#include "tb/report/output.h"
#include "tb/report/recorder.h"

namespace fenceline::report {

/// A time in the unit that fits, with every picosecond of it, e.g. "12.345678 us".
std::string exact_time(std::uint64_t picoseconds);

/// A message in which `text` stands for each time such as "7 ps". It gets what is before the time
/// and its number.
std::string with_times(
    const std::string& message,
    const std::function<std::string(std::string_view before, const std::string& number)>& text);

/// One sentence on what `event` means, e.g. "gfx0.q0 signals app/fence to 5 (signal 3)".
std::string describe(const common::Event& event, const Names& names);
/// True for events that belong to the story: signals, waits, interrupts, decisions, bug checks.
/// The others are details of how.
bool is_story(common::EventKind kind);

/// The story of a run, one line an event with its time. Of a longer one the first and last halves
/// of `most` lines, and a line that says how many are left out.
std::vector<std::string> tell(const Recorder& recorder, const Names& names, std::size_t most);

/// Writes log.txt: every event in words.
void write_log(const Recorder& recorder, const Names& names, Output& out);

}  // namespace fenceline::report
