#include "tb/scenario/profiles.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "tb/scenario/shapes/platform.h"
#include "tb/scenario/text/json_document.h"

namespace fenceline::scenario {

namespace {

const BuiltinProfile& find_profile(std::string_view kind, std::string_view name) {
  for (const BuiltinProfile& profile : builtin_profiles()) {
    if (kind == profile.kind && name == profile.name) return profile;
  }
  throw std::invalid_argument("no profile " + std::string(name));
}

/// Keeps only the values of a profile: meanings and sources are for readers of the file.
void drop_citations(JsonValue& value) {
  auto& children = value.children;
  const auto cites = [](const JsonMember& member) {
    return member.key == "source" || member.key == "description";
  };
  children.erase(std::remove_if(children.begin(), children.end(), cites), children.end());
  for (JsonMember& member : children) drop_citations(member.value);
}

/// The document of a profile. It is parsed once: a process may load many scenarios.
const JsonValue& document_of(const BuiltinProfile& profile, const Source& source) {
  static std::map<const BuiltinProfile*, JsonValue> documents;
  const auto [found, fresh] = documents.try_emplace(&profile);
  if (fresh) {
    found->second = parse_json(profile.text, source.path);
    drop_citations(found->second);
  }
  return found->second;
}

template <class Shape, class T>
void read_profile(const BuiltinProfile& profile, T& out) {
  const Source source{std::string(profile.kind) + "/" + profile.name + ".json"};
  ObjectCodec<Shape>{}.read(Node(document_of(profile, source), source), out);
}

}  // namespace

std::vector<std::string> profile_names(std::string_view kind) {
  std::vector<std::string> names;
  for (const BuiltinProfile& profile : builtin_profiles()) {
    if (kind == profile.kind) names.emplace_back(profile.name);
  }
  return names;
}

void load_host_profile(const std::string& name, top::PlatformConfig& platform) {
  const BuiltinProfile& profile = find_profile("hosts", name);
  platform.host_profile = name;
  read_profile<HostProfileShape>(profile, platform);
}

void load_gpu_profile(const std::string& name, top::GpuConfig& gpu) {
  const BuiltinProfile& profile = find_profile("gpus", name);
  gpu.profile = name;
  read_profile<GpuProfileShape>(profile, gpu);
}

void load_chip_profile(const std::string& name, engine::ChipConfig& chip) {
  read_profile<HardwareShape<engine::ChipConfig>>(find_profile("chips", name), chip);
}

const top::PlatformConfig& default_platform() {
  static const top::PlatformConfig kDefault = [] {
    top::PlatformConfig platform;
    load_host_profile("desktop", platform);
    load_gpu_profile("discrete", platform.gpus.front());
    return platform;
  }();
  return kDefault;
}

}  // namespace fenceline::scenario
