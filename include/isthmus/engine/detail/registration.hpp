#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/engine/port_array.hpp"

namespace isthmus::engine {

/// A port, timer or random source of an actor, as found while it was constructed.
struct MemberRecord {
  Member::Kind kind;
  std::byte* address;
  std::size_t size;
  const char* given_name;
  const TokenType* type;
  int element = -1;  ///< its place in an array of ports
  std::string name{};
  Channel* channel = nullptr;
};

/// An array of an actor's ports, which lies outside the actor.
struct PortStorage {
  std::unique_ptr<std::byte[], AlignedDelete> ports;
  std::size_t bytes = 0;
  std::unique_ptr<SilentInputs> silent;
};

/// Collects the members of the actor under construction on this thread.
class Registration {
 public:
  Registration(std::byte* begin, std::size_t size);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  std::vector<MemberRecord> take() { return std::move(found_); }
  std::vector<PortStorage> take_arrays() { return std::move(arrays_); }
  void add(MemberRecord record);
  PortRoom make_room(std::size_t ports, std::size_t port_bytes);

 private:
  struct Range {
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
    bool holds(const std::byte* address) const { return address >= begin && address < end; }
  };

  Range object_;
  Range array_;  ///< the array that was registered last
  int elements_ = 0;
  std::vector<MemberRecord> found_;
  std::vector<PortStorage> arrays_;
  Registration* outer_;
};

}  // namespace isthmus::engine
