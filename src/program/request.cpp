#include "program/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/base/one_line.hpp"

namespace isthmus::program {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExample = R"(a JSON object such as {"on":"native"})";
constexpr std::size_t kMostShown = 60;  // letters

std::string shortened(const std::string& text) {
  const std::string line = one_line(text);
  return line.size() > kMostShown ? line.substr(0, kMostShown) + "..." : line;
}

std::string shown(const Json& value) {
  if (value.is_string()) return fmt::format("'{}'", shortened(value.get<std::string>()));
  return shortened(value.dump(-1, ' ', true));
}

[[noreturn]] void refuse(const std::string& key, std::string_view expected, const Json& got) {
  throw Error(fmt::format("{}: expected {}, got {}", option(key), expected, shown(got)));
}

/// Refuses a name that an object has twice, of which JSON's reader keeps the last.
class NamesSeen {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) names_.emplace_back();
    if (event == Json::parse_event_t::object_end) names_.pop_back();
    if (event == Json::parse_event_t::key && !names_.back().insert(parsed.get<std::string>()).second)
      throw Error(fmt::format("request: {} is given twice", shown(parsed)));
    return true;
  }

 private:
  std::vector<std::set<std::string>> names_;
};

Json read(std::string_view text) {
  NamesSeen names;
  try {
    Json read = Json::parse(text, std::ref(names));
    if (!read.is_object()) throw Error(fmt::format("request: expected {}, got {}", kExample, shown(read)));
    return read;
  } catch (const Json::parse_error& error) {
    throw Error(fmt::format("request: expected {}, got '{}', which is no JSON from byte {} on", kExample,
                            shortened(std::string(text)), error.byte));
  } catch (const Json::exception&) {
    throw Error(fmt::format("request: expected {}, got a number that is too large in '{}'", kExample,
                            shortened(std::string(text))));
  }
}

/// The range that a number is outside of.
std::string range(std::int64_t least, std::int64_t most, bool too_small) {
  const bool any = most == Request::kMost || most == Request::kMostCounted;
  return too_small && any ? fmt::format("{} or more", least) : fmt::format("{}..{}", least, most);
}

std::int64_t integer_of(const std::string& key, const Json& value, std::int64_t least, std::int64_t most) {
  if (!value.is_number_integer()) refuse(key, "a whole number", value);
  const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{Request::kMost};
  const std::int64_t number = fits ? value.get<std::int64_t>() : Request::kMost;
  if (!fits || number < least || number > most) refuse(key, range(least, most, number < least), value);
  return number;
}

std::string text_of(const std::string& key, const Json& value) {
  if (!value.is_string()) refuse(key, "a text", value);
  return value.get<std::string>();
}

std::string typed_of(const std::string& place, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number() && !value.is_boolean()) refuse(place, "a text, a number, true or false", value);
  return value.dump();
}

}  // namespace

struct Request::Content {
  Json object;

  const Json* at(const std::string& key) const {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }
};

std::string option(const std::string& key) {
  return !key.empty() && std::isupper(static_cast<unsigned char>(key.front())) != 0 ? key : "--" + key;
}

Request::Request(std::string_view json) : content_(std::make_shared<const Content>(Content{read(json)})) {}

bool Request::has(const std::string& key) {
  if (std::ranges::find(asked_, key) == asked_.end()) asked_.push_back(key);
  return content_->at(key) != nullptr;
}

bool Request::has_text(const std::string& key) {
  return has(key) && content_->at(key)->is_string();
}

bool Request::flag(const std::string& key) {
  if (!has(key)) return false;
  const Json& value = *content_->at(key);
  if (!value.is_boolean()) refuse(key, "true or false", value);
  return value.get<bool>();
}

std::optional<std::string> Request::text(const std::string& key) {
  if (!has(key)) return {};
  return text_of(key, *content_->at(key));
}

std::vector<std::string> Request::texts(const std::string& key) {
  if (!has(key)) return {};
  const Json& value = *content_->at(key);
  if (!value.is_array()) return {text_of(key, value)};
  std::vector<std::string> texts;
  for (const Json& each : value) texts.push_back(text_of(key, each));
  return texts;
}

std::optional<std::int64_t> Request::integer(const std::string& key, std::int64_t least, std::int64_t most) {
  if (!has(key)) return {};
  return integer_of(key, *content_->at(key), least, most);
}

std::optional<int> Request::count(const std::string& key, int least, int most) {
  if (!has(key)) return {};
  return static_cast<int>(integer_of(key, *content_->at(key), least, most));
}

std::vector<std::int64_t> Request::integers(const std::string& key, std::int64_t least, std::int64_t most) {
  if (!has(key)) return {};
  const Json& value = *content_->at(key);
  if (!value.is_array()) return {integer_of(key, value, least, most)};
  std::vector<std::int64_t> numbers;
  for (const Json& each : value) numbers.push_back(integer_of(key, each, least, most));
  return numbers;
}

std::optional<std::uint64_t> Request::natural(const std::string& key) {
  if (!has(key)) return {};
  const Json& value = *content_->at(key);
  if (!value.is_number_unsigned())
    refuse(key, fmt::format("a whole number of 0..{}", std::numeric_limits<std::uint64_t>::max()), value);
  return value.get<std::uint64_t>();
}

std::optional<double> Request::positive(const std::string& key) {
  if (!has(key)) return {};
  const Json& value = *content_->at(key);
  if (!value.is_number() || !(value.get<double>() > 0)) refuse(key, "a number above 0", value);
  return value.get<double>();
}

std::optional<std::string> Request::typed(const std::string& key) {
  if (!has(key)) return {};
  return typed_of(key, *content_->at(key));
}

std::vector<std::pair<std::string, std::string>> Request::members(const std::string& key) {
  if (!has(key)) return {};
  const Json& value = *content_->at(key);
  if (!value.is_object()) refuse(key, "an object of names and values", value);
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [name, each] : value.items())
    members.emplace_back(name, typed_of(fmt::format("{} {}", key, name), each));
  return members;
}

std::vector<std::string> Request::assignments(const std::string& key) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : members(key)) texts.push_back(fmt::format("{}={}", name, value));
  return texts;
}

void Request::refuse_others() const {
  const auto known = [this](const std::string& key) { return std::ranges::find(asked_, key) != asked_.end(); };
  for (const auto& [key, value] : content_->object.items()) {
    if (known(key)) continue;
    const std::string near = nearest(key, asked_);
    if (!near.empty())
      throw Error(fmt::format("unknown option '{}'; did you mean '{}'?", one_line(option(key)), option(near)));
    std::vector<std::string> options;
    options.reserve(asked_.size());
    for (const std::string& each : asked_) options.push_back(option(each));
    throw Error(unknown_name("option", one_line(option(key)), options));
  }
}

}  // namespace isthmus::program
