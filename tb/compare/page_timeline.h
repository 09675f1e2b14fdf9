#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fenceline::compare {

using Json = nlohmann::ordered_json;

/// A span or an instant of a page's timeline.
struct Item {
  std::string name;         ///< without its value: "signal app/frame"
  std::uint64_t value = 0;  ///< 0 if there is none
  std::uint64_t begin = 0;  ///< [ps]
  std::uint64_t lasts = 0;  ///< [ps]; 0 for an instant
  bool span = false;
  bool open = false;      ///< it should have ended before the end of the run
  std::size_t place = 0;  ///< index among the spans or instants of the page
};

/// What is on one row of the timeline, by begin. Spans that the page puts on several lines because
/// they overlap are on one row here.
struct Row {
  std::string group;  ///< heading, for example "Queues"
  std::string name;
  std::vector<Item> items;
};

/// What is in the page of a run.
struct PageData {       // NOLINT(bugprone-exception-escape): moving a Json throws nothing
  Json meta;            ///< all but the columns
  std::string columns;  ///< packed
};

/// The timeline of a report.html.
struct PageTimeline : PageData {  // NOLINT(bugprone-exception-escape): the same
  std::vector<Row> rows;
};

/// The parts of a report.html as they are. Throws std::invalid_argument as read_timeline() does.
PageData read_page(std::string_view page);

/// Reads a report.html. Throws std::invalid_argument for another file, a damaged one, or
/// one of another version.
PageTimeline read_timeline(std::string_view page);

}  // namespace fenceline::compare
