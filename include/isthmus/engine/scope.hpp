#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace isthmus {

/// What Graph::scope gives: as long as it lives, names of actors begin with it. One that ends before those opened after
/// it ends them too.
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
  std::size_t outside_;  ///< length of what names begin with outside it
};

}  // namespace isthmus
