#pragma once

#include "models/common/events/event_type.h"

/// Events of the display. Addresses are GPU physical.
namespace fenceline::event {

/// A thread presents an image.
struct Present {
  AdapterId adapter;
  std::uint64_t present;  ///< number of the image
  std::uint64_t address;
  std::uint64_t context;  ///< context that draws it
  FENCELINE_FIELDS(adapter, present, address, context)
  static constexpr Words kWords{"present", kStory,
                                "present {present} of {adapter} shows {present:hex}"};
};
/// The OS requests a flip from the driver.
struct FlipCall {
  AdapterId adapter;
  std::uint64_t present;
  std::uint64_t address;
  bool buffered;  ///< 1: the flip is in a DMA buffer
  FENCELINE_FIELDS(adapter, present, address, buffered)
  static constexpr Words kWords{"flip_call", kStory,
                                "the OS has the driver of {adapter} flip for present {present}"};
};
/// The scan-out changes to another primary.
struct FlipEffective {
  AdapterId adapter;
  std::uint64_t address;
  bool within;  ///< 1 in the middle of a frame
  std::uint64_t frame;
  FENCELINE_FIELDS(adapter, address, within, frame)
  static constexpr Words kWords{"flip_effective", kStory | kAdvances,
                                "{adapter} scans out {address:hex} now"};
};
/// A frame begins.
struct VerticalSync {
  AdapterId adapter;
  std::uint64_t address;  ///< address at the start of the frame
  std::uint64_t frame;
  FENCELINE_FIELDS(adapter, address, skip, frame)
  static constexpr Words kWords{"vertical_sync", kStory, "frame {frame} of {adapter} begins"};
};
/// A word of a frame that was scanned out.
struct ScannedWord {
  AdapterId adapter;
  std::uint64_t address;  ///< address of the primary
  std::uint64_t word;
  std::uint64_t frame;
  FENCELINE_FIELDS(adapter, address, word, frame)
};
/// The first word of a frame was scanned out.
struct ScanTop : ScannedWord {
  static constexpr Words kWords{"scan_top", kPlain,
                                "frame {frame} of {adapter} begins with {word}"};
};
/// The last word of a frame was scanned out.
struct ScanBottom : ScannedWord {
  static constexpr Words kWords{"scan_bottom", kPlain,
                                "frame {frame} of {adapter} ends with {word}"};
};
/// The OS was notified of a flip.
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
