#include "tb/app/cli/commands/word_commands.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "models/common/events.h"
#include "tb/check/core/invariants.h"
#include "tb/report/rows/timeline_builder.h"
#include "tb/scenario/shapes/ordering_names.h"

namespace fenceline::cli {

namespace {

using Json = nlohmann::ordered_json;

const char* name_of(common::ObjectKind kind) {
  constexpr std::array kNames = {"none",  "fence",      "queue",    "log",  "engine",
                                 "core",  "thread",     "adapter",  "link", "process",
                                 "agent", "allocation", "call_site"};
  static_assert(kNames.size() == static_cast<std::size_t>(common::ObjectKind::kCount));
  return kNames[static_cast<std::size_t>(kind)];
}

/// Words of a field as events.csv has it: "a", or "c[7:0]" where it shares a word.
std::string place_of(const event::Place& place) {
  constexpr const char* kWords[] = {"object", "a", "b", "c"};
  if (place.bits >= 64 || place.word == 0) return kWords[place.word];
  return fmt::format("{}[{}:{}]", kWords[place.word], place.shift + place.bits - 1, place.shift);
}

Json event_json(common::EventKind kind) {
  const event::Description& event = common::description(kind);
  Json fields = Json::array();
  for (std::size_t i = 0; i < event.count; ++i) {
    const event::Field& field = event.fields[i];
    Json one{{"name", field.name}, {"place", place_of(field.place)}};
    if (field.object != common::ObjectKind::kNone) one["names"] = name_of(field.object);
    fields.push_back(std::move(one));
  }
  return {{"name", event.words.name},
          {"sentence", event.words.sentence},
          {"timeline", report::shown_as(kind)},
          {"fields", fields}};
}

/// The note behind a value: the default, or what breaks if this switch alone has it.
std::string note_of(const scenario::SwitchInfo& info, std::size_t value) {
  if (value == info.initial) return " (default)";
  if (info.values[value].safe()) return " (safe alone)";
  return fmt::format(" (may break {})", fmt::join(info.values[value].breaks, " "));
}

}  // namespace

int print_switches(const Options& options, const Console& console) {
  if (options.json) {
    console.out << scenario::switches_json().dump(2) << '\n';
    return kExitOk;
  }
  for (const scenario::SwitchInfo& info : scenario::switch_infos()) {
    console.out << fmt::format("{}\n    {}\n", info.name, info.doc);
    for (std::size_t i = 0; i < info.values.size(); ++i)
      console.out << fmt::format("    {}{}{}{}\n", info.values[i].json, note_of(info, i),
                                 info.values[i].meaning.empty() ? "" : ": ",
                                 info.values[i].meaning);
  }
  return kExitOk;
}

int print_invariants(const Options& options, const Console& console) {
  Json list = Json::array();
  for (const check::InvariantInfo& info : check::all_invariants()) {
    if (options.json)
      list.push_back({{"id", info.id},
                      {"name", info.name},
                      {"sentence", info.sentence},
                      {"source", info.source},
                      {"rows", info.rows},
                      {"broken_by", info.broken_by}});
    else
      console.out << fmt::format("{} {}\n    {}\n", info.id, info.name, info.sentence);
  }
  if (options.json) console.out << list.dump(2) << '\n';
  return kExitOk;
}

int print_events(const Options& options, const Console& console) {
  Json list = Json::array();
  for (std::size_t kind = 0; kind < event::kDescriptions.size(); ++kind) {
    const event::Description& event = event::kDescriptions[kind];
    if (options.json) {
      list.push_back(event_json(static_cast<common::EventKind>(kind)));
      continue;
    }
    console.out << fmt::format("{}\n    {}\n", event.words.name, event.words.sentence);
    for (std::size_t i = 0; i < event.count; ++i)
      console.out << fmt::format("    {}: {}\n", place_of(event.fields[i].place),
                                 event.fields[i].name);
  }
  if (options.json) console.out << list.dump(2) << '\n';
  return kExitOk;
}

}  // namespace fenceline::cli
