#pragma once

namespace fenceline::run {

/// Thrown in a thread of a program that cannot go on: after an access violation, or without an
/// object that was never made.
struct ThreadKilled {};

}  // namespace fenceline::run
