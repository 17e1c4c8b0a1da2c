#pragma once

#include <array>
#include <cstdint>

#include "isthmus/apps/stencil_core.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::apps {

/// The control messages that configure a StencilFilter, in the order in which it reads them: width, height, shift, then
/// the coefficients tap by tap, a channel at a time.
using StencilMessages = std::array<std::uint32_t, 3 + kTaps * kChannels>;
StencilMessages stencil_messages(const FilterSpec& spec, ImageSize size);

/// The tag of its answer once it is configured.
inline constexpr std::uint32_t kStencilReady = 1;

/// The image filter as an actor of a stream: one word of 16 pixels a cycle, images back to back. After an image's last
/// word it needs a row's cycles and one more to hand on what it still holds.
class StencilFilter {
 public:
  In<StreamWord> in{"in"};
  In<std::uint32_t> control{"control"};
  Out<StreamWord> out{"out"};
  Out<ControlMessage> status{"status"};

  void step();
  /// It ends with its input.
  bool done() const { return false; }

 private:
  void configure();

  StencilCore core_;
  bool configured_ = false;
  int words_in_ = 0;   ///< words of this image that came in, flushes included
  int words_out_ = 0;  ///< words of this image that went out
};

}  // namespace isthmus::apps
