#include "isthmus/program/main.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/native.hpp"
#include "program/choice_option.hpp"
#include "program/compute_units.hpp"
#include "program/faults_option.hpp"
#include "program/flows.hpp"
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

struct CommandLine {
  std::string target;
  std::string flow;
  std::string channel;
  std::uint64_t seed = 1;
  std::optional<int> workers;
  std::optional<int> units;
  std::vector<std::string> placement;
  Repetition repetition;
  bool list = false;
  TraceArguments trace;
  GrainArgument grain;
  FaultsArgument faults;
  ChoiceArgument choice;
  CountArgument count;
  ParameterArguments parameters;

  /// Without an application, of which nothing is run.
  explicit CommandLine(const DefaultApplication* known)
      : count(known != nullptr ? known->usual.extras.counted : "messages",
              known != nullptr ? known->usual.extras.count : 1),
        parameters(known != nullptr ? known->usual.name : "",
                   known != nullptr ? known->maker.parameters : std::vector<Parameter>()) {}
};

void add_to(CLI::App& app, CommandLine& options) {
  app.add_option("--on", options.target, "the target: model:NAME, FILE.toml, opencl:N, opencl:NAME or native");
  app.add_option(
      "--flow", options.flow,
      fmt::format("{}; by default the first that application and target have", fmt::join(flow_names(), ", ")));
  options.count.add_to(app);
  options.parameters.add_to(app);
  app.add_option("--channel", options.channel,
                 "link to use, if a model has several; by default the first for streams, all for transfers");
  app.add_option("--workers", options.workers,
                 "threads of the target native; by default one for each core, and actors move to be fastest");
  app.add_option("--compute-units", options.units,
                 "copies of the kernel on the target native, which take messages in turn; by default one for each "
                 "worker, if the application's messages are independent");
  app.add_option("--map", options.placement,
                 "ACTOR=WORKER,...: which thread of native runs which actor; the row names the actors")
      ->expected(1)
      ->take_all();
  app.add_option("--seed", options.seed, "seed of the random numbers")->capture_default_str();
  options.repetition.add_to(app);
  app.add_flag("--list", options.list,
               "list the applications, their parameters and the flows that the target of --on has");
  options.trace.add_to(app);
  options.grain.add_to(app);
  options.faults.add_to(app);
  options.choice.add_to(app);
}

/// Asked only of who gives a number: reading the machine's cores takes a fifth of a short run of a model.
void check_workers(int workers) {
  const int most = native::cores();
  if (workers < 1 || workers > most)
    throw Error(fmt::format("--workers: expected 1..{}, a thread a core, got {}", most, workers));
}

void check_units(int units) {
  if (units < 1 || units > kMostUnits)
    throw Error(fmt::format("--compute-units: expected 1..{}, got {}", kMostUnits, units));
}

void check(const CommandLine& options) {
  if (!options.flow.empty()) flow_named(options.flow);
  if (options.target.empty()) throw Error("--on: expected a target such as model:aws-f1, opencl:0 or native");
  const std::pair<const char*, bool> of_threads[] = {{"--workers", options.workers.has_value()},
                                                     {"--compute-units", options.units.has_value()},
                                                     {"--map", !options.placement.empty()}};
  for (const auto& [option, given] : of_threads)
    if (given && options.target != "native")
      throw Error(fmt::format("{}: expected the target native, got '{}'", option, options.target));
  if (options.workers) check_workers(*options.workers);
  if (options.units) check_units(*options.units);
  options.repetition.check();
  options.faults.chosen();
}

void check_model(const CommandLine& options, const Target& target) {
  options.grain.check(options.target, target.modelled());
  if (options.trace.wanted() && !target.modelled())
    throw Error(fmt::format("--trace: '{}' is no model, and only the parts of models are seen", options.target));
  if (options.trace.wanted() && options.grain.coarse())
    throw Error("--trace: expected --grain fine, which has every packet and word, got coarse");
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

/// In what is counted, of which a message may hold several.
std::function<void(int)> progress_of(const Asked& asked) {
  return [progress = Progress(asked.application.extras.counted, asked.count()),
          each = asked.application.extras.in_message](int messages) mutable { progress(messages * each); };
}

Run run_once(const Asked& asked, const CommandLine& options, Target& target, TraceFile* trace) {
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

Record modelled_row(const Asked& asked, const CommandLine& options, Target& target) {
  const auto trace = options.trace.wanted() ? options.trace.open() : nullptr;
  const Run run = run_once(asked, options, target, trace.get());
  if (trace != nullptr) options.trace.close(*trace);
  return row_of(asked, target, run);
}

Record measured_row(const Asked& asked, const CommandLine& options, Target& target) {
  Measuring measuring(options.repetition);
  const Run run = typical_run(
      measuring, [&] { return run_once(asked, options, target, nullptr); },
      [](const Run& each) { return each.times.elapsed; });
  Record row = row_of(asked, target, run);
  add_samples(row, asked, measuring);
  return row;
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

/// Says so where the last of so many messages is filled up.
void note_filled_up(const ByteApplication& application, int messages, int count) {
  const int each = application.extras.in_message;
  if (messages * each != count)
    note(fmt::format("{} {}: as many as {} messages of {} hold", messages * each, application.extras.counted, messages,
                     each));
}

int run_application(const DefaultApplication& known, const CommandLine& options, const Values& values) {
  const ByteApplication application = known.maker.make(values);
  const int count = options.count.chosen().value_or(application.extras.count);
  const int messages = messages_of(application, count);
  const auto target = open_target(options.target, options.parameters.overrides(), options.channel);
  const std::string flow = options.flow.empty() ? usual_flow(application, *target) : options.flow;
  target->require_flow(application, flow);
  check_model(options, *target);
  options.faults.require(target->faults(application, flow),
                         fmt::format("flow '{}' of '{}' on '{}'", flow, application.name, options.target));
  if (application.extras.open) application.extras.open({.count = messages, .seed = options.seed, .note = note});
  note_filled_up(application, messages, count);
  const Asked asked{.target = options.target,
                    .flow = flow,
                    .messages = messages,
                    .seed = options.seed,
                    .application = application,
                    .values = values,
                    .choice = options.choice.chosen(application, messages)};
  const Record row = target->modelled() ? modelled_row(asked, options, *target) : measured_row(asked, options, *target);
  const bool right = row.at("verified");
  if (right && application.extras.finished) application.extras.finished();
  print(row);
  return right ? kDone : kAnswerIsNo;
}

/// A row for each of the values of parameters that take several.
int run_application(const DefaultApplication& known, const CommandLine& options) {
  check(options);
  int code = kDone;
  for (const Values& values : each_of(known.maker.parameters, options.parameters.values()))
    code = std::max(code, run_application(known, options, values));
  return code;
}

Record told(const DefaultApplication& known, const ByteApplication& application, const Target* target) {
  return {{"event", "application"},
          {"name", application.name},
          {"summary", application.summary},
          {"counted", application.extras.counted},
          {"flows", target != nullptr ? target->flows(application) : flows_of(application)},
          {"count", application.extras.count},
          {"bytes_each", bytes_each(application)},
          {"buffers", to_json(application.extras.buffers)},
          {"parameters", to_json(known.maker.parameters)}};
}

/// The applications that are given, each with its flows, or those of them that the target has if there is one; of a
/// single one what it is with the parameters that were typed.
int list(const std::vector<const DefaultApplication*>& applications, const CommandLine& options) {
  std::unique_ptr<Target> target;
  if (!options.target.empty()) target = open_target(options.target, options.parameters.overrides(), options.channel);
  const bool one = applications.size() == 1;
  for (const DefaultApplication* known : applications) {
    const auto values = one ? each_of(known->maker.parameters, options.parameters.values()) : std::vector<Values>();
    print(told(*known, one ? known->maker.make(values.front()) : known->usual, target.get()));
  }
  return kDone;
}

/// What a command line says of `name`, before it is known which other options there are.
std::string first_value_of(const std::string& name, int argc, char** argv) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::string value;
  app.add_option(name, value)->take_last();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError&) {
    return {};  // said when all of it is read
  }
  return value;
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
  CLI::App app(fmt::format("{}: {}.", known->usual.name, known->usual.summary));
  CommandLine options(&*known);
  add_to(app, options);
  return run(app, argc, argv,
             [&] { return options.list ? list({&*known}, options) : run_application(*known, options); });
}

int main_of_one(int argc, char** argv, std::span<const Maker> applications, const char* summary) {
  std::vector<DefaultApplication> all;
  std::vector<std::string> names;
  std::string name = first_value_of("--app", argc, argv);
  for (const Maker& each : applications) names.push_back(all.emplace_back(each).usual.name);
  const auto at = std::ranges::find(names, name);
  const DefaultApplication* chosen = at == names.end() ? nullptr : &all[static_cast<std::size_t>(at - names.begin())];
  CLI::App app(summary);
  CommandLine options(chosen);
  app.add_option("--app", name, "the application; --list names them; with --app, --help shows its options too");
  add_to(app, options);
  // What it does not take is said of an application that there is.
  app.allow_extras(chosen == nullptr && !name.empty());
  return run(app, argc, argv, [&] {
    if (chosen == nullptr && !(options.list && name.empty())) throw Error(unknown_name("application", name, names));
    if (!options.list) return run_application(*chosen, options);
    std::vector<const DefaultApplication*> listed;
    for (const DefaultApplication& each : all)
      if (chosen == nullptr || chosen == &each) listed.push_back(&each);
    return list(listed, options);
  });
}

}  // namespace isthmus::program
