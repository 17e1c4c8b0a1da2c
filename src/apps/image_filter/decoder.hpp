#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "isthmus/apps/photograph.hpp"

namespace isthmus::apps {

/// Decodes one image that is held in memory.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual ImageSize size() const = 0;
  /// Fills `pixels`, size().bytes() of them; throws Error with `name` if the data are corrupt or end early.
  virtual void decode(std::span<std::byte> pixels) = 0;
};

/// Read the header; throw Error with `name` if it makes no sense. `data` outlives the decoder.
std::unique_ptr<Decoder> jpeg_decoder(const std::string& name, std::span<const std::byte> data);
std::unique_ptr<Decoder> png_decoder(const std::string& name, std::span<const std::byte> data);

}  // namespace isthmus::apps
