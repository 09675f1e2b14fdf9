#pragma once

#include "models/common/events/event_type.h"

/// The display. Addresses are GPU physical.
namespace fenceline::event {

/// A thread presents an image.
struct Present {
  AdapterId adapter;
  std::uint64_t present;  ///< number
  std::uint64_t address;
  std::uint64_t context;  ///< that draws it
  FENCELINE_FIELDS(adapter, present, address, context)
  static constexpr Words kWords{"present", kStory,
                                "present {present} of {adapter} shows {present:hex}"};
};
/// The OS has the driver flip.
struct FlipCall {
  AdapterId adapter;
  std::uint64_t present;
  std::uint64_t address;
  bool buffered;  ///< 1 if that goes through a DMA buffer
  FENCELINE_FIELDS(adapter, present, address, buffered)
  static constexpr Words kWords{"flip_call", kStory,
                                "the OS has the driver of {adapter} flip for present {present}"};
};
/// Another primary is scanned out.
struct FlipEffective {
  AdapterId adapter;
  std::uint64_t address;
  bool within;  ///< 1 while a frame is on its way to the screen
  std::uint64_t frame;
  FENCELINE_FIELDS(adapter, address, within, frame)
  static constexpr Words kWords{"flip_effective", kStory | kAdvances,
                                "{adapter} scans out {address:hex} now"};
};
/// A frame begins.
struct VerticalSync {
  AdapterId adapter;
  std::uint64_t address;  ///< that it starts with
  std::uint64_t frame;
  FENCELINE_FIELDS(adapter, address, skip, frame)
  static constexpr Words kWords{"vertical_sync", kStory, "frame {frame} of {adapter} begins"};
};
/// The first word of a frame was scanned out.
struct ScanTop {
  AdapterId adapter;
  std::uint64_t address;  ///< of the primary
  std::uint64_t word;
  std::uint64_t frame;
  FENCELINE_FIELDS(adapter, address, word, frame)
  static constexpr Words kWords{"scan_top", kPlain,
                                "frame {frame} of {adapter} begins with {word}"};
};
/// The last word of a frame was scanned out.
struct ScanBottom {
  AdapterId adapter;
  std::uint64_t address;
  std::uint64_t word;
  std::uint64_t frame;
  FENCELINE_FIELDS(adapter, address, word, frame)
  static constexpr Words kWords{"scan_bottom", kPlain,
                                "frame {frame} of {adapter} ends with {word}"};
};
/// The OS has been told of a flip.
struct FlipDone {
  AdapterId adapter;
  std::uint64_t present;
  std::uint64_t address;
  FENCELINE_FIELDS(adapter, present, address)
  static constexpr Words kWords{
      "flip_done", kStory | kAdvances,
      "the OS learns that present {present} is on the screen of {adapter}"};
};

using DisplayEvents =
    List<Present, FlipCall, FlipEffective, VerticalSync, ScanTop, ScanBottom, FlipDone>;

}  // namespace fenceline::event
