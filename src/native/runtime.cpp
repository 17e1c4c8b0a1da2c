#include "native/runtime.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <thread>

#include "engine/wiring.hpp"
#include "isthmus/base/error.hpp"
#include "native/barrier.hpp"
#include "native/mapping.hpp"
#include "native/silence.hpp"

namespace isthmus::native {
namespace {

int workers_for(const Options& options, std::size_t actors, std::size_t cores) {
  if (options.workers < 0) throw Error(fmt::format("workers: expected 1 or more, got {}", options.workers));
  const auto wanted = options.workers == 0 ? cores : static_cast<std::size_t>(options.workers);
  return static_cast<int>(std::min(wanted, actors));
}

const engine::TokenType& type_of(const engine::Channel& channel, const engine::GraphActor& writer) {
  const auto found = std::ranges::find(writer.members, &channel, &engine::MemberRecord::channel);
  return *found->type;
}

/// The lead as `engine::lead_of` finds it for an actor that is stepped as a copy.
const engine::NativePort* lead_of(const engine::GraphActor& actor) {
  for (const auto kind : {engine::Member::Kind::in, engine::Member::Kind::out}) {
    const auto found = std::ranges::find(actor.members, kind, &engine::MemberRecord::kind);
    if (found != actor.members.end()) return &reinterpret_cast<const engine::PortState*>(found->address)->native;
  }
  return nullptr;
}

}  // namespace

Runtime::Runtime(Graph& graph, const Options& options, Mover mover)
    : graph_(graph), mover_(std::move(mover)), throw_on_error_(options.throw_on_error), silence_(options.silence) {
  warnings_ = graph.check();
  prepare_barrier();
  add_workers(options);
  take(graph);
  add_channels();
}

void Runtime::take(Graph& graph) {
  if (graph.has_run_) throw Error("a graph runs once: build it again");
  graph.has_run_ = true;
  engine::Wiring::rank_clients(graph.actors_, graph.channels_);
}

void Runtime::add_workers(const Options& options) {
  const auto cores = usable_cores();
  const int workers = workers_for(options, graph_.actors_.size(), cores.size());
  given_ = given(graph_.actors_, workers, options.placement);
  const bool some_free = workers > 1 && std::ranges::find(given_, -1) != given_.end();
  if (some_free && options.workers == 0 && mover_ == nullptr) mover_ = &Balancer::work;
  const auto worker_of = place(graph_.actors_, mover_ == nullptr ? workers : 1, given_);
  const bool crowded = static_cast<std::size_t>(workers) > cores.size();
  if (options.pin && !crowded) core_of_.assign(cores.begin(), cores.begin() + workers);
  run_ = std::make_unique<Run>(crowded);
  run_->moves_actors = mover_ != nullptr;
  for (int i = 0; i < workers; ++i) {
    workers_.push_back(std::make_unique<Worker>(*run_, options.stack_bytes));
    run_->add(*workers_.back());
  }
  for (std::size_t i = 0; i < graph_.actors_.size(); ++i) {
    Worker& worker = *workers_[static_cast<std::size_t>(worker_of[i])];
    actors_.push_back(std::make_unique<NativeActor>(*graph_.actors_[i], worker));
    worker.add(*actors_.back());
    run_->add(*actors_.back());
  }
}

void Runtime::add_channels() {
  for (const auto& channel : graph_.channels_) {
    const auto writer = static_cast<std::size_t>(channel->writer->index);
    const auto reader = static_cast<std::size_t>(channel->reader->index);
    rings_.push_back(std::make_unique<Ring>(*channel, type_of(*channel, *graph_.actors_[writer])));
    actors_[writer]->add(rings_.back()->writer);
    actors_[reader]->add(rings_.back()->reader);
  }
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    graph_.actors_[i]->native = actors_[i].get();
    actors_[i]->lead = lead_of(*graph_.actors_[i]);
    actors_[i]->meet_neighbours();
  }
  int rank = 0;
  for (const int index : along_channels(graph_.actors_)) actors_[static_cast<std::size_t>(index)]->rank = rank++;
}

Report Runtime::run() {
  run_->start();
  work_on_threads();
  for (const auto& actor : graph_.actors_) actor->end_run();
  if (throw_on_error_ && run_->failure()) throw Error(run_->message());
  if (throw_on_error_ && run_->outcome() >= Outcome::stuck) throw Error(run_->message());
  return report();
}

void Runtime::work_on_threads() {
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 0; i < workers_.size(); ++i)
      threads.emplace_back([this, i] {
        try {
          if (!core_of_.empty()) pin_to(core_of_[i]);
          workers_[i]->work();
        } catch (...) {
          run_->stop_failed(fmt::format("worker {}", i), std::current_exception());
        }
      });
  } catch (const std::system_error&) {
    run_->stop_failed(fmt::format("worker {}", threads.size()), std::current_exception());
  }
  const Silence silence(*run_, silence_, workers_, rings_);
  if (run_->moves_actors) balance();
}

void Runtime::balance() {
  Balancer balancer(*run_, along_channels(graph_.actors_), given_);
  for (const auto& worker : workers_) balancer.add(*worker);
  for (const auto& actor : actors_) balancer.add(*actor);
  for (const auto& ring : rings_) balancer.add(*ring);
  mover_(balancer);
}

Report Runtime::report() {
  Report report;
  report.outcome = run_->outcome();
  report.elapsed = run_->elapsed();
  report.message = run_->message();
  report.warnings = warnings_;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    report.workers.push_back({.core = core_of_.empty() ? -1 : core_of_[i], .actors = {}});
    for (const auto& actor : actors_)
      if (&actor->worker() == workers_[i].get()) report.workers.back().actors.push_back(actor->actor().name);
  }
  for (const auto& ring : rings_)
    report.channels.push_back({.name = ring->channel.name,
                               .depth = ring->channel.depth,
                               .pushed = ring->moved(ring->writer),
                               .popped = ring->moved(ring->reader)});
  std::ranges::sort(report.channels, natural_less, &ChannelReport::name);
  return report;
}

std::string to_string(const std::vector<WorkerReport>& workers) {
  std::vector<std::string> parts;
  parts.reserve(workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i)
    parts.push_back(fmt::format("worker {}{}: {}", i,
                                workers[i].core < 0 ? "" : fmt::format(" (core {})", workers[i].core),
                                fmt::join(workers[i].actors, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

int cores() {
  return static_cast<int>(usable_cores().size());
}

Report run(Graph& graph, const Options& options) {
  return Runtime(graph, options).run();
}

}  // namespace isthmus::native
