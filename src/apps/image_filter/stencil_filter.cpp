#include "apps/image_filter/stencil_filter.hpp"

namespace isthmus::apps {

StencilMessages stencil_messages(const FilterSpec& spec, ImageSize size) {
  StencilMessages messages{static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height),
                           static_cast<std::uint32_t>(spec.shift)};
  const auto table = by_tap(spec);
  for (std::size_t i = 0; i < table.size(); ++i) messages[3 + i] = static_cast<std::uint16_t>(table[i]);
  return messages;
}

void StencilFilter::step() {
  if (!configured_) return configure();
  Word result;
  const bool takes = words_in_ < core_.image_words();
  const bool there = takes ? core_.take(in.read().data, result) : core_.flush(result);
  ++words_in_;
  if (!there) return;
  const bool last = ++words_out_ == core_.image_words();
  out.push({.data = result, .last = last});
  if (last) words_in_ = words_out_ = 0;
}

void StencilFilter::configure() {
  const auto width = static_cast<int>(control.read());
  const auto height = static_cast<int>(control.read());
  core_.configure({.width = width, .height = height}, static_cast<int>(control.read()));
  for (int i = 0; i < kTaps * kChannels; ++i)
    core_.set_coefficient(i, static_cast<std::int16_t>(static_cast<std::uint16_t>(control.read())));
  status.push({.tag = kStencilReady, .message = 0});
  configured_ = true;
}

}  // namespace isthmus::apps
