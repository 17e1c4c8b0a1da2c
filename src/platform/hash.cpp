#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/system.hpp"

namespace isthmus::platform {
namespace {

/// One text for one meaning: 0.16 ms and 160 us differ by a rounding error, which twelve digits hide.
std::string canonical(const Input& input) {
  if (const auto* text = std::get_if<std::string>(&input.value)) return fmt::format("{}={}\n", input.name, *text);
  return fmt::format("{}={:.12g}\n", input.name, input.base());
}

/// The facts of a part that its name does not have.
std::string canonical(const Section& part) {
  const std::string_view last = std::string_view(part.name()).substr(part.name().rfind('.') + 1);
  std::string text;
  if (last != part.kind().name()) text += fmt::format("{}.kind={}\n", part.name(), part.kind().name());
  if (part.kind().link && last != part.channel()) text += fmt::format("{}.channel={}\n", part.name(), part.channel());
  return text;
}

std::string canonical_with_inputs(const Section& part) {
  std::string text = canonical(part);
  for (const Input& input : part.inputs()) text += canonical(input);
  return text;
}

std::string hex_digest(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw Error("SHA-256 is not available");
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest.at(i));
  return hex;
}

}  // namespace

std::string Description::sha256() const {
  std::string text = fmt::format("name={}\n", name_);
  for (const Section& part : parts_) text += canonical_with_inputs(part);
  return hex_digest(text);
}

std::string System::sha256() const {
  std::string text = fmt::format("name={}\n", name_);
  for (const Node& node : nodes_) {
    text += fmt::format("node={}\n", node.name);
    for (const Section& part : node.host) text += canonical_with_inputs(part);
  }
  for (const Board& board : boards_)
    text += fmt::format("board={} on {}: {}\n", board.name, nodes_[board.node].name, board.platform.sha256());
  for (const Wire& wire : wires_)
    text += fmt::format("wire={}.{} to {}\n", boards_[wire.board].name, wire.channel, nodes_[wire.node].name);
  return hex_digest(text);
}

}  // namespace isthmus::platform
