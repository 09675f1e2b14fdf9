#pragma once

#include <cstdint>

/// Addresses that the blocks of the GPU agree on among themselves.
namespace fenceline::abi {

/// Host physical address to which the GPU writes a 32-bit vector number; its endpoint turns that
/// into the MSI-X message of the vector. No host memory is behind it.
constexpr std::uint64_t kVectorWindow = 0xFED00000;

}  // namespace fenceline::abi
