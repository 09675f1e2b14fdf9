#pragma once

#include <filesystem>

namespace fenceline::report {

/// True when the program vcd2fst (of GTKWave) can be found.
bool can_write_fst();
/// Converts a VCD file with vcd2fst; throws WriteError.
void convert_to_fst(const std::filesystem::path& vcd, const std::filesystem::path& fst);

}  // namespace fenceline::report
