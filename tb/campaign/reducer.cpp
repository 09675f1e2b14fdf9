#include "tb/campaign/reducer.h"

#include <algorithm>

#include "tb/campaign/moves.h"

namespace fenceline::campaign {

namespace {

constexpr std::size_t kAhead = 16;  ///< candidates that are made at once

/// The keys of an object, `programs` first: without threads there is less of everything else.
std::vector<std::string> keys_of(const Document& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  std::stable_partition(keys.begin(), keys.end(),
                        [](const std::string& key) { return key == "programs"; });
  return keys;
}

/// The seed is part of what fails, and so are the limits: with few steps every run is stopped.
bool stays(const std::string& key) {
  return key == "schema_version" || key == "seed" || key == "name" || key == "limits";
}

}  // namespace

std::optional<std::size_t> Reducer::improve(std::size_t count, const Make& make) {
  for (std::size_t next = 0; next < count && !candidates_.stopped();) {
    std::vector<Document> candidates;
    std::vector<std::size_t> indices;
    for (; next < count && candidates.size() < kAhead; ++next)
      if (std::optional<Document> candidate = make(next)) {
        candidates.push_back(std::move(*candidate));
        indices.push_back(next);
      }
    if (candidates.empty()) continue;
    if (const auto failing = candidates_.first_failing(candidates)) {
      document_ = std::move(candidates[*failing]);
      changed_ = true;
      return indices[*failing];
    }
  }
  return std::nullopt;
}

void Reducer::reduce_list(
    const std::function<std::size_t()>& size,
    const std::function<Document(std::size_t first, std::size_t last)>& without) {
  for (std::size_t chunk = size(); chunk > 0; chunk /= 2)
    for (std::size_t start = 0; start < size();) {
      const std::size_t chunks = (size() - start + chunk - 1) / chunk;
      const auto removed = improve(chunks, [&](std::size_t index) {
        const std::size_t first = start + index * chunk;
        return std::optional<Document>(without(first, std::min(first + chunk, size())));
      });
      if (!removed) break;
      start += *removed * chunk;
    }
}

void Reducer::reduce_array(const Pointer& at) {
  reduce_list([&] { return document_[at].size(); },
              [&](std::size_t first, std::size_t last) {
                Document candidate = document_;
                Document& list = candidate[at];
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(first),
                           list.begin() + static_cast<std::ptrdiff_t>(last));
                return candidate;
              });
  for (std::size_t i = 0; i < document_[at].size(); ++i) reduce(at / i);
}

void Reducer::reduce_keys(const Pointer& at) {
  const auto removable = [&] {
    std::vector<std::string> keys = keys_of(document_[at]);
    if (at.empty()) keys.erase(std::remove_if(keys.begin(), keys.end(), stays), keys.end());
    return keys;
  };
  reduce_list([&] { return removable().size(); },
              [&](std::size_t first, std::size_t last) {
                Document candidate = document_;
                const std::vector<std::string> keys = removable();
                for (std::size_t i = first; i < last; ++i) candidate[at].erase(keys[i]);
                return candidate;
              });
}

void Reducer::reduce(const Pointer& at) {
  if (document_[at].is_array()) return reduce_array(at);
  if (!document_[at].is_object()) return;
  // The programs before what they use: most keys can go only when nothing names them.
  if (at.empty() && document_.contains("programs")) reduce(at / "programs");
  reduce_keys(at);
  for (const std::string& key : keys_of(document_[at]))
    if (document_[at].contains(key) && !(at.empty() && stays(key))) reduce(at / key);
}

/// A loop becomes its first or its last round.
void Reducer::reduce_loops(const Pointer& at) {
  if (document_[at].is_array())
    for (std::size_t i = 0; i < document_[at].size(); ++i) {
      if (!document_[at][i].is_object() || !document_[at][i].contains("repeat")) continue;
      improve(2, [&](std::size_t which) -> std::optional<Document> {
        Document candidate = document_;
        Document& list = candidate[at];
        const Document loop = list[i]["repeat"];
        const bool counted = loop.contains("count") && loop["count"].is_number_unsigned();
        const std::uint64_t rounds = counted ? loop["count"].get<std::uint64_t>() : 1;
        if (which == 1 && rounds < 2) return std::nullopt;
        const Document body = body_of_round(loop, which == 0 ? 0 : rounds - 1);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(i), body.begin(), body.end());
        return candidate;
      });
    }
  const bool object = document_[at].is_object();
  if (!object && !document_[at].is_array()) return;
  const std::vector<std::string> keys =
      object ? keys_of(document_[at]) : std::vector<std::string>();
  for (const std::string& key : keys) reduce_loops(at / key);
  for (std::size_t i = 0; !object && i < document_[at].size(); ++i) reduce_loops(at / i);
}

/// A number that has to stay above a bound comes to it in few steps, however far it is away.
void Reducer::reduce_number(const Pointer& at) {
  const std::optional<Quantity> quantity = quantity_of(document_[at]);
  if (!quantity) return;
  const auto fails_with = [&](std::uint64_t number) {
    return improve(1,
                   [&](std::size_t) {
                     Document candidate = document_;
                     candidate[at] = quantity->with(number);
                     return std::optional<Document>(std::move(candidate));
                   })
        .has_value();
  };
  std::uint64_t low = 0, high = quantity->number;
  if (high == 0 || fails_with(0) || (high > 1 && fails_with(1))) return;
  while (high - low > 1 && !candidates_.stopped()) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fails_with(middle) ? high : low) = middle;
  }
}

void Reducer::reduce_numbers(const Pointer& at) {
  if (document_[at].is_array())
    for (std::size_t i = 0; i < document_[at].size(); ++i) reduce_numbers(at / i);
  else if (document_[at].is_object())
    for (const std::string& key : keys_of(document_[at])) {
      if (!at.empty() || !stays(key)) reduce_numbers(at / key);
    }
  else
    reduce_number(at);
}

/// A run that does not end takes all steps that it may. Far fewer are still more than a scenario
/// of a campaign needs.
void Reducer::lower_limit() {
  constexpr std::uint64_t kEnough = 300'000;
  const Pointer at("/limits/steps");
  if (!document_.contains(at) || !document_[at].is_number_unsigned() ||
      document_[at].get<std::uint64_t>() <= kEnough)
    return;
  improve(1, [&](std::size_t) {
    Document candidate = document_;
    candidate[at] = kEnough;
    return std::optional<Document>(std::move(candidate));
  });
}

void Reducer::reduce_names() {
  const std::vector<NamedThing> names = long_names(document_);
  for (const NamedThing& thing : names)
    improve(1, [&](std::size_t) { return std::optional<Document>(renamed(document_, thing)); });
}

Document Reducer::run() {
  lower_limit();
  do {
    changed_ = false;
    reduce(Pointer());
    reduce_loops(Pointer());
    reduce_numbers(Pointer());
    if (!changed_) reduce_names();
  } while (changed_ && !candidates_.stopped());
  return document_;
}

}  // namespace fenceline::campaign
