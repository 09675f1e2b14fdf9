#pragma once

#include <string>

#include "tb/report/record/packing.h"

namespace fenceline::support {

/// Start and length of the meta data in a report.html.
struct MetaPlace {
  std::size_t begin = 0;
  std::size_t size = 0;
};
inline MetaPlace meta_place(const std::string& page) {
  const std::string head = "id=\"meta\">";
  const std::size_t begin = page.find(head) + head.size();
  return {begin, page.find("</script>", begin) - begin};
}

/// The meta data of a report.html, as a JSON text.
inline std::string meta_text(const std::string& page) {
  const MetaPlace place = meta_place(page);
  return report::unpacked(page.substr(place.begin, place.size));
}

/// The same page with another meta element. @param content packed or not
inline std::string with_meta(std::string page, const std::string& content) {
  const MetaPlace place = meta_place(page);
  return page.replace(place.begin, place.size, content);
}

}  // namespace fenceline::support
