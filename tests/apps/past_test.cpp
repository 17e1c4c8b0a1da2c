// What the installed boards gave in the past, to the femtosecond: a change of structure moves no number of theirs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "apps/experiments.hpp"
#include "base/temporary_folder.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::apps {
namespace {

/// An object of JSON a line, so that what differs is short.
std::string on_lines(std::string text) {
  for (auto at = text.find("},{"); at != std::string::npos; at = text.find("},{", at)) text.insert(at + 2, "\n");
  return text;
}

std::string told(const std::string& board) {
  const std::string target = "model:" + board;
  std::string all = fmt::format("== sha256\n{}\n", platform::load(platform::file_of(target)).sha256());
  for (const auto& [name, experiment] : experiments())
    all += fmt::format("== {}\n{}\n", name, on_lines(outcome(name, {.target = target})));
  return all;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) found.push_back(line);
  return found;
}

class Past : public testing::TestWithParam<const char*> {};

/// A change that is to move numbers puts what is told now in place of the file: it is written beside the program.
TEST_P(Past, IsToldAgain) {
  const std::string name = std::string(GetParam()) + ".txt";
  const std::string then = read_text(std::filesystem::path(ISTHMUS_PAST) / name);
  const std::string now = told(GetParam());
  if (now == then) return;
  write_text(name, now);
  const auto before = lines(then);
  const auto after = lines(now);
  const auto [was, is] = std::ranges::mismatch(before, after);
  FAIL() << "line " << was - before.begin() + 1 << "\nwas " << (was == before.end() ? "nothing" : *was) << "\nis  "
         << (is == after.end() ? "nothing" : *is) << "\nall of it: " << std::filesystem::absolute(name);
}

INSTANTIATE_TEST_SUITE_P(Boards, Past, testing::Values("aws-f1", "alpha-data-7v3"));

}  // namespace
}  // namespace isthmus::apps
