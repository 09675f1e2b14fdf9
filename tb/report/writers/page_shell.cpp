#include "tb/report/writers/page_shell.h"
namespace fenceline::report { std::string_view page_shell() { return {}; } }
