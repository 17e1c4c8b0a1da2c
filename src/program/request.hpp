#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isthmus::program {

/// An option as a user types it: `--on` of the key `on`; an option without a name has its key in capitals, as help
/// shows it: `TARGET`.
std::string option(const std::string& key);

/// The request of a program: a JSON object with a key for each option. The questions remember their keys, so that
/// the rest can be refused. Each throws Error with the option where its value is of another type, or out of range.
class Request {
 public:
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  static constexpr int kMostCounted = std::numeric_limits<int>::max();

  /// Throws Error where the text is no JSON object, or one that has a key twice.
  explicit Request(std::string_view json);

  bool has(const std::string& key);
  /// Tells whether its value is a text, where it may be something else.
  bool has_text(const std::string& key);
  /// False where there is no such key.
  bool flag(const std::string& key);
  std::optional<std::string> text(const std::string& key);
  /// One text or a list of them; none where there is no such key.
  std::vector<std::string> texts(const std::string& key);
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t least, std::int64_t most = kMost);
  std::optional<int> count(const std::string& key, int least = 1, int most = kMostCounted);
  std::vector<std::int64_t> integers(const std::string& key, std::int64_t least, std::int64_t most = kMost);
  std::optional<std::uint64_t> natural(const std::string& key);
  std::optional<double> positive(const std::string& key);
  /// A text, a number, true or false, as a user would type it.
  std::optional<std::string> typed(const std::string& key);
  /// Names and such values of an object, in the order in which they are written; none where there is no such key.
  std::vector<std::pair<std::string, std::string>> members(const std::string& key);
  /// The same as NAME=VALUE.
  std::vector<std::string> assignments(const std::string& key);

  /// Throws Error with the nearest that was asked for where there is a key that was not.
  void refuse_others() const;

 private:
  struct Content;

  std::shared_ptr<const Content> content_;
  std::vector<std::string> asked_;
};

}  // namespace isthmus::program
