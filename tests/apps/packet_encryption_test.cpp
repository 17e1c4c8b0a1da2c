// Encrypted packets: every target against OpenSSL's own counter mode, and traces that come back as they were.
#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <pcap/pcap.h>

#include <cstring>
#include <filesystem>

#include "apps/installed.hpp"
#include "apps/packet_encryption/trace.hpp"
#include "base/temporary_folder.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::apps {
namespace {

using program::ByteApplication;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Bytes = std::vector<std::byte>;

constexpr const char* kKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

ByteApplication encryption(const Chosen& chosen) {
  return installed("packet-encryption", chosen);
}

struct Ran {
  program::Run run;
  std::vector<Bytes> packets;
};

/// Runs it, with what came back.
Ran run(const std::string& target, const std::string& flow, Chosen chosen, int messages) {
  ByteApplication application = encryption(chosen);
  application.extras.open({.count = messages, .seed = 7});
  Ran ran;
  application.extras.packets->received = [&](int, std::span<const std::byte> bytes) {
    ran.packets.emplace_back(bytes.begin(), bytes.end());
  };
  const std::size_t slot = application.input / static_cast<std::size_t>(application.extras.in_message);
  application.extras.received = [&](std::span<const std::byte> slots) {
    for (std::size_t at = 0; at < slots.size(); at += slot) {
      std::uint32_t bytes = 0;
      std::memcpy(&bytes, slots.data() + at + 8, sizeof(bytes));
      const auto packet = slots.subspan(at + 16, bytes);
      ran.packets.emplace_back(packet.begin(), packet.end());
    }
  };
  ran.run = program::open_target(target, {})->run({.application = application, .flow = flow, .count = messages});
  EXPECT_TRUE(ran.run.right()) << target << " " << flow;
  return ran;
}

/// Encrypts by the library's counter mode: 14 bytes in the clear, the packet's number in bytes 4 to 11 of the first
/// counter.
Bytes by_openssl(Bytes packet, std::uint64_t number) {
  std::array<unsigned char, 32> key{};
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<unsigned char>(std::stoi(std::string(kKey).substr(2 * i, 2), nullptr, 16));
  std::array<unsigned char, 16> counter{};
  for (std::size_t i = 0; i < 8; ++i) counter[11 - i] = static_cast<unsigned char>(number >> (8 * i));
  Bytes out(packet.size());
  int written = 0;
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  EXPECT_EQ(EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key.data(), counter.data()), 1);
  EXPECT_EQ(EVP_EncryptUpdate(context, reinterpret_cast<unsigned char*>(out.data()), &written,
                              reinterpret_cast<const unsigned char*>(packet.data()), static_cast<int>(packet.size())),
            1);
  EVP_CIPHER_CTX_free(context);
  std::copy_n(packet.begin(), std::min<std::size_t>(14, packet.size()), out.begin());
  return out;
}

std::vector<Bytes> expected(int count, std::size_t size) {
  std::vector<Bytes> packets;
  for (int i = 0; i < count; ++i) {
    Bytes packet(size);
    generate_packet(7, i, packet);
    packets.push_back(by_openssl(std::move(packet), static_cast<std::uint64_t>(i)));
  }
  return packets;
}

TEST(PacketEncryption, GivesTheSamePacketsOnEveryKindOfTargetAsOpenSsl) {
  const Chosen chosen{{"key", kKey}, {"batch", std::int64_t{8}}};
  for (const std::int64_t size : {64, 77, 1500, 9000}) {
    Chosen sized = chosen;
    sized["packet_size"] = size;
    const auto right = expected(48, static_cast<std::size_t>(size));
    EXPECT_EQ(run("native", "stream", sized, 6).packets, right) << size;
    EXPECT_EQ(run("model:stratix-v", "stream", sized, 6).packets, right) << size;
    EXPECT_EQ(run("model:stratix-v", "offload", sized, 6).packets, right) << size;
    EXPECT_EQ(run("model:aws-f1", "overlap", sized, 6).packets, right) << size;
    EXPECT_EQ(run("opencl:0", "offload", sized, 6).packets, right) << size;
  }
}

TEST(PacketEncryption, ReachesTheLineRateOnItsBoardAndHalfOfItsEnginesDoNot) {
  const auto seconds = [](int messages, const std::vector<std::string>& overrides) {
    const ByteApplication application = encryption({{"batch", std::int64_t{1}}});
    application.extras.open({.count = messages, .seed = 7});
    const auto target = program::open_target("model:stratix-v", overrides);
    return target->run({.application = application, .flow = "stream", .count = messages}).times.elapsed.seconds();
  };
  const auto gbit = [&](const std::vector<std::string>& overrides) {
    return 2000 * 1500 * 8e-9 / (seconds(4000, overrides) - seconds(2000, overrides));
  };
  EXPECT_NEAR(gbit({}), 40.0 * 1500 / 1524, 0.1);
  // Two engines of 128 bit at 100 MHz, which take the 1504 bytes of 94 blocks.
  EXPECT_NEAR(gbit({"kernel.clock=100MHz"}), 2 * 12.8 * 1500 / 1504, 0.2);
}

/// A file of Ethernet packets of many sizes, some of them cut when they were captured.
std::filesystem::path trace_file(const std::filesystem::path& file, int packets, int link_type = DLT_EN10MB,
                                 bool nanoseconds = false) {
  pcap_t* format = pcap_open_dead_with_tstamp_precision(
      link_type, 9000, nanoseconds ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO);
  pcap_dumper_t* out = pcap_dump_open(format, file.c_str());
  for (int i = 0; i < packets; ++i) {
    Bytes packet(static_cast<std::size_t>(20 + i * 131 % 1480));
    generate_packet(3, i, packet);
    pcap_pkthdr header{};
    header.ts = {.tv_sec = 1'700'000'000 + i, .tv_usec = i * 7};
    header.caplen = static_cast<bpf_u_int32>(packet.size());
    header.len = header.caplen + static_cast<bpf_u_int32>(i % 3 == 0 ? 400 : 0);
    pcap_dump(reinterpret_cast<u_char*>(out), &header, reinterpret_cast<const u_char*>(packet.data()));
  }
  pcap_dump_close(out);
  pcap_close(format);
  return file;
}

/// Encrypts a trace into another file, as the program does.
void encrypt(const std::filesystem::path& from, const std::filesystem::path& to, const std::string& target,
             const std::string& flow) {
  const ByteApplication application =
      encryption({{"input", from.string()}, {"output", to.string()}, {"batch", std::int64_t{4}}});
  const int messages = (application.extras.count + 3) / 4;
  application.extras.open({.count = messages, .seed = 1});
  const auto ran = program::open_target(target, {})->run({.application = application, .flow = flow, .count = messages});
  ASSERT_TRUE(ran.right());
  application.extras.finished();
}

TEST(PacketEncryption, OfATraceTwiceIsTheTraceToTheByte) {
  const TemporaryFolder folder;
  for (const bool nanoseconds : {false, true}) {
    const auto trace = trace_file(folder / "trace.pcap", 101, DLT_EN10MB, nanoseconds);
    const auto once = folder / "once.pcap";
    const auto twice = folder / "twice.pcap";
    encrypt(trace, once, "native", "stream");
    EXPECT_EQ(read_text(once).size(), read_text(trace).size());
    EXPECT_NE(read_text(once), read_text(trace));
    encrypt(once, twice, "opencl:0", "offload");
    EXPECT_EQ(read_text(twice), read_text(trace));
    encrypt(once, twice, "model:stratix-v", "stream");
    EXPECT_EQ(read_text(twice), read_text(trace));
  }
}

TEST(PacketEncryption, LeavesNoFileBehindWhereItDoesNotFinish) {
  const TemporaryFolder folder;
  const auto trace = trace_file(folder / "trace.pcap", 10);
  const auto to = folder / "unfinished.pcap";
  {
    TraceWriter writer(to, std::make_shared<Trace>(trace));
    writer.write(0, Bytes(64));
  }
  EXPECT_FALSE(std::filesystem::exists(to));
  EXPECT_FALSE(std::filesystem::exists(to.string() + ".partial"));
}

void expect_refused(const Chosen& chosen, const std::string& why) {
  EXPECT_THAT([&] { encryption(chosen); }, ThrowsMessage<Error>(HasSubstr(why))) << why;
}

TEST(PacketEncryption, RefusesFilesThatAreNoTracesOfEthernet) {
  const TemporaryFolder folder;
  const auto whole = trace_file(folder / "whole.pcap", 5);
  const auto cut = folder / "cut.pcap";
  const std::string bytes = read_text(whole);
  write_text(cut, bytes.substr(0, bytes.size() - 3));
  expect_refused({{"input", cut.string()}}, "cut.pcap: packet 4: truncated");
  write_text(cut, bytes.substr(0, 24));
  expect_refused({{"input", cut.string()}}, "expected packets, got none");
  write_text(cut, "");
  expect_refused({{"input", cut.string()}}, "expected a pcap file");
  write_text(cut, "no trace at all, but a text");
  expect_refused({{"input", cut.string()}}, "expected a pcap file");
  expect_refused({{"input", trace_file(folder / "raw.pcap", 5, DLT_RAW).string()}}, "expected packets of Ethernet");
}

TEST(PacketEncryption, RefusesKeysThatAreNone) {
  expect_refused({{"key", std::string(63, '0')}}, "key: expected 64 hexadecimal digits");
  expect_refused({{"key", std::string(63, '0') + "g"}}, "key: expected 64 hexadecimal digits");
}

TEST(PacketEncryption, RefusesAnOutputThatCannotBeWrittenBeforeAnythingIsRun) {
  const ByteApplication application = encryption({{"output", "/no/such/folder/out.pcap"}});
  EXPECT_THAT([&] { application.extras.open({.count = 1, .seed = 1}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("/no/such/folder/out.pcap"), HasSubstr("No such file"))));
}

}  // namespace
}  // namespace isthmus::apps
