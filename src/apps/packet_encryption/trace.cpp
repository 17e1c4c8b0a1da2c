#include "apps/packet_encryption/trace.hpp"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/base/random.hpp"

// libpcap names these in the table of what it captures from, which reading and writing files brings along. Without them
// a program that is linked with its archive would need libdbus.
extern "C" {
[[gnu::visibility("hidden")]] pcap_t* dbus_create(const char*, char*, int*) {
  return nullptr;
}
[[gnu::visibility("hidden")]] int dbus_findalldevs(void*, char*) {
  return 0;
}
}

namespace isthmus::apps {
namespace {

struct ClosePcap {
  void operator()(pcap_t* open) const { pcap_close(open); }
};
using Pcap = std::unique_ptr<pcap_t, ClosePcap>;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw Error(fmt::format("{}: {}", file.string(), why));
}

/// The library reads either kind of time as either, and does not say which the file has.
bool counts_nanoseconds(const std::filesystem::path& file) {
  std::uint32_t magic = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(file, std::strerror(errno));
  in.read(reinterpret_cast<char*>(&magic), sizeof(magic));
  if (in.gcount() == 0) refuse(file, "expected a pcap file, got nothing");
  constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
  return magic != kMicroseconds && magic != __builtin_bswap32(kMicroseconds);
}

Pcap open_to_read(const std::filesystem::path& file, bool nanoseconds) {
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  Pcap open(pcap_open_offline_with_tstamp_precision(
      file.c_str(), nanoseconds ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO, why.data()));
  if (open == nullptr) refuse(file, fmt::format("expected a pcap file: {}", why.data()));
  if (const int type = pcap_datalink(open.get()); type != DLT_EN10MB) {
    const char* name = pcap_datalink_val_to_name(type);
    refuse(file, fmt::format("expected packets of Ethernet, got link type {}", name != nullptr ? name : "unknown"));
  }
  return open;
}

constexpr std::array<std::uint8_t, 14> kHeader = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};
constexpr int kGeneratedSnapshot = 65535;

}  // namespace

Trace::Trace(const std::filesystem::path& file) : nanoseconds_(counts_nanoseconds(file)) {
  const Pcap open = open_to_read(file, nanoseconds_);
  snapshot_ = pcap_snapshot(open.get());
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  int status = 0;
  while ((status = pcap_next_ex(open.get(), &header, &bytes)) == 1) {
    if (header->caplen == 0 || header->caplen > kLargestPacket)
      refuse(file, fmt::format("packet {}: expected 1..{} B, got {}", packets(), kLargestPacket, header->caplen));
    begins_.push_back(bytes_.size());
    const auto* data = reinterpret_cast<const std::byte*>(bytes);
    bytes_.insert(bytes_.end(), data, data + header->caplen);
    captured_.push_back({.seconds = header->ts.tv_sec, .fraction = header->ts.tv_usec, .length = header->len});
    largest_ = std::max<std::size_t>(largest_, header->caplen);
  }
  if (status != PCAP_ERROR_BREAK) refuse(file, fmt::format("packet {}: {}", packets(), pcap_geterr(open.get())));
  if (captured_.empty()) refuse(file, "expected packets, got none");
}

std::span<const std::byte> Trace::packet(int number) const {
  const auto at = static_cast<std::size_t>(number);
  const std::size_t end = at + 1 < begins_.size() ? begins_[at + 1] : bytes_.size();
  return std::span(bytes_).subspan(begins_[at], end - begins_[at]);
}

void generate_packet(std::uint64_t seed, int number, std::span<std::byte> bytes) {
  std::uint64_t state = random_word(seed, 0, static_cast<std::uint64_t>(number));
  // No word waits for the one before, so that a processor draws several at once.
  const std::size_t whole = bytes.size() / sizeof(state) * sizeof(state);
  std::size_t at = 0;
  for (; at < whole; at += sizeof(state), state += kGolden) {
    const std::uint64_t word = mixed(state);
    std::memcpy(bytes.data() + at, &word, sizeof(word));
  }
  const std::uint64_t last = mixed(state);
  std::memcpy(bytes.data() + at, &last, bytes.size() - at);
  std::memcpy(bytes.data(), kHeader.data(), std::min(kHeader.size(), bytes.size()));
}

struct TraceWriter::File {
  Pcap format;
  pcap_dumper_t* out;

  ~File() {
    if (out != nullptr) pcap_dump_close(out);
  }
};

TraceWriter::TraceWriter(std::filesystem::path file, std::shared_ptr<const Trace> trace)
    : file_(std::move(file)), trace_(std::move(trace)) {
  begin();  // refused before anything is run
}

TraceWriter::~TraceWriter() = default;

void TraceWriter::begin() {
  open_.reset();
  const bool nanoseconds = trace_ == nullptr || trace_->nanoseconds();
  Pcap format(
      pcap_open_dead_with_tstamp_precision(DLT_EN10MB, trace_ != nullptr ? trace_->snapshot() : kGeneratedSnapshot,
                                           nanoseconds ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO));
  if (format == nullptr) refuse(file_.path(), "libpcap: out of memory");
  pcap_dumper_t* out = pcap_dump_open(format.get(), file_.partial().c_str());
  if (out == nullptr) refuse(file_.path(), pcap_geterr(format.get()));
  open_ = std::make_unique<File>(std::move(format), out);
}

void TraceWriter::write(int number, std::span<const std::byte> bytes) {
  if (number == 0) begin();
  pcap_pkthdr header{};
  header.caplen = header.len = static_cast<bpf_u_int32>(bytes.size());
  if (trace_ != nullptr) {
    if (number >= trace_->packets()) return;  // what fills up the last message
    const Captured& captured = trace_->captured(number);
    header.ts = {.tv_sec = captured.seconds, .tv_usec = captured.fraction};
    header.len = captured.length;
  } else {
    constexpr int kSecond = 1'000'000'000;
    header.ts = {.tv_sec = number / kSecond, .tv_usec = number % kSecond};
  }
  pcap_dump(reinterpret_cast<u_char*>(open_->out), &header, reinterpret_cast<const u_char*>(bytes.data()));
  if (std::ferror(pcap_dump_file(open_->out)) != 0) refuse(file_.path(), std::strerror(errno));
}

void TraceWriter::finish() {
  if (pcap_dump_flush(open_->out) != 0) refuse(file_.path(), std::strerror(errno));
  open_.reset();
  file_.finish();
}

}  // namespace isthmus::apps
