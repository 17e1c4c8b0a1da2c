#include "isthmus/program/main.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "flows/flows.hpp"
#include "flows/threads/compute_units.hpp"
#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/native.hpp"
#include "isthmus/platform/description.hpp"
#include "program/choice_option.hpp"
#include "program/faults_option.hpp"
#include "program/grain_option.hpp"
#include "program/parameter_options.hpp"
#include "program/row.hpp"
#include "program/trace_options.hpp"

namespace isthmus::program {
namespace {

/// An application with the values that it has where a user says nothing.
struct DefaultApplication {
  const Maker& maker;
  ByteApplication usual;

  explicit DefaultApplication(const Maker& of)
      : maker(of), usual(of.make(each_of(of.parameters, Values(of.parameters)).front())) {}
};

/// The machine's cores are read only for who gives a number: that takes a fifth of a short run of a model.
std::optional<int> workers_of(Request& request) {
  if (!request.has("workers")) return {};
  return request.count("workers", 1, native::cores());
}

/// The request of a run.
struct RunRequest {
  std::string target;
  std::string flow;
  std::string channel;
  std::uint64_t seed;
  std::optional<int> workers;
  std::optional<int> units;
  std::vector<std::string> placement;
  bool list;
  Repetition repetition;
  TraceArguments trace;
  GrainArgument grain;
  FaultsArgument faults;
  ChoiceArgument choice;
  std::optional<int> count;
  ParameterArguments parameters;

  RunRequest(Request& request, const DefaultApplication& known)
      : target(request.text("on").value_or("")),
        flow(request.text("flow").value_or("")),
        channel(request.text("channel").value_or("")),
        seed(request.natural("seed").value_or(1)),
        workers(workers_of(request)),
        units(request.count("compute-units", 1, kMostUnits)),
        placement(request.assignments("map")),
        list(request.flag("list")),
        repetition(request),
        trace(request),
        grain(request),
        faults(request),
        choice(request),
        count(count_of(request, known.usual.extras.counted)),
        parameters(request, known.usual.name, known.maker.parameters) {
    request.refuse_others();
  }
};

/// The checks that need no target.
void check(const RunRequest& options) {
  if (!options.flow.empty()) flow_named(options.flow);
  const std::pair<const char*, bool> of_threads[] = {{"--workers", options.workers.has_value()},
                                                     {"--compute-units", options.units.has_value()},
                                                     {"--map", !options.placement.empty()}};
  for (const auto& [option, given] : of_threads)
    if (given && options.target != "native")
      throw Error(fmt::format("{}: expected the target native, got '{}'", option, options.target));
  options.faults.chosen();
}

/// Opens the target, if it can serve the request.
std::unique_ptr<Target> opened(const RunRequest& options) {
  if (options.target.empty()) throw Error("--on: expected a target such as model:aws-f1, opencl:0 or native");
  auto target = open_target(options.target, options.parameters.overrides(), options.channel);
  options.grain.check(options.target, target->modelled());
  if (options.trace.wanted() && !target->modelled())
    throw Error(fmt::format("--trace: '{}' is no model, and only the parts of models are seen", options.target));
  if (options.trace.wanted() && options.grain.coarse())
    throw Error("--trace: expected --grain fine, which has every packet and word, got coarse");
  return target;
}

/// Throws Error where the target has no such flow of the application, or nothing there that a fault acts on.
void check_flow(const RunRequest& options, const ByteApplication& application, const Target& target,
                const std::string& flow) {
  target.require_flow(application, flow);
  options.faults.require(target.faults(application, flow),
                         fmt::format("flow '{}' of '{}' on '{}'", flow, application.name, options.target));
}

void note(const std::string& text) {
  print({{"event", "note"}, {"text", text}});
}

/// The first flow that the application has on the target, or else of all that it has.
std::string usual_flow(const ByteApplication& application, const Target& target) {
  auto known = target.flows(application);
  if (known.empty()) known = flows_of(application);
  if (known.empty()) throw Error(fmt::format("application '{}': expected a kernel, got none", application.name));
  return known.front();
}

/// In counted units, of which a message may hold several.
std::function<void(int)> progress_of(const Asked& asked) {
  return [progress = Progress(asked.application.extras.counted, asked.count()),
          each = asked.application.extras.in_message](int messages) mutable { progress(messages * each); };
}

Run run_once(const Asked& asked, const RunRequest& options, Target& target, TraceFile* trace) {
  return target.run({.application = asked.application,
                     .flow = asked.flow,
                     .count = asked.messages,
                     .progress = progress_of(asked),
                     .note = note,
                     .states = trace,
                     .workers = options.workers.value_or(0),
                     .placement = native::parse_placement(options.placement),
                     .units = options.units.value_or(0),
                     .grain = options.grain.chosen(),
                     .seed = options.seed,
                     .faults = options.faults.chosen(),
                     .choice = asked.choice});
}

/// A row, and whether every output was right.
using Judged = std::pair<Record, bool>;

Judged modelled_row(const Asked& asked, const RunRequest& options, Target& target) {
  const auto trace = options.trace.wanted() ? options.trace.open() : nullptr;
  const Run run = run_once(asked, options, target, trace.get());
  if (trace != nullptr) options.trace.close(*trace);
  return {row_of(asked, target, run), run.right()};
}

Judged measured_row(const Asked& asked, const RunRequest& options, Target& target) {
  Measuring measuring(options.repetition);
  const Run run = typical_run(
      measuring, [&] { return run_once(asked, options, target, nullptr); },
      [](const Run& each) { return each.times.elapsed; });
  Record row = row_of(asked, target, run);
  add_samples(row, asked, measuring);
  return {std::move(row), run.right()};
}

/// So many that they hold `count`.
int messages_of(const ByteApplication& application, int count) {
  const int each = application.extras.in_message;
  const int messages = count / each + (count % each == 0 ? 0 : 1);
  if (messages > std::numeric_limits<int>::max() / each)
    throw Error(
        fmt::format("--count: expected at most {}, got {}", std::numeric_limits<int>::max() / each * each, count));
  return messages;
}

/// Prints a note if the last of `messages` is filled up.
void note_filled_up(const ByteApplication& application, int messages, int count) {
  const int each = application.extras.in_message;
  if (messages * each != count)
    note(fmt::format("{} {}: as many as {} messages of {} hold", messages * each, application.extras.counted, messages,
                     each));
}

int run_application(const DefaultApplication& known, const RunRequest& options, const Values& values) {
  const ByteApplication application = known.maker.make(values);
  const int count = options.count.value_or(application.extras.count);
  const int messages = messages_of(application, count);
  const auto target = opened(options);
  const std::string flow = options.flow.empty() ? usual_flow(application, *target) : options.flow;
  check_flow(options, application, *target, flow);
  if (application.extras.open) application.extras.open({.count = messages, .seed = options.seed, .note = note});
  note_filled_up(application, messages, count);
  const Asked asked{.target = options.target,
                    .flow = flow,
                    .messages = messages,
                    .seed = options.seed,
                    .application = application,
                    .values = values,
                    .choice = options.choice.chosen(application, messages)};
  const auto [row, right] =
      target->modelled() ? modelled_row(asked, options, *target) : measured_row(asked, options, *target);
  if (right && application.extras.finished) application.extras.finished();
  print(row);
  return right ? kDone : kAnswerIsNo;
}

Record told(const DefaultApplication& known, const ByteApplication& application, const Target* target) {
  return {{"name", application.name},
          {"summary", application.summary},
          {"counted", application.extras.counted},
          {"flows", target != nullptr ? target->flows(application) : flows_of(application)},
          {"count", application.extras.count},
          {"bytes_each", bytes_each(application)},
          {"buffers", to_json(application.extras.buffers)},
          {"parameters", to_json(known.maker.parameters)}};
}

/// Prints the application with these parameters, and its flows on the target if there is one.
int list(const DefaultApplication& known, const RunRequest& options, const Values& values) {
  const ByteApplication application = known.maker.make(values);
  const std::unique_ptr<Target> target = options.target.empty() ? nullptr : opened(options);
  if (target != nullptr && !options.flow.empty()) check_flow(options, application, *target, options.flow);
  const int count = options.count.value_or(application.extras.count);
  if (target != nullptr) options.choice.chosen(application, messages_of(application, count));
  Record record{{"event", "application"}};
  record.update(told(known, application, target.get()));
  print(record);
  return kDone;
}

/// A row for each of the values of parameters that take several.
int answer(const DefaultApplication& known, Request& request) {
  const RunRequest options(request, known);
  check(options);
  const std::vector<Values> rows = each_of(known.maker.parameters, options.parameters.values());
  if (options.list) return list(known, options, rows.front());
  int code = kDone;
  for (const Values& values : rows) code = std::max(code, run_application(known, options, values));
  return code;
}

std::vector<std::string> installed_boards() {
  try {
    return platform::names();
  } catch (const Error&) {
    return {};  // said to who asks for one
  }
}

/// Puts the flows of each application on each installed board into its record; the files that this comes from. A board
/// that cannot be read is left to who asks for it.
std::vector<std::string> add_boards(std::vector<Record>& records, std::span<const DefaultApplication> all) {
  std::vector<std::string> files;
  for (const std::string& board : installed_boards()) {
    const std::string name = "model:" + board;
    files.push_back(std::filesystem::absolute(platform::file_of(name)));
    try {
      const auto target = open_target(name, {});
      for (std::size_t i = 0; i < all.size(); ++i) records[i]["on"][name] = target->flows(all[i].usual);
    } catch (const Error&) {
      continue;
    }
  }
  if (!files.empty()) files.push_back(std::filesystem::path(files.front()).parent_path());
  return files;
}

Record description_of(std::span<const DefaultApplication> all) {
  std::vector<Record> records;
  records.reserve(all.size());
  for (const DefaultApplication& known : all) records.push_back(told(known, known.usual, nullptr));
  const std::vector<std::string> files = add_boards(records, all);
  return {{"applications", records}, {"made_of", files}};
}

const DefaultApplication& named(std::span<const DefaultApplication> all, Request& request) {
  std::vector<std::string> names;
  for (const DefaultApplication& each : all) names.push_back(each.usual.name);
  const std::string name = request.text("APP").value_or("");
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) throw Error(unknown_name("application", name, names));
  return all[static_cast<std::size_t>(at - names.begin())];
}

}  // namespace

int main_of(int argc, char** argv, const Maker& application, const char* data) {
  if (data != nullptr) look_for_data_in(data);
  std::optional<DefaultApplication> known;
  try {
    known.emplace(application);
  } catch (const Error& error) {
    return fail(error.what());
  }
  return run(
      argc, argv,
      [&] {
        return description_of({&*known, 1});
      },
      [&](Request& request) { return answer(*known, request); });
}

int main_of_one(int argc, char** argv, std::span<const Maker> applications) {
  const std::vector<DefaultApplication> all(applications.begin(), applications.end());
  return run(
      argc, argv, [&] { return description_of(all); },
      [&](Request& request) { return answer(named(all, request), request); });
}

}  // namespace isthmus::program
