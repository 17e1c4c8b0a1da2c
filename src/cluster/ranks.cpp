#include "isthmus/cluster/ranks.hpp"

#include <algorithm>

#include "cluster/single_rank.hpp"

namespace isthmus::cluster {

int Ranks::rank() const {
  return group_->rank();
}
int Ranks::size() const {
  return group_->size();
}
void Ranks::barrier() const {
  group_->barrier();
}
void Ranks::largest(std::span<double> values) const {
  group_->largest(values);
}
void Ranks::sum(std::span<double> values) const {
  group_->sum(values);
}
double Ranks::largest(double value) const {
  largest(std::span(&value, 1));
  return value;
}
double Ranks::sum(double value) const {
  sum(std::span(&value, 1));
  return value;
}
void Ranks::broadcast(std::span<std::byte> bytes, int root) const {
  group_->broadcast(bytes, root);
}
std::vector<std::string> Ranks::gather(const std::string& text) const {
  return group_->gather(text);
}
void Ranks::exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) const {
  group_->exchange(out, to, in, from);
}
Ranks Ranks::split(int colour, int key) const {
  return Ranks(group_->split(colour, key));
}
Ranks Ranks::on_this_host() const {
  return Ranks(group_->on_this_host());
}

void Ranks::agree(const std::function<void()>& body) const {
  std::string complaint;
  try {
    body();
  } catch (const Error& error) {
    complaint = error.what();
  }
  const auto complaints = gather(complaint);
  const auto first = std::ranges::find_if(complaints, [](const std::string& text) { return !text.empty(); });
  if (first != complaints.end()) throw AgreedError(*first);
}

Ranks alone() {
  return Ranks(std::make_shared<SingleRank>());
}

}  // namespace isthmus::cluster
