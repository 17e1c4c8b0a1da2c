// engine.pipeline8 as SystemC threads: sc_fifo of depth 16 and a clocked wait a token.
#include <cstdlib>
#include <string>
#include <systemc>

#include "workload.hpp"

namespace {

using isthmus::bench::Measurement;
using Token = std::uint64_t;

class Source : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_fifo_out<Token> out{"out"};

  SC_HAS_PROCESS(Source);
  explicit Source(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_THREAD(run);
    sensitive << clock.pos();
    dont_initialize();
  }

 private:
  void run() {
    for (Token term = 0;; ++term) {
      out.write(term);
      wait();
    }
  }
};

class Stage : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_fifo_in<Token> in{"in"};
  sc_core::sc_fifo_out<Token> out{"out"};

  SC_HAS_PROCESS(Stage);
  explicit Stage(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_THREAD(run);
    sensitive << clock.pos();
    dont_initialize();
  }

 private:
  void run() {
    for (;;) {
      out.write(3 * in.read() + 1);
      wait();
    }
  }
};

class Sink : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_fifo_in<Token> in{"in"};
  Token sum = 0;

  SC_HAS_PROCESS(Sink);
  Sink(const sc_core::sc_module_name& name, std::uint64_t tokens) : sc_module(name), tokens_(tokens) {
    SC_THREAD(run);
    sensitive << clock.pos();
    dont_initialize();
  }

 private:
  void run() {
    for (std::uint64_t taken = 0; taken != tokens_; ++taken) {
      sum += in.read();
      wait();
    }
    sc_core::sc_stop();
  }

  std::uint64_t tokens_;
};

Measurement pipeline8(std::uint64_t tokens) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);  // stdout is for the result
  sc_core::sc_set_stop_mode(sc_core::SC_STOP_IMMEDIATE);
  sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
  sc_core::sc_fifo<Token> terms("terms", 16);
  sc_core::sc_fifo<Token> results("results", 16);
  Source source("source");
  Stage stage("stage");
  Sink sink("sink", tokens);
  source.clock(clock);
  source.out(terms);
  stage.clock(clock);
  stage.in(terms);
  stage.out(results);
  sink.clock(clock);
  sink.in(results);
  const double begin = isthmus::bench::processor_seconds();
  sc_core::sc_start();
  const double end = isthmus::bench::processor_seconds();
  return {end - begin, tokens, sink.sum, isthmus::bench::pipeline_sum(tokens)};
}

}  // namespace

int sc_main(int argc, char** argv) {
  const std::string version = sc_core::sc_version_string;
  return isthmus::bench::run_workload(argc, argv, "SystemC " + version.substr(0, version.find('-')),
                                      {{"pipeline8", pipeline8}});
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
