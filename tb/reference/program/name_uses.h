#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fenceline::reference {

/// A name in a process: process, name.
using Name = std::pair<std::string, std::string>;

/// Objects that the name of a fence may stand for, by the steps that create, destroy and use it.
class NameUses {
 public:
  enum class Kind : std::uint8_t {
    kFixed,   ///< the same object from start to end
    kLocal,   ///< one thread alone creates, destroys and uses it
    kOnce,    ///< several threads use it, but only one object ever has it
    kUnclear  ///< several threads, and several objects
  };

  explicit NameUses(const nlohmann::json& scenario);

  Kind kind(const Name& name) const;
  /// A step closes it.
  bool is_destroyed(const Name& name) const {
    const auto found = uses_.find(name);
    return found != uses_.end() && found->second.destroyed;
  }
  /// A name that may stand for fences of several kinds. None of a clear name is one.
  bool is_mixed() const;
  /// The fence of the first step that creates it, for kOnce and kUnclear; null without such a step.
  const nlohmann::json* creation(const Name& name) const;
  /// Names that a step creates, in the order of the programs.
  const std::vector<Name>& created() const { return created_; }

 private:
  struct Uses {
    bool declared = false;
    bool repeated = false;  ///< a step that creates it may run more than once
    bool destroyed = false;
    bool together = false;  ///< a call names it together with others
    std::vector<const nlohmann::json*> creations;
    std::set<std::string> users;                ///< programs and other processes
    std::vector<const nlohmann::json*> fences;  ///< declarations and creations
  };
  /// Properties of a fence on which calls and commands depend.
  struct FenceKind {
    bool monitored = false;
    bool gpu_access = true;
    bool cross_adapter = false;    ///< only calls for several fences depend on it
    std::set<std::string> limits;  ///< flags of the handle

    bool operator<(const FenceKind& other) const {
      return std::tie(monitored, gpu_access, cross_adapter, limits) <
             std::tie(other.monitored, other.gpu_access, other.cross_adapter, other.limits);
    }
  };
  /// Of the fences that the name may stand for. @param path names that open it, each the next
  std::set<FenceKind> fence_kinds(const Name& name, std::set<Name> path = {}) const;

  void read_steps(const nlohmann::json& steps, bool repeated);
  void read_uses(const nlohmann::json& value);
  void use(const std::string& process, const std::string& name);
  void use_elsewhere(const std::string& name);

  std::map<Name, Uses> uses_;
  std::vector<Name> created_;
  std::string process_;  ///< of the program that is read
  std::string program_;
  bool several_threads_ = false;
};

}  // namespace fenceline::reference
