#include "apps/merkle_tree/tree.hpp"

#include <openssl/evp.h>

#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

const EVP_MD* sha256() {
  static EVP_MD* const kFetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (kFetched == nullptr) throw Error("SHA-256 is not available");
  return kFetched;
}

}  // namespace

Hasher::Hasher() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr) throw Error("SHA-256 is not available");
}

void Hasher::Free::operator()(void* context) const {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context));
}

Digest Hasher::operator()(std::span<const std::byte> bytes) {
  auto* const context = static_cast<EVP_MD_CTX*>(context_.get());
  Digest digest;
  const bool done = EVP_DigestInit_ex(context, sha256(), nullptr) == 1 &&
                    EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1 &&
                    EVP_DigestFinal_ex(context, reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1;
  if (!done) throw Error("SHA-256 is not available");
  return digest;
}

MerkleTree::MerkleTree(Bytes size, std::uint64_t seed)
    : digests_(2 * (static_cast<std::size_t>(size.count) / kLine + 1)) {
  Hasher hash;
  for (std::size_t child = digests_.size() - 1; child > lines(); --child) {
    const std::array<std::uint64_t, 2> of_leaf = leaf(seed, child);
    digests_[child] = hash(std::as_bytes(std::span(of_leaf)));
  }
  for (std::size_t line = lines(); line > 0; --line)
    digests_[line] = hash(std::as_bytes(std::span(digests_).subspan(2 * line, 2)));
}

}  // namespace isthmus::apps
