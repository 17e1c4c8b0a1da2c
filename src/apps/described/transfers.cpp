#include "apps/described/transfers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <numeric>

#include "isthmus/application/parameter.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps::traffic {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Error(fmt::format(
      "transfers: expected DIRECTION:MEMORY:BYTESxCOUNT with to-device or to-host, pageable or pinned, or that with "
      ":writes, :reads or :both and :sequential or :random behind it, got '{}'",
      text));
}

/// Takes what stands before `end` off the text.
std::string first_of(std::string& left, char end, const std::string& text) {
  const std::size_t at = left.find(end);
  if (at == std::string::npos) refuse(text);
  std::string first = left.substr(0, at);
  left.erase(0, at + 1);
  return first;
}

std::uint64_t number(const std::string& of, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(of.data(), of.data() + of.size(), value);
  if (failure != std::errc() || end != of.data() + of.size() || value == 0) refuse(text);
  return value;
}

/// The one of two words that is said.
bool is_first(const std::string& word, const char* first, const char* second, const std::string& text) {
  if (word != first && word != second) refuse(text);
  return word == first;
}

/// Takes off the text what follows its last colons: what cores do with the bytes, and in which order.
void read_use(std::string& left, Transfers& of, const std::string& text) {
  const std::size_t at = left.find(':');
  if (at == std::string::npos) return;
  std::string use = left.substr(at + 1);
  left.resize(at);
  const std::string cpu = first_of(use, ':', text);
  if (cpu != "writes" && cpu != "reads" && cpu != "both") refuse(text);
  of.written = of.to_device || cpu != "reads";
  of.read = !of.to_device || cpu != "writes";
  of.in_order = is_first(use, "sequential", "random", text);
}

Transfers read_one(const std::string& text) {
  std::string left = text;
  const bool to_device = is_first(first_of(left, ':', text), "to-device", "to-host", text);
  Transfers of{.to_device = to_device,
               .pinned = is_first(first_of(left, ':', text), "pinned", "pageable", text),
               .bytes = 0,
               .count = 0,
               .written = to_device,
               .read = !to_device};
  read_use(left, of, text);
  of.bytes = number(first_of(left, 'x', text), text);
  of.count = number(left, text);
  return of;
}

}  // namespace

std::vector<Transfers> read_transfers(const std::string& text) {
  std::vector<Transfers> all;
  for (const std::string& one : program::listed(text)) all.push_back(read_one(one));
  return all;
}

std::size_t Lying::all() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

Lying side_of(const std::vector<Transfers>& transfers, bool to_device) {
  Lying side;
  for (const Transfers& each : transfers) {
    if (each.to_device != to_device) continue;
    side.bytes.insert(side.bytes.end(), each.count, each.whole());
    side.pinned.insert(side.pinned.end(), each.count, each.pinned);
  }
  return side;
}

}  // namespace isthmus::apps::traffic
