#pragma once

#include <boost/interprocess/streams/bufferstream.hpp>
#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

namespace fenceline::explore {

/// Bytes of the values, for another process or a later one of the same program. A struct needs a
/// function `serialize(archive, value)` in its namespace: see cereal.
template <typename... Values>
std::string to_bytes(const Values&... values) {
  std::ostringstream out;
  cereal::BinaryOutputArchive archive(out);
  archive(values...);
  return out.str();
}

/// Reads the values that to_bytes() wrote, in the same order. Throws std::runtime_error for bytes
/// that end too early or too late.
template <typename... Values>
void from_bytes(const std::string& bytes, Values&... values) {
  boost::interprocess::ibufferstream in(bytes.data(), bytes.size());
  try {
    cereal::BinaryInputArchive archive(in);
    archive(values...);
  } catch (const cereal::Exception&) {
    throw std::runtime_error("the bytes end too early");
  }
  if (in.peek() != std::char_traits<char>::eof())
    throw std::runtime_error("the bytes end too late");
}

}  // namespace fenceline::explore
