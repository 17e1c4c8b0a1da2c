#include "isthmus/base/record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

constexpr const char* kNull = "null";
constexpr const char* kEmptyList = "[]";

}  // namespace

Record::Record(std::nullptr_t) : text_(kNull) {}
Record::Record(bool value) : text_(value ? "true" : "false") {}
Record::Record(int value) : text_(std::to_string(value)) {}
Record::Record(std::int64_t value) : text_(std::to_string(value)) {}
Record::Record(std::uint64_t value) : text_(std::to_string(value)) {}
Record::Record(double value) : text_(nlohmann::json(value).dump()) {}
Record::Record(const char* text) : Record(std::string_view(text)) {}
Record::Record(std::string_view text) : text_(nlohmann::json(text).dump()) {}
Record::Record(const std::string& text) : Record(std::string_view(text)) {}

Record::Record(std::initializer_list<Member> members) {
  for (const Member& each : members)
    if (std::ranges::find(members_, each.name, &Member::name) == members_.end()) members_.push_back(each);
}

Record Record::object() {
  return std::initializer_list<Member>{};
}

Record Record::array() {
  Record list;
  list.text_ = kEmptyList;
  return list;
}

Record Record::number_or_text(const std::string& text) {
  const auto read = nlohmann::json::parse(text, nullptr, false);
  Record record(text);
  if (read.is_number()) record.text_ = read.dump();
  return record;
}

Record::Record(const Record&) = default;
Record::Record(Record&&) noexcept = default;
Record& Record::operator=(const Record&) = default;
Record& Record::operator=(Record&&) noexcept = default;
Record::~Record() = default;

Record& Record::operator[](std::string_view name) {
  if (text_ == kNull) text_.clear();
  if (!text_.empty()) throw Error("record: expected an object of '" + std::string(name) + "', got " + text_);
  const auto found = std::ranges::find(members_, name, &Member::name);
  return found != members_.end() ? found->value : members_.emplace_back(std::string(name), nullptr).value;
}

void Record::push_back(const Record& value) {
  if (text_ == kNull) text_ = kEmptyList;
  if (!text_.starts_with('[')) throw Error("record: expected a list, got " + text());
  text_.pop_back();
  if (text_.size() > 1) text_ += ',';
  text_ += value.text() + ']';
}

void Record::update(const Record& other) {
  for (const auto& [name, value] : other.members_) (*this)[name] = value;
}

std::string Record::text() const {
  if (!text_.empty()) return text_;
  std::string all = "{";
  for (const auto& [name, value] : members_) {
    if (all.size() > 1) all += ',';
    all += Record(name).text_ + ':' + value.text();
  }
  return all + '}';
}

}  // namespace isthmus
