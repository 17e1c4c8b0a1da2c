// Packets encrypted on threads of this machine beside a loop of OpenSSL over packets, and on a model.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "apps/packet_encryption/counter.hpp"
#include "isthmus/apps/applications.hpp"
#include "isthmus/base/error.hpp"
#include "main.hpp"
#include "pairs.hpp"
#include "program/target.hpp"

namespace isthmus::bench {
namespace {

struct Work {
  std::int64_t bytes = 256;  ///< MiB of packets in a run
  int pairs = 7;
  int modelled = 1'000'000;  ///< on a model
};

program::ByteApplication encryption(std::int64_t packet_size) {
  for (const program::Maker& maker : apps::applications()) {
    program::Values values(maker.parameters);
    if (!values.has("packet_size")) continue;
    values.set("packet_size", packet_size);
    values.set("batch", std::int64_t{1});
    return maker.make(values);
  }
  throw Error("no application has a parameter packet_size");
}

/// One EVP call a packet, from memory to memory, for each of them a counter of its own.
class Loop {
 public:
  explicit Loop(std::size_t packet) : packet_(packet), in_(kBytes, std::byte{1}), out_(kBytes) {
    const std::array<unsigned char, 32> key{};
    if (context_ == nullptr || EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ctr(), nullptr, key.data(), nullptr) != 1)
      throw Error("OpenSSL: AES-256-CTR could not be set up");
  }

  void encrypt(std::size_t packets) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < packets; ++i) {
      const CounterBlock first = apps::counter_of(i);
      int written = 0;
      if (EVP_EncryptInit_ex(context_.get(), nullptr, nullptr, nullptr, first.data()) != 1 ||
          EVP_EncryptUpdate(context_.get(), reinterpret_cast<unsigned char*>(out_.data() + at), &written,
                            reinterpret_cast<const unsigned char*>(in_.data() + at), static_cast<int>(packet_)) != 1)
        throw Error("OpenSSL: AES-256-CTR could not be computed");
      at += packet_;
      if (at + packet_ > kBytes) at = 0;
    }
  }

 private:
  /// As much as the application has under way: more than caches hold.
  static constexpr std::size_t kBytes = std::size_t{64} << 20U;
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  std::size_t packet_;
  std::vector<std::byte> in_;
  std::vector<std::byte> out_;
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_{EVP_CIPHER_CTX_new()};
};

/// Packets a second.
double on_threads(const program::ByteApplication& application, int packets) {
  application.extras.open({.count = packets, .seed = 1});
  const auto target = program::open_target("native", {});
  const program::Run run = target->run({.application = application, .flow = "stream", .count = packets});
  if (!run.right()) throw Error("packets on threads: one is wrong, lost or out of order");
  return packets / run.times.elapsed.seconds();
}

std::vector<Row> beside_openssl(const Work& work, std::int64_t size, const std::string& name, double must, double aim) {
  const program::ByteApplication application = encryption(size);
  Loop loop(static_cast<std::size_t>(size));
  const int packets = static_cast<int>((work.bytes << 20U) / size);
  double peer = 0;
  const auto ratios = ratios_of(
      work.pairs, [&] { return on_threads(application, packets); },
      [&] { return peer = packets / seconds_of([&] { loop.encrypt(static_cast<std::size_t>(packets)); }); });
  return {{.name = name,
           .ratios = ratios,
           .must = must,
           .aim = aim,
           .against = fmt::format("a loop of one EVP call a packet of {} B: {:.3g} GB/s", size,
                                  peer * static_cast<double>(size) * 1e-9)}};
}

/// Seconds that a model takes; what a run gives is a rate, of which more is better.
std::vector<Row> model_wall(const Work& work) {
  const program::ByteApplication application = encryption(1500);
  application.extras.open({.count = work.modelled, .seed = 1});
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i) {
    const auto target = program::open_target("model:stratix-v", {});
    seconds.push_back(seconds_of([&] {
      const auto run = target->run({.application = application, .flow = "stream", .count = work.modelled});
      if (!run.right()) throw Error("packets on a model: one is wrong, lost or out of order");
    }));
  }
  return {{.name = "encryption.model.wall",
           .ratios = seconds,
           .must = 10,
           .aim = 10,
           .against = fmt::format("{} packets of 1500 B through every actor of the kernel; at most", work.modelled),
           .unit = "s"}};
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  using namespace isthmus::bench;
  Work work;
  std::string json;
  std::string only;
  const std::vector<Flag> flags{text("--json", json, "add {name, value, unit, against} to the list in this file"),
                                text("--only", only, "figures whose names hold this: large, small, model"),
                                number("--bytes", work.bytes, 1, 4096, "MiB of packets in a run"),
                                number("--pairs", work.pairs, 1, 1000, "runs of each side")};
  const std::span words(argv, static_cast<std::size_t>(argc));
  return run_main(
      "Packets encrypted on threads of this machine beside a loop of OpenSSL over packets.", flags, words, [&] {
        const auto rows =
            measured({{"large", [&] { return beside_openssl(work, 1500, "encryption.native.vs_openssl", 0.55, 0.8); }},
                      {"small", [&] { return beside_openssl(work, 64, "encryption.native64.vs_openssl", 0.5, 0.5); }},
                      {"model", [&] { return model_wall(work); }}},
                     only);
        if (!json.empty()) append_json(json, rows);
        return 0;
      });
}
