#include "tb/scenario/brief.h"

#include <algorithm>

#include "tb/scenario/shapes/brief_writer.h"
#include "tb/scenario/shapes/default_finder.h"
#include "tb/scenario/shapes/platform.h"
#include "tb/scenario/text/json_document.h"

namespace fenceline::scenario {

namespace {

constexpr std::size_t kColumns = 100;

/// The begin of a member: its key; nothing for an element of an array.
std::string key_text(const Json& parent, const std::string& key) {
  return parent.is_object() ? Json(key).dump() + ": " : "";
}

/// Appends the value without line breaks. False, with part of it appended, if `out` gets longer
/// than `most`: the rest is not looked at, so a document costs no more than its text.
bool fits_on_one_line(const Json& value, std::size_t most, std::string& out) {
  if (!value.is_structured()) {
    out += value.dump();
    return out.size() <= most;
  }
  out += value.is_object() ? "{" : "[";
  const char* separator = "";
  for (const auto& [key, child] : value.items()) {
    out += separator + key_text(value, key);
    if (!fits_on_one_line(child, most, out)) return false;
    separator = ", ";
  }
  out += value.is_object() ? "}" : "]";
  return out.size() <= most;
}

/// @param used columns of the line that other text takes.
void write_lines(const Json& value, std::size_t indent, std::size_t used, std::string& out) {
  const std::size_t before = out.size();
  const bool whole = !value.is_structured() || value.empty();
  if (fits_on_one_line(value, before + kColumns - std::min(used, kColumns), out) || whole) return;
  out.resize(before);
  const std::string margin(indent + 2, ' ');
  out += value.is_object() ? "{" : "[";
  const char* separator = "\n";
  for (const auto& [key, child] : value.items()) {
    const std::string start = margin + key_text(value, key);
    out += separator + start;
    write_lines(child, indent + 2, start.size() + 1, out);
    separator = ",\n";
  }
  out += "\n" + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

Scenario default_scenario() {
  Scenario base;
  static_cast<top::PlatformConfig&>(base.platform) = default_platform();
  return base;
}

}  // namespace

Json brief_document(const Scenario& scenario) {
  return brief(ObjectCodec<Scenario>{}, scenario, default_scenario());
}

nlohmann::ordered_json changed_defaults(const std::string& effective) {
  const Source source{"the effective document"};
  const JsonValue document = parse_json(effective, source.path);
  const Scenario base = default_scenario();
  Scenario scenario = base;
  const ObjectCodec<Scenario> codec;
  codec.read(Node(document, source), scenario);
  Defaults found;
  find_defaults(codec, scenario, base, "", found);
  nlohmann::ordered_json list = nlohmann::ordered_json::object();
  for (const auto& [pointer, standard] : found) list[pointer] = standard;
  return list;
}

std::string brief_text(const Json& document) {
  std::string text;
  write_lines(document, 0, 0, text);
  return text + "\n";
}

}  // namespace fenceline::scenario
