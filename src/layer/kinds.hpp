#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "layer/journal_format.hpp"

namespace isthmus::layer {

/// What a call does, in the words of the records; its place in `kKinds` is its number in a journal.
enum class Kind : std::uint8_t {
  read_buffer,
  write_buffer,
  copy_buffer,
  fill_buffer,
  read_buffer_rect,
  write_buffer_rect,
  copy_buffer_rect,
  map_buffer,
  unmap,
  migrate,
  read_image,
  write_image,
  copy_image,
  fill_image,
  copy_image_to_buffer,
  copy_buffer_to_image,
  map_image,
  svm_copy,
  svm_fill,
  svm_map,
  svm_unmap,
  svm_migrate,
  create_buffer,
  create_image,
  kernel,
  task,
  native_kernel,
  marker,
  barrier,
  wait_list,
  svm_free,
  acquire_gl,
  release_gl,
  finish,
  flush,
  wait_for_events,
  build,
  compile,
  link,
};

struct KindName {
  std::string_view name;
  Group group;
};

inline constexpr std::array kKinds{
    KindName{"read buffer", Group::transfer},
    KindName{"write buffer", Group::transfer},
    KindName{"copy buffer", Group::transfer},
    KindName{"fill buffer", Group::transfer},
    KindName{"read buffer rectangle", Group::transfer},
    KindName{"write buffer rectangle", Group::transfer},
    KindName{"copy buffer rectangle", Group::transfer},
    KindName{"map buffer", Group::transfer},
    KindName{"unmap", Group::transfer},
    KindName{"migrate", Group::transfer},
    KindName{"read image", Group::transfer},
    KindName{"write image", Group::transfer},
    KindName{"copy image", Group::transfer},
    KindName{"fill image", Group::transfer},
    KindName{"copy image to buffer", Group::transfer},
    KindName{"copy buffer to image", Group::transfer},
    KindName{"map image", Group::transfer},
    KindName{"SVM copy", Group::transfer},
    KindName{"SVM fill", Group::transfer},
    KindName{"SVM map", Group::transfer},
    KindName{"SVM unmap", Group::transfer},
    KindName{"SVM migrate", Group::transfer},
    KindName{"create buffer with content", Group::host},
    KindName{"create image with content", Group::host},
    KindName{"kernel", Group::kernel},
    KindName{"task", Group::kernel},
    KindName{"native kernel", Group::kernel},
    KindName{"marker", Group::order},
    KindName{"barrier", Group::order},
    KindName{"wait list", Group::order},
    KindName{"SVM free", Group::order},
    KindName{"acquire GL objects", Group::order},
    KindName{"release GL objects", Group::order},
    KindName{"finish", Group::host},
    KindName{"flush", Group::host},
    KindName{"wait for events", Group::host},
    KindName{"build program", Group::host},
    KindName{"compile program", Group::host},
    KindName{"link program", Group::host},
};
static_assert(kKinds.size() == static_cast<std::size_t>(Kind::link) + 1);

}  // namespace isthmus::layer
