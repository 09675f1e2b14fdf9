#pragma once

#include <string_view>

namespace fenceline::report {

/// The page without its data: style and script, and the marks {{title}}, {{meta}} and {{columns}},
/// once each and in this order. Empty if the program was built without esbuild.
std::string_view page_shell();

}  // namespace fenceline::report
