#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "isthmus/platform/description.hpp"
#include "isthmus/platform/schema.hpp"
#include "isthmus/platform/section.hpp"

namespace isthmus::platform {

/// Boards in their hosts, read from a system file and checked:
///
///     name = "Four F1 in one host"
///     [[node]]
///     name = "n0"
///     [[board]]
///     name = "b"            # b0 to b3
///     count = 4
///     platform = "aws-f1"   # platforms/aws-f1.toml; "lab.toml" is a file beside this one
///     node = "n0"
///     [[wire]]
///     from = "b.pcie"
///     to = "n0"
class System {
 public:
  /// A host.
  struct Node {
    std::string name;
    std::vector<Section> host;  ///< sections host.* of the platform that the node names, else of its boards' platform
  };
  struct Board {
    std::string name;
    Description platform;
    std::size_t node;  ///< index of the node whose host is the platform's
  };
  /// From a link of a board to a root port of the host's that no other has.
  struct Wire {
    std::size_t board;    ///< index of the board
    std::string channel;  ///< name of the link's channel
    std::size_t node;
  };

  const std::string& name() const { return name_; }
  const std::filesystem::path& file() const { return file_; }
  /// The boards in the order of the file, those of one entry by their numbers.
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Board>& boards() const { return boards_; }
  /// In the order of the boards, those of one in the order of its links. All links of a board that no wire of the file
  /// leaves are wired.
  const std::vector<Wire>& wires() const { return wires_; }
  /// SHA-256 in hex of the names, the hosts' parts, the boards with their platforms, and the wires.
  std::string sha256() const;

 private:
  friend System load_system(const std::filesystem::path&, std::span<const std::string>, Schema);

  std::string name_;
  std::filesystem::path file_;
  std::vector<Node> nodes_;
  std::vector<Board> boards_;
  std::vector<Wire> wires_;
};

/// Tells whether the file lists nodes, boards or wires, as a system file does. Throws Error where it is no TOML.
bool is_system(const std::filesystem::path& file);

/// Reads and checks a system file. `overrides` hold of every board and every host, as `load` takes them. Throws Error
/// with one line "FILE:LINE: key 'board.node': expected ..., got ...".
System load_system(const std::filesystem::path& file, std::span<const std::string> overrides = {},
                   Schema kinds = schema());

}  // namespace isthmus::platform
