#include "isthmus/platform/json.hpp"

#include <cmath>

namespace isthmus::platform {
namespace {

Record number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

Record value_of(const Input& input) {
  if (const bool* flag = std::get_if<bool>(&input.value)) return *flag;
  if (const auto* text = std::get_if<std::string>(&input.value)) return *text;
  return number(std::get<double>(input.value));
}

Record to_json(const Input& input) {
  Record record{{"key", input.name}};
  record["value"] = value_of(input);
  record["unit"] = input.unit;
  record["source"] = input.source;
  record["role"] = input.role;
  if (input.range) record["range"] = std::vector{number(input.range->first), number(input.range->second)};
  if (!input.why.empty()) record["why"] = input.why;
  if (!input.date.empty()) record["date"] = input.date;
  if (input.line != 0) record["line"] = input.line;
  record["meaning"] = input.key->meaning;
  return record;
}

Record to_json(const Section& part) {
  Record record{{"name", part.name()}, {"kind", part.kind().name()}};
  if (part.kind().link) record["channel"] = part.channel();
  return record;
}

}  // namespace

Record to_json(const PartKind& kind, const std::string& section, const Key& key) {
  Record units = Record::object();
  for (const Unit& unit : units_of(key.quantity)) units[unit.name] = unit.scale;
  Record json{{"key", section + "." + std::string(key.name)}, {"kind", kind.name()}};
  json["meaning"] = key.meaning;
  json["low"] = key.low;
  json["high"] = key.high;
  json["units"] = std::move(units);
  json["expected"] = expectation(key);
  json["when"] = key.rules.when;
  json["may_be_left_out"] = key.rules.may_be_left_out;
  return json;
}

Record to_json(const PartKind& kind) {
  Record relations = Record::array();
  for (const Relation& relation : kind.relations) relations.push_back(to_string(relation));
  return {{"kind", kind.name()}, {"section", kind.section}, {"meaning", kind.meaning},
          {"link", kind.link},   {"several", kind.several}, {"relations", std::move(relations)}};
}

Record to_json(const Description& description) {
  Record inputs = Record::array();
  for (const Input& input : description.inputs()) inputs.push_back(to_json(input));
  Record parts = Record::array();
  for (const Section& part : description.parts()) parts.push_back(to_json(part));
  return {{"file", description.file().filename().string()},
          {"name", description.name()},
          {"sha256", description.sha256()},
          {"parts", std::move(parts)},
          {"inputs", std::move(inputs)}};
}

Record to_json(const System& system) {
  Record nodes = Record::array();
  for (const System::Node& node : system.nodes()) {
    Record host = Record::array();
    for (const Section& part : node.host) host.push_back(to_json(part));
    nodes.push_back({{"name", node.name}, {"host", std::move(host)}});
  }
  Record boards = Record::array();
  for (const System::Board& board : system.boards())
    boards.push_back({{"name", board.name},
                      {"node", system.nodes()[board.node].name},
                      {"platform", board.platform.name()},
                      {"file", board.platform.file().filename().string()},
                      {"sha256", board.platform.sha256()}});
  Record wires = Record::array();
  for (const System::Wire& wire : system.wires())
    wires.push_back({{"board", system.boards()[wire.board].name},
                     {"channel", wire.channel},
                     {"node", system.nodes()[wire.node].name}});
  return {{"file", system.file().filename().string()},
          {"name", system.name()},
          {"sha256", system.sha256()},
          {"nodes", std::move(nodes)},
          {"boards", std::move(boards)},
          {"wires", std::move(wires)}};
}

Record to_json(const std::optional<Window>& window) {
  if (!window) return nullptr;
  return {{"size", window->size},
          {"unit", window->counts},
          {"taken", window->taken},
          {"round_trip_s", window->round_trip.seconds()}};
}

Record to_json(const std::vector<Part>& parts) {
  Record list = Record::array();
  for (const Part& part : parts)
    list.push_back({{"name", part.name},
                    {"busy_s", part.busy.seconds()},
                    {"starved_s", part.starved.seconds()},
                    {"blocked_s", part.blocked.seconds()},
                    {"lifetime_s", part.lifetime.seconds()},
                    {"works", part.works},
                    {"keys", part.keys},
                    {"window", to_json(part.window)}});
  return list;
}

Record to_json(const Limit& limit) {
  Record json{{"part", limit.part}, {"busy_share", limit.busy_share}};
  if (limit.path_share > 0) json["path_share"] = limit.path_share;
  if (limit.next.empty()) return json;
  json["next"] = limit.next;
  json["next_busy_share"] = limit.next_busy_share;
  if (limit.next_path_share > 0) json["next_path_share"] = limit.next_path_share;
  json["would_need"] = limit.would_need;
  return json;
}

Record to_json(const std::vector<native::WorkerReport>& workers) {
  Record list = Record::array();
  for (const auto& worker : workers) {
    auto core = worker.core < 0 ? Record() : Record(worker.core);
    list.push_back({{"core", std::move(core)}, {"actors", worker.actors}});
  }
  return list;
}

}  // namespace isthmus::platform
