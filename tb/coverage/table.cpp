#include "tb/coverage/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tb/coverage/reasons.h"

namespace fenceline::coverage {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "fenceline-coverage-1";
constexpr const char* kNoReason = "no reason is known";

double per_cent(const Table::Share& share) {
  if (share.all == 0) return 0;
  return 100.0 * static_cast<double>(share.hit) / static_cast<double>(share.all);
}

}  // namespace

void Table::add(const Hits& hits) {
  ++runs_;
  for (const Point point : hits.points()) ++runs_of_[point];
}

void Table::add(const Table& other) {
  runs_ += other.runs_;
  for (Point point = 0; point < runs_of_.size(); ++point) runs_of_[point] += other.runs_of_[point];
}

bool Table::counts(Point point) const {
  const Space& space = Space::all();
  if (runs_of_[point] != 0) return true;
  if (is_impossible(point)) return false;
  return space.group(point) != Group::kOrder || runs_of_[space.mirror(point)] != 0;
}

Table::Share Table::share(Group group) const {
  const Space& space = Space::all();
  Share share;
  for (Point point = space.begin(group); point < space.end(group); ++point) {
    share.all += counts(point) ? 1 : 0;
    share.hit += runs_of_[point] != 0 ? 1 : 0;
  }
  return share;
}

Table::Share Table::share() const {
  Share all;
  for (std::size_t group = 0; group < kGroups; ++group) {
    const Share share = this->share(static_cast<Group>(group));
    all.hit += share.hit;
    all.all += share.all;
  }
  return all;
}

std::vector<Point> Table::holes() const {
  std::vector<Point> holes;
  for (Point point = 0; point < runs_of_.size(); ++point)
    if (counts(point) && runs_of_[point] == 0) holes.push_back(point);
  return holes;
}

std::vector<Point> Table::mistakes() const {
  std::vector<Point> mistakes;
  for (Point point = 0; point < runs_of_.size(); ++point)
    if (runs_of_[point] != 0 && is_impossible(point)) mistakes.push_back(point);
  return mistakes;
}

std::string table_json(const Table& table) {
  const Space& space = Space::all();
  Json points = Json::object();
  for (std::size_t i = 0; i < kGroups; ++i) {
    const auto group = static_cast<Group>(i);
    Json hit = Json::object();
    for (Point point = space.begin(group); point < space.end(group); ++point)
      if (table.runs_of(point) != 0) hit[space.name(point)] = table.runs_of(point);
    points[words_of(group).name] = std::move(hit);
  }
  const Json json = {{"format", kFormat}, {"runs", table.runs()}, {"points", std::move(points)}};
  return json.dump(2) + "\n";
}

Table Table::of(const std::string& json) {
  const Json read = Json::parse(json, nullptr, false);
  if (!read.is_object() || read.value("format", "") != kFormat)
    throw std::invalid_argument(fmt::format("not of the format {}", kFormat));
  const Space& space = Space::all();
  Table table;
  table.runs_ = read.at("runs").get<std::uint64_t>();
  for (std::size_t i = 0; i < kGroups; ++i) {
    const auto group = static_cast<Group>(i);
    for (const auto& [name, runs] : read.at("points").at(words_of(group).name).items()) {
      const std::optional<Point> point = space.find(group, name);
      if (!point)
        throw std::invalid_argument(
            fmt::format("this program has no {} \"{}\"", words_of(group).name, name));
      table.runs_of_[*point] = runs.get<std::uint64_t>();
    }
  }
  return table;
}

std::string table_text(const Table& table) {
  std::string text = fmt::format("{} runs\n", table.runs());
  for (std::size_t i = 0; i < kGroups; ++i) {
    const auto group = static_cast<Group>(i);
    const Table::Share share = table.share(group);
    text += fmt::format("{:>6} of {:>6}  {:5.1f} %  {}\n", share.hit, share.all, per_cent(share),
                        words_of(group).meaning);
  }
  for (const Point point : table.mistakes())
    text += fmt::format("declared impossible, and hit: {}\n", Space::all().name(point));
  return text;
}

std::string holes_text(const Table& table) {
  const Space& space = Space::all();
  std::string text;
  std::map<std::string, std::size_t> reasons;
  for (const Point hole : table.holes()) {
    const Reason* const reason = reason_of(hole);
    const std::string why = reason != nullptr ? reason->text : kNoReason;
    text += fmt::format("{}: {}: {}\n", words_of(space.group(hole)).name, space.name(hole), why);
    ++reasons[why];
  }
  for (Point point = 0; point < space.size(); ++point)
    if (is_impossible(point)) ++reasons[fmt::format("impossible: {}", reason_of(point)->text)];
  for (const auto& [reason, points] : reasons) text += fmt::format("{:>6}  {}\n", points, reason);
  return text;
}

std::string summary_text(const Table& table) {
  const Table::Share share = table.share();
  return fmt::format("coverage: {} of {} points, {:.1f} %\n", share.hit, share.all,
                     per_cent(share));
}

}  // namespace fenceline::coverage
