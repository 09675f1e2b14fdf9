#include "tb/compare/page_timeline.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "tb/report/record/packing.h"
#include "tb/report/writers/page.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::compare {

namespace {

/// Text of the script element with this id.
std::string_view element(std::string_view page, std::string_view id) {
  const std::string head = fmt::format("id=\"{}\">", id);
  const std::size_t at = page.find(head);
  const std::size_t end = at == std::string_view::npos ? at : page.find("</script>", at);
  if (end == std::string_view::npos)
    throw std::invalid_argument(fmt::format("it has no element \"{}\"", id));
  return page.substr(at + head.size(), end - at - head.size());
}

Json meta_of(std::string_view page) {
  const std::string_view text = element(page, "meta");
  // Earlier formats did not pack it.
  if (text.substr(0, 1) == "{")
    throw std::invalid_argument("another version of fenceline wrote it");
  Json meta = scenario::json_tree<Json>(report::unpacked(text));
  if (meta.at("format") != report::kPageFormat || meta.at("codec") != report::kPageCodec)
    throw std::invalid_argument("another version of fenceline wrote it");
  return meta;
}

/// Reads columns; see report::PageColumns for their order.
class Columns {
 public:
  using Numbers = std::vector<std::uint64_t>;

  explicit Columns(std::string bytes) : bytes_(std::move(bytes)) {}

  Numbers column(std::size_t count) {
    constexpr unsigned kByte = 8, kWord = 64;
    Numbers numbers(count);
    const std::size_t width = at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_]) : kWord;
    ++at_;
    if (width > kWord / kByte || width * count > bytes_.size() - std::min(at_, bytes_.size()))
      throw std::invalid_argument("its columns are damaged");
    for (unsigned shift = 0; shift < kByte * width; shift += kByte)
      for (std::uint64_t& number : numbers)
        number |= std::uint64_t{static_cast<unsigned char>(bytes_[at_++])} << shift;
    return numbers;
  }
  /// Number of items of each row.
  Numbers counts(std::size_t rows) {
    constexpr std::uint64_t kFew = 1 << 20;  // items that are all alike need no byte each
    Numbers counts = column(rows);
    std::uint64_t sum = 0;
    for (const std::uint64_t it : counts) {
      sum += std::min<std::uint64_t>(it, report::kMostUnpacked);
      if (sum > bytes_.size() + kFew) throw std::invalid_argument("its columns are damaged");
    }
    return counts;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// A zigzag number, modulo 2^64.
std::uint64_t difference(std::uint64_t number) {
  return number % 2 == 0 ? number >> 1 : ~(number >> 1);
}

/// The items of all rows, one row after the other, with their place.
struct Placed {
  std::size_t row = 0;
  Item item;
};

std::vector<Placed> placed(const Columns::Numbers& counts, bool span) {
  std::vector<Placed> items;
  for (std::size_t row = 0; row < counts.size(); ++row)
    for (std::size_t i = 0; i < counts[row]; ++i) {
      Placed& it = items.emplace_back();
      it.row = row;
      it.item.span = span;
      it.item.place = items.size() - 1;
    }
  return items;
}

void read_spans(Columns& columns, std::vector<Placed>& items) {
  const Columns::Numbers begins = columns.column(items.size()),
                         lasts = columns.column(items.size());
  std::size_t row = 0;
  std::uint64_t time = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (std::exchange(row, items[i].row) != items[i].row) time = 0;
    items[i].item.begin = time += begins[i];
    items[i].item.lasts = lasts[i];
  }
}

/// @param spans of the same rows
void read_times(Columns& columns, const std::vector<Placed>& spans, std::vector<Placed>& items) {
  const Columns::Numbers behind = columns.column(items.size()),
                         since = columns.column(items.size());
  std::size_t row = 0, edge = 0;
  std::uint64_t time = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (std::exchange(row, items[i].row) != items[i].row) time = 0;
    while (edge / 2 < spans.size() && spans[edge / 2].row < items[i].row) edge += 2 - edge % 2;
    edge += behind[i];
    if (behind[i] > 0) {
      if (edge == 0 || (edge - 1) / 2 >= spans.size())
        throw std::invalid_argument("its columns are damaged");
      const Item& at = spans[(edge - 1) / 2].item;
      time = at.begin + ((edge - 1) % 2 == 0 ? 0 : at.lasts);
    }
    items[i].item.begin = time += since[i];
  }
}

void read_names(Columns& columns, const Json& names, std::vector<Placed>& items) {
  const Columns::Numbers titles = columns.column(items.size()),
                         values = columns.column(items.size());
  std::vector<std::uint64_t> last(names.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].item.name = names.at(titles[i]).get<std::string>();
    items[i].item.value = last[titles[i]] += difference(values[i]);
  }
}

std::vector<Placed> read_items(Columns& columns, const Json& meta) {
  const Json& names = meta.at("names");
  const std::size_t rows = meta.at("rows").size();
  const Columns::Numbers slices = columns.counts(rows), instants = columns.counts(rows);
  std::vector<Placed> items = placed(slices, true), marks = placed(instants, false);
  read_spans(columns, items);
  read_names(columns, names, items);
  const Columns::Numbers open = columns.column(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i].item.open = open[i] != 0;
  columns.column(items.size());  // places
  read_times(columns, items, marks);
  read_names(columns, names, marks);
  items.insert(items.end(), marks.begin(), marks.end());
  return items;
}

/// True if the page continues `row` under this name, because its spans overlap: "gfx (2)".
bool continues(const Row& row, const std::string& group, const std::string& name) {
  if (row.group != group || name.compare(0, row.name.size(), row.name) != 0) return false;
  const std::string rest = name.substr(row.name.size());
  return rest.empty() || (rest.size() > 3 && rest.compare(0, 2, " (") == 0 && rest.back() == ')' &&
                          std::all_of(rest.begin() + 2, rest.end() - 1,
                                      [](char c) { return c >= '0' && c <= '9'; }));
}

}  // namespace

PageData read_page(std::string_view page) {
  return {meta_of(page), std::string(element(page, "columns"))};
}

PageTimeline read_timeline(std::string_view page) {
  PageTimeline timeline{read_page(page), {}};
  Columns columns(report::unpacked(timeline.columns));
  std::vector<std::size_t> place;  // of each line of the page
  for (const Json& line : timeline.meta.at("rows")) {
    const auto group = line.at("group").get<std::string>();
    const auto name = line.at("name").get<std::string>();
    if (timeline.rows.empty() || !continues(timeline.rows.back(), group, name))
      timeline.rows.push_back({group, name, {}});
    place.push_back(timeline.rows.size() - 1);
  }
  for (Placed& it : read_items(columns, timeline.meta))
    timeline.rows[place[it.row]].items.push_back(std::move(it.item));
  for (Row& row : timeline.rows)
    std::stable_sort(row.items.begin(), row.items.end(),
                     [](const Item& one, const Item& other) { return one.begin < other.begin; });
  return timeline;
}

}  // namespace fenceline::compare
