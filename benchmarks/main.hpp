#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "isthmus/base/error.hpp"

namespace isthmus::bench {

/// An option of a benchmark: its name, what it is, and what takes the word behind it; without that it stands alone.
struct Flag {
  std::string name;
  std::string help;
  std::function<void(const std::string&)> take;
  bool* given = nullptr;
};

inline Flag switched(std::string name, bool& given, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .take = {}, .given = &given};
}

inline Flag text(std::string name, std::string& value, std::string help) {
  return {
      .name = std::move(name), .help = std::move(help), .take = [&value](const std::string& word) { value = word; }};
}

template <class Number>
Flag number(std::string name, Number& value, std::type_identity_t<Number> least, std::type_identity_t<Number> most,
            const std::string& help) {
  return {.name = name,
          .help = fmt::format("{}, {}..{}; by default {}", help, least, most, value),
          .take = [=, &value](const std::string& word) {
            const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
            if (failure != std::errc() || end != word.data() + word.size() || !(value >= least && value <= most))
              throw Error(fmt::format("{}: expected {}..{}, got '{}'", name, least, most, word));
          }};
}

inline void read(std::span<char*> words, const std::vector<Flag>& flags) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    const auto flag = std::ranges::find(flags, word, &Flag::name);
    if (flag == flags.end()) throw Error(fmt::format("unknown option '{}': see --help", word));
    if (flag->given != nullptr) {
      *flag->given = true;
      continue;
    }
    if (++at == words.size()) throw Error(fmt::format("{}: expected a word behind it", word));
    flag->take(words[at]);
  }
}

/// Reads the command line and returns what `body` does; an error is one line on stderr and exit code 2. Unlike the
/// tools' `run` it leaves Ctrl-C alone, which ends a benchmark at once.
template <class Body>
int run_main(const char* summary, const std::vector<Flag>& flags, std::span<char*> words, const Body& body) {
  try {
    if (words.size() == 2 && words[1] == std::string_view("--help")) {
      fmt::print("{}\n", summary);
      for (const Flag& flag : flags) fmt::print("  {:<12} {}\n", flag.name, flag.help);
      return 0;
    }
    read(words.subspan(1), flags);
    return body();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  }
  return 2;
}

}  // namespace isthmus::bench
