#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace isthmus {

/// A prefix of names, made by Graph::scope: as long as it lives, names of new actors begin with it. Its end also ends
/// the scopes that were opened after it.
class [[nodiscard]] Scope {
 public:
  Scope(Scope&& other) noexcept : prefix_(std::exchange(other.prefix_, nullptr)), outside_(other.outside_) {}
  Scope& operator=(Scope&&) = delete;
  ~Scope() {
    if (prefix_ != nullptr && prefix_->size() > outside_) prefix_->resize(outside_);
  }

 private:
  friend class Graph;
  Scope(std::string& prefix, const std::string& name) : prefix_(&prefix), outside_(prefix.size()) {
    if (!name.empty()) prefix += name + '/';
  }

  std::string* prefix_;
  std::size_t outside_;  ///< length of the prefix outside it
};

}  // namespace isthmus
