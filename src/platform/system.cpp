#include "isthmus/platform/system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "isthmus/base/nearest.hpp"
#include "platform/document.hpp"
#include "platform/host.hpp"

namespace isthmus::platform {
namespace {

constexpr std::int64_t kMostBoards = 256;  // boards of one entry: more than any host has slots for

/// An entry of a list: "[[board]]".
class ListEntry {
 public:
  ListEntry(const Document& document, std::string list, const toml::table& table, std::vector<std::string> keys)
      : document_(document), list_(std::move(list)), table_(table) {
    for (const auto& [key, node] : table_)
      if (std::ranges::find(keys, key.str()) == keys.end())
        refuse(document_.place(node), unknown_name("key", name_of(part(key.str())), named(keys)));
  }

  Place place() const { return document_.place(table_); }
  Place place(std::string_view key) const {
    const toml::node* node = table_.get(key);
    return node == nullptr ? place() : document_.place(*node);
  }
  std::string name_of(std::string_view key) const { return fmt::format("{}.{}", list_, key); }
  [[noreturn]] void refuse_value(std::string_view key, std::string_view expected, std::string_view got) const {
    refuse(place(key), name_of(key), expected, got);
  }

  bool has(std::string_view key) const { return table_.contains(key); }
  /// A name that commands can take.
  std::string word(std::string_view key) const { return document_.word(get(key, "a name"), name_of(key)); }
  std::string text(std::string_view key, std::string_view expected) const {
    const toml::node& node = get(key, expected);
    const auto* text = node.as_string();
    if (text == nullptr || text->get().empty())
      refuse_value(key, expected, text == nullptr ? type_of(node) : "an empty text");
    return text->get();
  }
  std::int64_t count(std::string_view key, std::int64_t most) const {
    const toml::node& node = get(key, "a number");
    const auto* number = node.as_integer();
    const std::string expected = fmt::format("1..{}", most);
    if (number == nullptr) refuse_value(key, expected, type_of(node));
    if (number->get() < 1 || number->get() > most) refuse_value(key, expected, std::to_string(number->get()));
    return number->get();
  }

 private:
  const toml::node& get(std::string_view key, std::string_view expected) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) refuse_value(key, expected, "nothing");
    return *node;
  }
  std::vector<std::string> named(const std::vector<std::string>& keys) const {
    std::vector<std::string> names;
    names.reserve(keys.size());
    for (const std::string& key : keys) names.push_back(name_of(key));
    return names;
  }

  const Document& document_;
  std::string list_;
  const toml::table& table_;
};

/// "link.vh0" of the wire's "b0.vh0": whose links, and which of them.
struct WireEnd {
  std::string boards;
  std::string channel;  ///< channel of the link; empty: each link
};

WireEnd end_of(const std::string& text) {
  const auto dot = text.find('.');
  if (dot == std::string::npos) return {.boards = text, .channel = {}};
  return {.boards = text.substr(0, dot), .channel = text.substr(dot + 1)};
}

class SystemReader {
 public:
  SystemReader(const std::filesystem::path& file, std::span<const std::string> overrides, Schema schema)
      : document_(file, "system"), overrides_(overrides), schema_(schema) {}

  void read() {
    check_keys();
    name = document_.name();
    for_each("node", {"name", "platform"}, [this](const ListEntry& entry) { read_node(entry); });
    for_each("board", {"name", "count", "platform", "node"}, [this](const ListEntry& entry) { read_boards(entry); });
    if (boards.empty()) refuse(document_.place(1), "board", "at least one [[board]]", "none");
    for (std::size_t node = 0; node < nodes.size(); ++node)
      if (nodes[node].host.empty())
        refuse(node_places_[node], "node.platform", "a platform whose host it is, or a board on it", "neither");
    for_each("wire", {"from", "to"}, [this](const ListEntry& entry) { read_wire(entry); });
    wire_the_others();
  }

  std::string name;
  std::vector<System::Node> nodes;
  std::vector<System::Board> boards;
  std::vector<System::Wire> wires;

 private:
  void check_keys() const {
    static const std::vector<std::string> kKnown = {"name", "node", "board", "wire"};
    for (const auto& [key, node] : document_.root())
      if (std::ranges::find(kKnown, key.str()) == kKnown.end())
        refuse(document_.place(node), unknown_name("key", part(key.str()), kKnown));
  }

  template <class Each>
  void for_each(const std::string& list, const std::vector<std::string>& keys, const Each& each) const {
    const toml::node* node = document_.root().get(list);
    if (node == nullptr) return;
    const std::string expected = fmt::format("entries [[{}]]", list);
    if (!node->is_array()) refuse(document_.place(*node), list, expected, type_of(*node));
    for (const toml::node& entry : *node->as_array()) {
      if (!entry.is_table()) refuse(document_.place(entry), list, expected, type_of(entry));
      each(ListEntry(document_, list, *entry.as_table(), keys));
    }
  }

  /// Nodes, boards and entries of several boards have one space of names: they identify a wire's ends.
  void claim(const ListEntry& entry, const std::string& called) {
    const auto [there, added] = claimed_.emplace(called, entry.place("name"));
    if (!added)
      entry.refuse_value("name", "a name of its own",
                         fmt::format("'{}', which stands at {} as well", called, there->second));
  }

  std::filesystem::path file_of_platform(const ListEntry& entry) const {
    constexpr std::string_view kModel = "model:";
    const std::string text = entry.text("platform", "the name of a platform or a file that ends in .toml");
    if (text.ends_with(".toml")) {
      std::filesystem::path file = document_.file().parent_path() / text;
      std::error_code failure;
      if (!std::filesystem::exists(file, failure))
        entry.refuse_value("platform", "a platform file", fmt::format("'{}', where there is none", file.string()));
      return file;
    }
    const std::string called = text.starts_with(kModel) ? text.substr(kModel.size()) : text;
    const std::vector<std::string> known = names();
    if (std::ranges::find(known, called) == known.end())
      refuse(entry.place("platform"),
             fmt::format("key '{}': {}", entry.name_of("platform"), unknown_name("platform", called, known)));
    return file_of(std::string(kModel) + called);
  }

  void read_node(const ListEntry& entry) {
    System::Node node{.name = entry.word("name"), .host = {}};
    claim(entry, node.name);
    if (entry.has("platform")) {
      const Description platform = load(file_of_platform(entry), of_hosts(overrides_), schema_);
      node.host = host_of(platform);
      if (node.host.empty())
        entry.refuse_value("platform", "a platform with parts host.*", "one of " + names_of(platform.parts()));
    }
    nodes.push_back(std::move(node));
    node_places_.push_back(entry.place());
  }

  /// The node that `key` names.
  std::size_t node_of(const ListEntry& entry, std::string_view key) const {
    const std::string called = entry.word(key);
    const auto found = std::ranges::find(nodes, called, &System::Node::name);
    if (found != nodes.end()) return static_cast<std::size_t>(found - nodes.begin());
    std::vector<std::string> known;
    known.reserve(nodes.size());
    for (const System::Node& node : nodes) known.push_back(node.name);
    const std::string text = claimed_.contains(called) ? fmt::format("expected a node ({}), got the board '{}'",
                                                                     fmt::join(known, ", "), called)
                                                       : unknown_name("node", called, known);
    refuse(entry.place(key), fmt::format("key '{}': {}", entry.name_of(key), text));
  }

  void read_boards(const ListEntry& entry) {
    const std::string called = entry.word("name");
    claim(entry, called);
    const std::int64_t count = entry.has("count") ? entry.count("count", kMostBoards) : 0;
    const Description platform = load(file_of_platform(entry), overrides_, schema_);
    const std::size_t node = node_of(entry, "node");
    if (host_of(platform).empty())
      entry.refuse_value("platform", "a board with parts host.*", "one of " + names_of(platform.parts()));
    if (nodes[node].host.empty()) nodes[node].host = host_of(platform);
    if (const auto differs = difference(nodes[node].host, host_of(platform)))
      entry.refuse_value("platform", fmt::format("the host of node '{}', with {}", nodes[node].name, differs->expected),
                         differs->got);
    std::vector<std::size_t>& group = groups_[called];
    for (std::int64_t i = 0; i < std::max<std::int64_t>(count, 1); ++i) {
      const std::string own = count == 0 ? called : called + std::to_string(i);
      if (count > 0) claim(entry, own);
      group.push_back(boards.size());
      if (count > 0) groups_[own] = {boards.size()};
      boards.push_back({.name = own, .platform = platform, .node = node});
    }
  }

  void read_wire(const ListEntry& entry) {
    const std::string text = entry.text("from", "BOARD or BOARD.LINK");
    const WireEnd end = end_of(text);
    const auto group = groups_.find(end.boards);
    if (group == groups_.end()) refuse_board(entry, end.boards);
    const std::size_t node = node_of(entry, "to");
    for (const std::size_t board : group->second) {
      if (boards[board].node != node)
        entry.refuse_value("to",
                           fmt::format("'{}', the node of '{}'", nodes[boards[board].node].name, boards[board].name),
                           fmt::format("'{}'", nodes[node].name));
      for (const std::string& channel : channels_of(entry, board, end.channel)) add_wire(entry, board, channel);
    }
  }

  [[noreturn]] void refuse_board(const ListEntry& entry, const std::string& called) const {
    std::vector<std::string> known;
    known.reserve(groups_.size());
    for (const auto& [group, boards_of] : groups_) known.push_back(group);
    const std::string text = claimed_.contains(called) ? fmt::format("expected a board ({}), got the node '{}'",
                                                                     fmt::join(known, ", "), called)
                                                       : unknown_name("board", called, known);
    refuse(entry.place("from"), fmt::format("key 'wire.from': {}", text));
  }

  std::vector<std::string> channels_of(const ListEntry& entry, std::size_t board, const std::string& channel) const {
    const Description& platform = boards[board].platform;
    std::vector<std::string> known = platform.channels();
    if (known.empty())
      entry.refuse_value("from", "a board with a link",
                         fmt::format("'{}', which is one of {}", boards[board].name, names_of(platform.parts())));
    if (channel.empty()) return known;
    if (std::ranges::find(known, channel) == known.end()) refuse_link(entry, boards[board].name, channel, known);
    return {channel};
  }

  [[noreturn]] void refuse_link(const ListEntry& entry, const std::string& board, const std::string& channel,
                                const std::vector<std::string>& known) const {
    std::vector<std::string> links;
    links.reserve(known.size());
    for (const std::string& link : known) links.push_back(fmt::format("{}.{}", board, link));
    const std::string text = unknown_name("link", fmt::format("{}.{}", board, channel), links);
    refuse(entry.place("from"), fmt::format("key 'wire.from': {}", text));
  }

  void add_wire(const ListEntry& entry, std::size_t board, const std::string& channel) {
    const bool wired = std::ranges::any_of(
        wires, [&](const System::Wire& wire) { return wire.board == board && wire.channel == channel; });
    if (wired)
      entry.refuse_value("from", "a link that no other wire leaves",
                         fmt::format("'{}.{}', which one does", boards[board].name, channel));
    wires.push_back({.board = board, .channel = channel, .node = boards[board].node});
  }

  void wire_the_others() {
    std::vector<System::Wire> all;
    for (std::size_t board = 0; board < boards.size(); ++board) {
      const auto leaves = [board](const System::Wire& wire) { return wire.board == board; };
      const bool chosen = std::ranges::any_of(wires, leaves);
      for (const std::string& channel : boards[board].platform.channels())
        if (!chosen || std::ranges::any_of(
                           wires, [&](const System::Wire& wire) { return leaves(wire) && wire.channel == channel; }))
          all.push_back({.board = board, .channel = channel, .node = boards[board].node});
    }
    wires = std::move(all);
  }

  Document document_;
  std::span<const std::string> overrides_;
  Schema schema_;
  std::map<std::string, Place> claimed_;                    ///< names, and the places that gave them
  std::map<std::string, std::vector<std::size_t>> groups_;  ///< boards by the names that wires may use
  std::vector<Place> node_places_;
};

}  // namespace

bool is_system(const std::filesystem::path& file) {
  return Document(file, "platform").names_system();
}

System load_system(const std::filesystem::path& file, std::span<const std::string> overrides, Schema schema) {
  SystemReader reader(file, overrides, schema);
  reader.read();
  System system;
  system.name_ = std::move(reader.name);
  system.file_ = file;
  system.nodes_ = std::move(reader.nodes);
  system.boards_ = std::move(reader.boards);
  system.wires_ = std::move(reader.wires);
  return system;
}

}  // namespace isthmus::platform
