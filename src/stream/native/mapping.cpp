#include "stream/native/mapping.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/base/one_line.hpp"
#include "isthmus/stream/native.hpp"

namespace isthmus::native {
namespace {

class Topology {
 public:
  Topology() {
    if (hwloc_topology_init(&topology_) != 0 || hwloc_topology_load(topology_) != 0)
      throw Error("native: hwloc cannot read this machine's topology");
  }
  ~Topology() { hwloc_topology_destroy(topology_); }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  hwloc_topology_t get() const { return topology_; }

 private:
  hwloc_topology_t topology_ = nullptr;
};

class Bitmap {
 public:
  Bitmap() : bits_(hwloc_bitmap_alloc()) {
    if (bits_ == nullptr) throw Error("native: no memory for a set of cores");
  }
  ~Bitmap() { hwloc_bitmap_free(bits_); }
  Bitmap(const Bitmap&) = delete;
  Bitmap& operator=(const Bitmap&) = delete;
  hwloc_bitmap_t get() const { return bits_; }

 private:
  hwloc_bitmap_t bits_;
};

using Actors = std::vector<std::unique_ptr<engine::GraphActor>>;

void place_one(std::string_view text, std::map<std::string, int>& placement) {
  const std::size_t at = text.rfind('=');
  const std::string_view number = at == std::string_view::npos ? "" : text.substr(at + 1);
  int worker = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), worker);
  if (at == 0 || number.empty() || error != std::errc() || end != number.data() + number.size())
    throw Error(fmt::format("--map: expected ACTOR=WORKER, as in 'producer=0', got '{}'", one_line(text)));
  placement[std::string(text.substr(0, at))] = worker;
}

}  // namespace

std::vector<int> usable_cores() {
  const Topology topology;
  const Bitmap mine;
  if (hwloc_get_cpubind(topology.get(), mine.get(), HWLOC_CPUBIND_PROCESS) != 0)
    throw Error(fmt::format("native: cannot tell which cores this process may use: {}", std::strerror(errno)));
  std::vector<int> cores;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_CORE, core)) != nullptr;) {
    const Bitmap both;
    hwloc_bitmap_and(both.get(), core->cpuset, mine.get());
    if (const int first = hwloc_bitmap_first(both.get()); first >= 0) cores.push_back(first);
  }
  if (cores.empty()) throw Error("native: hwloc finds no core that this process may use");
  return cores;
}

std::string processor() {
  const Topology topology;
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
  const char* name = package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
  return name == nullptr ? "this machine's processor" : name;
}

void pin_to(int core) {
  const Topology topology;
  const Bitmap one;
  hwloc_bitmap_only(one.get(), static_cast<unsigned>(core));
  if (hwloc_set_cpubind(topology.get(), one.get(), HWLOC_CPUBIND_THREAD) != 0)
    throw Error(fmt::format("native: cannot pin a worker to core {}: {}", core, std::strerror(errno)));
}

std::map<std::string, int> parse_placement(const std::vector<std::string>& texts) {
  std::map<std::string, int> placement;
  for (std::string_view rest : texts)
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      place_one(rest.substr(0, comma), placement);
      more = comma != std::string_view::npos;
      if (more) rest.remove_prefix(comma + 1);
    }
  return placement;
}

std::vector<int> along_channels(const Actors& actors) {
  std::vector<int> order;
  std::vector<bool> met(actors.size(), false);
  const auto visit = [&](const auto& self, const engine::Actor& actor) -> void {
    if (met[static_cast<std::size_t>(actor.index)]) return;
    met[static_cast<std::size_t>(actor.index)] = true;
    order.push_back(actor.index);
    for (const auto* channel : actor.outputs) self(self, *channel->reader);
  };
  for (const auto& actor : actors)
    if (actor->inputs.empty()) visit(visit, *actor);
  for (const auto& actor : actors) visit(visit, *actor);  // what stands on a loop
  return order;
}

std::vector<int> given(const Actors& actors, int workers, const std::map<std::string, int>& placement) {
  std::vector<std::string> names;
  for (const auto& actor : actors) names.push_back(actor->name);
  std::vector<int> worker_of(actors.size(), -1);
  for (const auto& [name, worker] : placement) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw Error(unknown_name("actor", name, names));
    if (worker < 0 || worker >= workers)
      throw Error(fmt::format("worker {} of actor '{}': expected 0..{}", worker, name, workers - 1));
    worker_of[static_cast<std::size_t>(found - names.begin())] = worker;
  }
  return worker_of;
}

std::vector<int> place(const Actors& actors, int workers, const std::vector<int>& given) {
  std::vector<int> worker_of = given;
  std::vector<int> free;
  for (const int index : along_channels(actors))
    if (given[static_cast<std::size_t>(index)] < 0) free.push_back(index);
  for (std::size_t i = 0; i < free.size(); ++i)
    worker_of[static_cast<std::size_t>(free[i])] =
        static_cast<int>(i * static_cast<std::size_t>(workers) / free.size());
  return worker_of;
}

}  // namespace isthmus::native
