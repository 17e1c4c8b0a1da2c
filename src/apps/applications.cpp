#include "isthmus/apps/applications.hpp"

// The table: a line for each, the name of its folder and of the function in it that makes it.
#define ISTHMUS_APPLICATIONS(EACH) \
  EACH(image_filter)               \
  EACH(alexnet)                    \
  EACH(difference_of_gaussian)     \
  EACH(hash_lookup)                \
  EACH(matrix_multiply)            \
  EACH(matrix_vector)              \
  EACH(merkle_tree)                \
  EACH(packet_encryption)          \
  EACH(sgemm)                      \
  EACH(suffix_sum)                 \
  EACH(table_select)               \
  EACH(task_graph)

namespace isthmus::apps {

#define ISTHMUS_DECLARED(name) program::Maker name();
#define ISTHMUS_MADE(name) name(),

ISTHMUS_APPLICATIONS(ISTHMUS_DECLARED)

const std::vector<program::Maker>& applications() {
  static const std::vector<program::Maker> kAll{ISTHMUS_APPLICATIONS(ISTHMUS_MADE)};
  return kAll;
}

}  // namespace isthmus::apps
