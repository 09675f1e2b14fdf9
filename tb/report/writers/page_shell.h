#pragma once

#include <string_view>

namespace fenceline::report {

/// A kind of page. Each has the code that it needs and no other.
struct PageKind {
  std::string_view name;  ///< the "kind" in its data

  /// Its style, its script and the marks {{title}}, {{meta}} and {{columns}}, each once and in this
  /// order. fill_page() cuts it at the marks and puts data in between. Empty if the build had no
  /// esbuild: then no page is written.
  std::string_view shell;
};

PageKind run_page();
/// Of two runs.
PageKind comparison_page();
PageKind exploration_page();
/// Of a matrix of explorations.
PageKind matrix_page();
PageKind sweep_page();
PageKind campaign_page();

/// The page of a command that runs. It has no marks: it asks its server for what it shows.
PageKind live_page();

}  // namespace fenceline::report
