#include "isthmus/program/main.hpp"

#include <fmt/format.h>

#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/version.hpp"
#include "isthmus/platform/json.hpp"
#include "isthmus/stream/native.hpp"
#include "program/grain_option.hpp"
#include "program/measuring.hpp"
#include "program/run.hpp"
#include "program/stages.hpp"
#include "program/tool.hpp"
#include "program/trace_options.hpp"

namespace isthmus::program {
namespace {

struct Options {
  std::string target;
  int messages = 200;
  std::vector<std::string> settings;
  std::string channel;
  int workers = 0;
  std::vector<std::string> placement;
  Repetition repetition;
  bool list = false;
  TraceArguments trace;
  GrainArgument grain;
};

void check(const Options& options) {
  if (options.target.empty()) throw Error("--on: expected a target such as model:aws-f1 or native");
  if (options.messages < 1) throw Error(fmt::format("--messages: expected 1 or more, got {}", options.messages));
  options.repetition.check();
  const bool native = options.target == "native";
  if (options.workers < 0 || options.workers > native::cores())
    throw Error(fmt::format("--workers: expected 1..{}, a thread a core, got {}", native::cores(), options.workers));
  if (options.workers != 0 && !native)
    throw Error(fmt::format("--workers: expected the target native, got '{}'", options.target));
  if (!options.placement.empty() && !native)
    throw Error(fmt::format("--map: expected the target native, got '{}'", options.target));
  if (native && !options.settings.empty())
    throw Error(
        fmt::format("--set {}: target 'native' is this machine, only models have settings", options.settings.front()));
  if (native && !options.channel.empty())
    throw Error(fmt::format("--channel {}: target 'native' is this machine, and only models have links to choose",
                            options.channel));
  if (native && options.trace.wanted())
    throw Error("--trace: 'native' is this machine, only the parts of models are seen");
  options.grain.check(options.target, !native);
}

Record row(const ByteApplication& application, const Options& options, const Result& result) {
  const double elapsed = result.elapsed.seconds();
  return {{"event", "row"},
          {"target", options.target},
          {"flow", "stream"},
          {"application", application.name},
          {"messages", options.messages},
          {"bytes_per_message", application.input},
          {"elapsed_s", elapsed},
          {"setup_s", result.setup.seconds()},
          {"value", options.messages / elapsed},
          {"unit", "messages/s"},
          {"gb_per_s", static_cast<double>(application.input) * options.messages / elapsed * 1e-9},
          {"verified", !result.difference},
          {"stages", stages_of_row(result)},
          {"version", version()}};
}

Result run_natively(const ByteApplication& application, const Options& options, const Job& job, Record& record) {
  Measuring measuring(options.repetition);
  Result result = typical_run(
      measuring, [&] { return run_native(application, job); }, [](const Result& run) { return run.elapsed; });
  record = row(application, options, result);
  measuring.add_to(record, "value", options.messages, static_cast<double>(application.input));
  record["device"] = native::processor();
  record["kind"] = "measured";
  record["workers"] = platform::to_json(result.workers);
  return result;
}

Result run_modelled(const ByteApplication& application, const Options& options, Job job, Record& record) {
  const auto platform = platform::load(platform::file_of(options.target), options.settings);
  const auto trace = options.trace.wanted() ? options.trace.open() : nullptr;
  job.states = trace.get();
  Result result = run_on_model(application, platform, job);
  if (trace != nullptr) options.trace.close(*trace);
  record = row(application, options, result);
  record["device"] = platform.name();
  record["kind"] = "modelled";
  record["grain"] = to_string(platform::Grain::fine);
  record["parts"] = platform::to_json(result.parts);
  record["bottleneck"] = platform::to_json(platform::bottleneck(result.parts, result.lasted));
  record["platform"] = platform::to_json(platform);
  if (platform.channels().size() > 1) record["channel"] = platform.over(options.channel).channels().front();
  return result;
}

int run_application(const ByteApplication& application, const Options& options) {
  check(options);
  const Job job{.messages = options.messages,
                .progress = Progress("messages", options.messages),
                .channel = options.channel,
                .workers = options.workers,
                .placement = native::parse_placement(options.placement)};
  Record record;
  const Result result = options.target == "native" ? run_natively(application, options, job, record)
                                                   : run_modelled(application, options, job, record);
  if (result.difference) record["difference"] = to_json(*result.difference);
  print(record);
  return result.difference ? kAnswerIsNo : kDone;
}

int list(const ByteApplication& application) {
  print(
      {{"event", "application"}, {"name", application.name}, {"summary", application.summary}, {"flows", {"stream"}}});
  return kDone;
}

}  // namespace

void check(const ByteApplication& application) {
  for (const std::size_t bytes : {application.input, application.output})
    if (bytes == 0 || bytes % kWordBytes != 0)
      throw Error(fmt::format("application '{}': expected messages of a multiple of {} bytes, got {}", application.name,
                              kWordBytes, bytes));
}

int main_of(int argc, char** argv, const ByteApplication& application, const char* data) {
  if (data != nullptr) look_for_data_in(data);
  CLI::App app(fmt::format("{}: {}.", application.name, application.summary));
  Options options;
  app.add_option("--on", options.target, "the target: model:NAME, FILE.toml or native");
  app.add_option("--messages", options.messages, "how many messages")->capture_default_str();
  app.add_option("--set", options.settings, "KEY=VALUE of a model's platform; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_option("--channel", options.channel, "the link of a model with several; by default its first");
  app.add_option("--workers", options.workers,
                 "threads of the target native; by default one a core, and actors move where the run is fastest");
  app.add_option("--map", options.placement, "ACTOR=WORKER,... of the target native; the row names its actors")
      ->expected(1)
      ->take_all();
  options.repetition.add_to(app);
  app.add_flag("--list", options.list, "says what the application is");
  options.trace.add_to(app);
  options.grain.add_to(app);
  return run(app, argc, argv, [&] { return options.list ? list(application) : run_application(application, options); });
}

}  // namespace isthmus::program
