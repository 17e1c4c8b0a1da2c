#include "program/choice_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

namespace isthmus::program {
namespace {

constexpr const char* kSequential = "sequential";

/// The command `isthmus` takes one more word, for the decision tree by which it chooses the method of each buffer.
constexpr const char* kTree = "tree";

soc::Method method_named(const std::string& name) {
  const auto found = std::ranges::find(soc::kMethods, name);
  if (name == kTree) throw Error("--method: expected the methods that the tree chooses, got 'tree'");
  if (found == soc::kMethods.end()) {
    std::vector<std::string> names(soc::kMethods.begin(), soc::kMethods.end());
    names.emplace_back(kTree);
    throw Error("--method: " + unknown_name("method", name, names));
  }
  return static_cast<soc::Method>(found - soc::kMethods.begin());
}

std::string name_of(soc::Method method) {
  return std::string(soc::kMethods.at(static_cast<std::size_t>(method)));
}

}  // namespace

ChoiceArgument::ChoiceArgument(Request& request)
    : rewrite_(request.text("rewrite").value_or("")), delay_(request.count("delay", 0).value_or(0)) {
  if (request.has_text("method"))
    method_ = request.text("method").value_or("");
  else
    methods_ = request.members("method");
}

soc::Choice ChoiceArgument::chosen(const ByteApplication& application, int messages) const {
  const std::vector<soc::Buffer>& buffers = application.extras.buffers;
  if (buffers.empty() && !(method_.empty() && methods_.empty()))
    throw Error(fmt::format("--method: application '{}' has no buffers that ports move", application.name));
  if (!rewrite_.empty() && rewrite_ != kSequential)
    throw Error("--rewrite: " + unknown_name("rewrite", rewrite_, std::vector<std::string>{kSequential}));
  const auto rewritten = [](const soc::Buffer& buffer) { return !buffer.sequential && buffer.can_be_sequential; };
  if (!rewrite_.empty() && std::ranges::none_of(buffers, rewritten))
    throw Error(
        fmt::format("--rewrite {}: application '{}' writes no buffer out of sequence", rewrite_, application.name));
  if (delay_ != 0 && !application.extras.delays)
    throw Error(fmt::format("--delay: the messages of application '{}' do not follow each other", application.name));
  if (delay_ != 0 && delay_ >= messages)
    throw Error(fmt::format("--delay: expected less than the {} {} of the run, got {}",
                            messages * application.extras.in_message, application.extras.counted, delay_));
  return {.methods = methods(buffers), .sequential = !rewrite_.empty(), .delay = delay_};
}

std::vector<soc::Method> ChoiceArgument::methods(const std::vector<soc::Buffer>& buffers) const {
  if (methods_.empty())
    return std::vector<soc::Method>(buffers.size(), method_.empty() ? soc::Method::hpc : method_named(method_));
  std::vector<std::optional<soc::Method>> given(buffers.size());
  std::vector<std::string> names;
  names.reserve(buffers.size());
  for (const soc::Buffer& buffer : buffers) names.push_back(buffer.name);
  for (const auto& [name, method] : methods_) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) throw Error("--method: " + unknown_name("buffer", name, names));
    given[static_cast<std::size_t>(at - names.begin())] = method_named(method);
  }
  std::vector<soc::Method> methods;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::optional<soc::Method> method = given[i];
    if (!method) throw Error(fmt::format("--method: expected a method of buffer '{}' too", names[i]));
    methods.push_back(*method);
  }
  return methods;
}

Record to_json(const std::vector<soc::Buffer>& buffers) {
  Record list = Record::array();
  for (const soc::Buffer& buffer : buffers)
    list.push_back({{"name", buffer.name},
                    {"bytes", buffer.bytes},
                    {"direction", std::string(soc::kDirections.at(static_cast<std::size_t>(buffer.direction)))},
                    {"mostly_written", buffer.mostly_written},
                    {"sequential", buffer.sequential},
                    {"can_be_sequential", buffer.can_be_sequential},
                    {"read_at_once", buffer.read_at_once}});
  return list;
}

void add(Record& row, const std::vector<soc::Buffer>& buffers, const soc::Choice& choice) {
  const bool one = std::ranges::adjacent_find(choice.methods, std::ranges::not_equal_to()) == choice.methods.end();
  row["method"] = one ? name_of(choice.methods.front()) : "mixed";
  Record methods = Record::object();
  for (std::size_t i = 0; i < buffers.size(); ++i) methods[buffers[i].name] = name_of(choice.methods[i]);
  row["methods"] = std::move(methods);
  if (choice.sequential) row["rewrite"] = kSequential;
  if (choice.delay > 0) row["delay"] = choice.delay;
}

}  // namespace isthmus::program
