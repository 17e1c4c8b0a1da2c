#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cluster/group.hpp"

namespace isthmus::cluster {

/// One rank: what is sent comes back to it.
class SingleRank : public Ranks::Group {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void barrier() override {}
  void largest(std::span<double>) override {}
  void sum(std::span<double>) override {}
  void broadcast(std::span<std::byte>, int) override {}
  std::vector<std::string> gather(const std::string& text) override { return {text}; }
  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) override {
    if (to == kNobody && from == kNobody) return;
    if (out.size() != in.size())
      throw Error(fmt::format("a rank sent itself {} bytes, expected {}", out.size(), in.size()));
    if (!out.empty() && out.data() != in.data()) std::ranges::copy(out, in.begin());
  }
  std::shared_ptr<Group> split(int, int) override { return std::make_shared<SingleRank>(); }
  std::shared_ptr<Group> on_this_host() override { return std::make_shared<SingleRank>(); }
};

}  // namespace isthmus::cluster
