#pragma once

namespace fenceline::user {

/// Duties of the user-mode driver for memory that the CPU accesses; false removes a duty. Source:
/// WDDM, Lock2: duties of the user-mode driver.
struct MapDuties {
  bool waits = true;        ///< a synchronized map waits for the GPU
  bool renames = true;      ///< a discarding map uses memory that the GPU does not use
  bool invalidates = true;  ///< D3DKMTInvalidateCache before CPU reads, where necessary
  bool flushes = true;      ///< the same after CPU writes
  bool fences = true;       ///< a store fence before each submission
};

}  // namespace fenceline::user
