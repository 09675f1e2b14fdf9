#pragma once

namespace fenceline::user {

/// What the user-mode driver does about memory that the CPU touches; false takes a duty away.
/// Source: WDDM, Lock2: duties of the user-mode driver.
struct MapDuties {
  bool waits = true;        ///< a synchronized map waits for the GPU
  bool renames = true;      ///< a map that discards goes to memory that the GPU does not use
  bool invalidates = true;  ///< D3DKMTInvalidateCache before the CPU reads, where that is needed
  bool flushes = true;      ///< and after it has written
  bool fences = true;       ///< a store fence before work is handed over
};

}  // namespace fenceline::user
