// Runs one application on one target in one flow and prints what came of it as JSON lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "isthmus/apps/target.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/base/version.hpp"
#include "isthmus/stream/native.hpp"
#include "program/grain_option.hpp"
#include "program/measuring.hpp"
#include "program/stages.hpp"
#include "program/trace_options.hpp"
#include "tools/tool.hpp"

namespace {

using namespace isthmus;
using tools::Record;

const std::array<std::string, 1> kApplications{"image-filter"};
const std::array<std::string, 3> kFlows{"offload", "overlap", "stream"};
constexpr apps::ImageSize kFrame{.width = 1920, .height = 1080};

struct Options {
  std::string application;
  std::string target;
  std::string flow = "offload";
  int images = 200;
  std::string input;
  std::vector<std::string> settings;
  std::string channel;
  std::uint64_t seed = 1;
  int workers = 0;
  std::vector<std::string> placement;
  program::Repetition repetition;
  bool list = false;
  program::TraceArguments trace;
  program::GrainArgument grain;
};

void require_known(const char* what, const std::string& name, std::span<const std::string> known) {
  if (std::ranges::find(known, name) == known.end()) throw Error(unknown_name(what, name, known));
}

void check(const Options& options) {
  require_known("application", options.application, kApplications);
  require_known("flow", options.flow, kFlows);
  if (options.target.empty()) throw Error("--on: expected a target such as opencl:0");
  if (options.workers != 0 && options.target != "native")
    throw Error(fmt::format("--workers: expected the target native, got '{}'", options.target));
  if (!options.placement.empty() && options.target != "native")
    throw Error(fmt::format("--map: expected the target native, got '{}'", options.target));
  if (options.workers < 0 || options.workers > native::cores())
    throw Error(fmt::format("--workers: expected 1..{}, a thread a core, got {}", native::cores(), options.workers));
  options.repetition.check();
  if (options.images < 1) throw Error(fmt::format("--images: expected 1 or more, got {}", options.images));
}

void note(const std::string& text) {
  tools::print({{"event", "note"}, {"text", text}});
}

apps::FrameSource open_frames(const Options& options) {
  std::optional<std::filesystem::path> folder;
  if (!options.input.empty()) folder = options.input;
  const auto choice = apps::find_photographs(folder, kFrame);
  if (folder && choice.too_small > 0)
    note(fmt::format("{}: photographs left out because they are smaller than {} x {}: {}", options.input, kFrame.width,
                     kFrame.height, choice.too_small));
  return {choice.files, kFrame, options.images, options.seed};
}

Record first_images(const apps::FlowTimes& times) {
  Record list = Record::array();
  for (const auto& image : times.images) {
    Record steps = Record::array();
    for (const auto& step : image)
      steps.push_back({{"name", step.name}, {"begin_s", step.begin.seconds()}, {"end_s", step.end.seconds()}});
    list.push_back({{"image", list.size()}, {"steps", std::move(steps)}});
  }
  return list;
}

Record row(const Options& options, const apps::Target& target, const apps::FilterRun& run) {
  const double elapsed = run.times.elapsed.seconds();
  const double bytes = static_cast<double>(kFrame.bytes()) * options.images;
  Record record{{"event", "row"},
                {"target", options.target},
                {"device", target.device_name()},
                {"flow", options.flow},
                {"kind", target.modelled() ? "modelled" : "measured"},
                {"application", options.application},
                {"images", options.images},
                {"taps", apps::kTaps},
                {"width", kFrame.width},
                {"height", kFrame.height},
                {"bytes_per_image", kFrame.bytes()},
                {"elapsed_s", elapsed},
                {"setup_s", run.setup.seconds()},
                {"images_per_s", options.images / elapsed},
                {"gb_per_s", bytes / elapsed * 1e-9},
                {"verified", !run.difference},
                {"stages", program::stages_of_row(run.times)},
                {"first_images", first_images(run.times)},
                {"seed", options.seed},
                {"version", version()}};
  target.explain(record);
  return record;
}

Record with_pixel(const apps::Difference& difference) {
  const std::size_t pixel = difference.offset / apps::kChannels;
  const auto width = static_cast<std::size_t>(kFrame.width);
  Record record = program::to_json(difference);
  record["column"] = pixel % width;
  record["row"] = pixel / width;
  record["channel"] = difference.offset % apps::kChannels;
  return record;
}

apps::FilterRun run_once(const Options& options, apps::Target& target, const apps::FrameSource& frames,
                         TraceFile* trace) {
  return target.run({.flow = options.flow,
                     .spec = apps::default_filter(),
                     .frames = frames,
                     .progress = tools::Progress("images", options.images),
                     .states = trace,
                     .workers = options.workers,
                     .placement = native::parse_placement(options.placement),
                     .grain = options.grain.chosen()});
}

Record modelled_row(const Options& options, apps::Target& target, const apps::FrameSource& frames,
                    apps::FilterRun& run) {
  const auto trace = options.trace.wanted() ? options.trace.open() : nullptr;
  run = run_once(options, target, frames, trace.get());
  if (trace != nullptr) options.trace.close(*trace);
  return row(options, target, run);
}

Record measured_row(const Options& options, apps::Target& target, const apps::FrameSource& frames,
                    apps::FilterRun& run) {
  program::Measuring measuring(options.repetition);
  run = program::typical_run(
      measuring, [&] { return run_once(options, target, frames, nullptr); },
      [](const apps::FilterRun& each) { return each.times.elapsed; });
  Record record = row(options, target, run);
  measuring.add_to(record, "images_per_s", options.images, static_cast<double>(kFrame.bytes()));
  return record;
}

/// The applications, each with its flows, or those of them that the target has if there is one.
int list_applications(const Options& options) {
  std::vector<std::string> flows(kFlows.begin(), kFlows.end());
  if (!options.target.empty()) flows = apps::open_target(options.target, options.settings, options.channel)->flows();
  tools::print({{"event", "application"},
                {"name", kApplications[0]},
                {"summary", "3x3 stencil over 1920x1080 RGBA photographs (stacc VI-B1)"},
                {"flows", flows}});
  return tools::kDone;
}

int run_application(const Options& options) {
  check(options);
  const auto target = apps::open_target(options.target, options.settings, options.channel);
  target->require_flow(options.flow);
  options.grain.check(options.target, target->modelled());
  if (options.trace.wanted() && !target->modelled())
    throw Error(fmt::format("--trace: '{}' is a real device, and only the parts of models are seen", options.target));
  if (options.trace.wanted() && options.grain.coarse())
    throw Error("--trace: expected --grain fine, which has every packet and word, got coarse");
  const apps::FrameSource frames = open_frames(options);
  apps::FilterRun run;
  Record record =
      target->modelled() ? modelled_row(options, *target, frames, run) : measured_row(options, *target, frames, run);
  if (run.difference) record["difference"] = with_pixel(*run.difference);
  tools::print(record);
  return run.difference ? tools::kAnswerIsNo : tools::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs one application on one target in one flow and prints a row as JSON.");
  Options options;
  app.add_option("--app", options.application, "the application; --list names them");
  app.add_option("--on", options.target, "the target: model:NAME, FILE.toml, opencl:N, opencl:NAME or native");
  app.add_option("--flow", options.flow, "offload, overlap (double-buffered) or stream")->capture_default_str();
  app.add_option("--images", options.images, "how many images")->capture_default_str();
  app.add_option("--input", options.input, "a folder of photographs, JPEG or PNG, of at least 1920 x 1080");
  app.add_option("--set", options.settings, "KEY=VALUE of a model's platform; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_option("--channel", options.channel,
                 "the link of a model with several; by default a stream goes over the first, transfers over all");
  app.add_option("--workers", options.workers,
                 "threads of the target native; by default one a core, and actors move where the run is fastest");
  app.add_option("--map", options.placement, "ACTOR=WORKER,... of the target native; the row names its actors")
      ->expected(1)
      ->take_all();
  app.add_option("--seed", options.seed, "chooses where the frames are cut")->capture_default_str();
  options.repetition.add_to(app);
  app.add_flag("--list", options.list, "the applications, with the flows that the target of --on has");
  options.trace.add_to(app);
  options.grain.add_to(app);
  return tools::run(app, argc, argv,
                    [&] { return options.list ? list_applications(options) : run_application(options); });
}
