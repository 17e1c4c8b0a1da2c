#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus {

/// What a program prints, as JSON: null, a truth, a number, a text, a list or an object. The members of an object keep
/// the order in which their names were first set; all else is kept as the text that it becomes.
class Record {
 public:
  struct Member;

  Record(std::nullptr_t = nullptr);
  Record(bool value);
  Record(int value);
  Record(std::int64_t value);
  Record(std::uint64_t value);
  Record(double value);  ///< null where it is infinite or no number
  Record(const char* text);
  Record(std::string_view text);
  Record(const std::string& text);
  Record(const void*) = delete;  ///< which would be a truth
  template <class T>
  Record(const std::vector<T>& list) : Record(array()) {
    for (const T& each : list) push_back(each);
  }
  /// Always an object. Of two members with one name the first counts.
  Record(std::initializer_list<Member> members);
  static Record object();  ///< without members
  static Record array();   ///< a list without values
  /// The number that `text` is in JSON, or else the text.
  static Record number_or_text(const std::string& text);

  Record(const Record&);
  Record(Record&&) noexcept;
  Record& operator=(const Record&);
  Record& operator=(Record&&) noexcept;
  ~Record();

  /// The value of a member, null where there was none; null becomes an object. Throws Error for any other value. Holds
  /// until the next new member.
  Record& operator[](std::string_view name);
  /// Null becomes a list. Throws Error for any value but a list.
  void push_back(const Record& value);
  /// Sets all members of another object.
  void update(const Record& other);

  /// One line. Throws an exception where a text is no UTF-8, as do constructors.
  std::string text() const;

 private:
  std::string text_;  ///< empty: an object
  std::vector<Member> members_;
};

struct Record::Member {
  std::string name;
  Record value;
};

}  // namespace isthmus
