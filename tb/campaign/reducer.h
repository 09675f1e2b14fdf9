#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace fenceline::campaign {

/// A scenario as a document, with its keys in the order of the file.
using Document = nlohmann::ordered_json;

/// Judges candidates for a smaller scenario.
class Candidates {
 public:
  virtual ~Candidates() = default;
  /// Index of the first candidate that still fails; none if none does. May change that candidate.
  virtual std::optional<std::size_t> first_failing(std::vector<Document>& candidates) = 0;
  /// Nothing more is judged: time is over, or the user wants to stop.
  virtual bool stopped() const = 0;
};

/// Makes a scenario smaller, as long as it fails: without threads, steps, commands, loops, objects
/// and keys, then with smaller numbers and shorter names. At the end no single one of these moves
/// leads to a scenario that fails.
class Reducer {
 public:
  Reducer(Document scenario, Candidates& candidates)
      : document_(std::move(scenario)), candidates_(candidates) {}

  /// The smallest scenario found. @pre the scenario fails
  Document run();

 private:
  using Pointer = Document::json_pointer;
  using Make = std::function<std::optional<Document>(std::size_t)>;

  /// Takes the first of `count` candidates that fails. @return its index, or none.
  std::optional<std::size_t> improve(std::size_t count, const Make& make);
  void reduce(const Pointer& at);
  void reduce_array(const Pointer& at);
  void reduce_keys(const Pointer& at);
  /// Removes parts of a list, halves first. @param without the document without [first, last)
  void reduce_list(const std::function<std::size_t()>& size,
                   const std::function<Document(std::size_t first, std::size_t last)>& without);
  void reduce_loops(const Pointer& at);
  void reduce_number(const Pointer& at);
  void reduce_numbers(const Pointer& at);
  void lower_limit();
  void reduce_names();

  Document document_;
  Candidates& candidates_;
  bool changed_ = false;
};

}  // namespace fenceline::campaign
