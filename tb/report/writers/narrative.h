#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tb/report/record/names.h"
#include "tb/report/record/output.h"
#include "tb/report/record/recorder.h"

namespace fenceline::report {

/// A time in ns or us with all its picoseconds, e.g. "12.345678 us".
std::string exact_time(std::uint64_t picoseconds);

/// `message` with each time such as "7 ps" replaced by the result of `text`, which gets the text
/// before the time and the number.
std::string with_times(
    const std::string& message,
    const std::function<std::string(std::string_view before, const std::string& number)>& text);

/// One sentence that describes `event`, e.g. "gfx0.q0 signals app/fence to 5 (signal 3)".
std::string describe(const common::Event& event, const Names& names);
/// True for events that belong to the story: signals, waits, interrupts, decisions, bug checks.
/// The other events are details.
bool is_story(common::EventKind kind);

/// The story of a run: one line per event, with its time. A story of more than `max` lines is cut
/// to the first and last `max` / 2, with a line between them that has the number of lines left out.
std::vector<std::string> tell(const Recorder& recorder, const Names& names, std::size_t max);

/// Writes log.txt: every event in words.
void write_log(const Recorder& recorder, const Names& names, Output& out);

}  // namespace fenceline::report
