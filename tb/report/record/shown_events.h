#pragma once

#include <cstdint>
#include <string>

#include "models/common/events.h"
#include "tb/report/record/names.h"
#include "tb/report/record/timeline.h"

/// How a timeline shows events that are no part of a span, and why it does not show others.
namespace fenceline::report {

/// An event that is a mark on one lane. Its name and the words of its value are those of its
/// declaration in models/common/events.
struct EventMark {
  Lane lane;           ///< of the object of that kind in the event, else in its agent
  const char* style;   ///< class in the style sheets
  event::Field value;  ///< shown with the mark; without a name: none
  event::Field time;   ///< [ps] place of the mark; without a name: the time of the event
};

/// Null for an event that has no mark of its own.
const EventMark* event_mark(common::EventKind kind);

/// Why a timeline has neither a span nor a mark for an event; null for the others.
const char* reason_for_no_row(common::EventKind kind);

/// Name of an event in words: "message lost".
std::string event_words(common::EventKind kind);
/// Name of the mark without its number: "message lost", "link fault: a message is late".
std::string mark_title(common::EventKind kind, std::uint64_t value, const Names& names);
/// True if the value is a number, which is not part of the title.
bool has_number(common::EventKind kind);
/// The number as the sentence of the event writes it: "0x1000"; empty if the value is a word.
std::string mark_number(common::EventKind kind, std::uint64_t value);

}  // namespace fenceline::report
