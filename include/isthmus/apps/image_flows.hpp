#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isthmus/apps/image_filter.hpp"
#include "isthmus/offload/device.hpp"

/// The image filter in OpenCL's flows, written once for every back end of the offload interface.
namespace isthmus::apps {

/// Where a flow finds its images and leaves the results, image by image in order. `input` is called by the host thread
/// that copies in, `output` and `finished` by the one that copies out; `input(i + 4)` never comes before `finished(i)`.
class ImageExchange {
 public:
  virtual ~ImageExchange() = default;
  /// The pixels of an image; they stay as they are until it is finished.
  virtual std::span<const std::byte> input(int image) = 0;
  virtual std::span<std::byte> output(int image) = 0;
  /// The output of `image` is complete.
  virtual void finished(int image) = 0;
};

/// How long the commands of one kind took, added up over the images.
struct Stage {
  std::string name;
  Time time;
};

/// Something that one image went through; times count from the start of the flow.
struct Step {
  std::string name;
  Time begin;
  Time end;
};

/// The first images of a run are told step by step: enough to see how they follow each other.
inline constexpr int kImagesTold = 8;

struct FlowTimes {
  Time elapsed;                           ///< from the first enqueue to the last output, on the device's clock
  std::vector<Stage> stages;              ///< in the order of the flow; they may overlap
  std::vector<std::vector<Step>> images;  ///< of the first images, in their order
  Time lasted{};  ///< where stages are what parts of a model did: the whole run, of which their shares are
};

/// One way of sending images through a device, set up and ready to run. Running may be repeated.
class ImageFlow {
 public:
  virtual ~ImageFlow() = default;
  virtual FlowTimes run(ImageExchange& images, int first, int count) = 0;
};

/// `offload`: copy in, kernel, copy out, one after the other, by one host thread.
std::unique_ptr<ImageFlow> make_offload_flow(offload::Device& device, const FilterSpec& spec, ImageSize size);

/// `overlap`: the same double-buffered. Two pairs of device buffers; one host thread copies in and launches, another
/// copies out, so that both directions and the kernel go on at once (stacc table IV: the maximum of the three).
std::unique_ptr<ImageFlow> make_overlap_flow(offload::Device& device, const FilterSpec& spec, ImageSize size);

}  // namespace isthmus::apps
