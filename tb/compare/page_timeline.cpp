#include "tb/compare/page_timeline.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

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

/// Reads LEB128 numbers; see report::PageColumns for their order.
class Columns {
 public:
  explicit Columns(std::string bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t number() {
    constexpr unsigned kBits = 7, kWord = 64;
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ < bytes_.size() && shift < kWord; shift += kBits) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
    throw std::invalid_argument("its columns are damaged");
  }
  /// A zigzag number, modulo 2^64.
  std::uint64_t difference() {
    const std::uint64_t value = number();
    return value % 2 == 0 ? value >> 1 : ~(value >> 1);
  }
  /// Number of items of each row. Every item has a byte of its own at least.
  std::vector<std::size_t> counts(std::size_t rows) {
    std::vector<std::size_t> counts(rows);
    std::uint64_t sum = 0;
    for (std::size_t& it : counts) {
      it = number();
      if (it > bytes_.size() || (sum += it) > bytes_.size())
        throw std::invalid_argument("its columns are damaged");
    }
    return counts;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// The items of all rows, one row after the other, with their place.
struct Placed {
  std::size_t row = 0;
  Item item;
};

std::vector<Placed> placed(const std::vector<std::size_t>& counts, bool span) {
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

void read_begins(Columns& columns, std::vector<Placed>& items) {
  std::size_t row = 0;
  std::uint64_t time = 0;
  for (Placed& it : items) {
    if (it.row != row) time = 0;
    row = it.row;
    it.item.begin = time += columns.number();
  }
}

void read_names(Columns& columns, const Json& names, std::vector<Placed>& items) {
  std::vector<std::size_t> titles;
  for (Placed& it : items) {
    titles.push_back(columns.number());
    it.item.name = names.at(titles.back()).get<std::string>();
  }
  std::vector<std::uint64_t> last(names.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i].item.value = last[titles[i]] += columns.difference();
}

std::vector<Placed> read_items(Columns& columns, const Json& meta) {
  const Json& names = meta.at("names");
  const std::size_t rows = meta.at("rows").size();
  const std::vector<std::size_t> slices = columns.counts(rows), instants = columns.counts(rows);
  std::vector<Placed> items = placed(slices, true), marks = placed(instants, false);
  read_begins(columns, items);
  for (Placed& it : items) it.item.lasts = columns.number();
  read_names(columns, names, items);
  for (Placed& it : items) it.item.open = columns.number() != 0;
  for (std::size_t i = 0; i < items.size(); ++i) columns.number();  // places
  read_begins(columns, marks);
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
