#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cmath>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::platform {
namespace {

/// One text for one meaning: 0.16 ms and 160 us differ by a rounding error, which twelve digits hide.
std::string canonical(const Input& input) {
  return fmt::format("{}={:.12g}\n", input.key->name, input.base());
}

}  // namespace

std::string Description::sha256() const {
  std::string text = fmt::format("name={}\n", name_);
  for (const Input& input : inputs_) text += canonical(input);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw Error(fmt::format("{}: SHA-256 is not available", file_.string()));
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest.at(i));
  return hex;
}

}  // namespace isthmus::platform
