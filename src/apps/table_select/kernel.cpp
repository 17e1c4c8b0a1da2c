#include "apps/table_select/kernel.hpp"

#include "apps/table_select/rows.hpp"
#include "isthmus/offload/word_kernel.hpp"

namespace isthmus::apps {
namespace {

class TableSelectKernel : public offload::WordKernel {
 public:
  using WordKernel::WordKernel;

  /// One message.
  void step() {
    const auto call = fabric::read_call(start);
    const auto bytes = static_cast<std::uint64_t>(offload::number_argument(call.arguments[4])) * kRowBytes;
    Word predicate{};
    load(offload::address_argument(call.arguments[3]), predicate.bytes);
    Selection selection(row_key(predicate.bytes));
    // Fewer than a word more: none of these rows is the last that is written.
    begin_writing(offload::address_argument(call.arguments[1]), bytes + kRowBytes);
    read_words(offload::address_argument(call.arguments[0]), bytes, [&](const Word& row) {
      if (selection.keeps(row.bytes)) write(row);
    });
    flush();
    begin_writing(offload::address_argument(call.arguments[2]), kRowBytes);
    cycle();
    write(selection.end());
    finish();
  }
};

}  // namespace

offload::KernelModel table_select_kernel() {
  return offload::kernel_model<TableSelectKernel>("table_select");
}

}  // namespace isthmus::apps
