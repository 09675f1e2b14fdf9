#pragma once

namespace fenceline::run {

/// Thrown in a thread of a program that ends by an access violation.
struct ThreadKilled {};

}  // namespace fenceline::run
