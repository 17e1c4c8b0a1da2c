#include "apps/packet_encryption/kernel.hpp"

#include <array>
#include <cstring>

#include "apps/packet_encryption/counter.hpp"
#include "apps/packet_encryption/slots.hpp"
#include "isthmus/offload/word_kernel.hpp"

namespace isthmus::apps {
namespace {

/// Blocks from a word's entry to its end: the engines' rounds, a cycle each.
constexpr int kDepth = plain::kAesRounds + 1;
constexpr int kBlocksAWord = kWordBytes / kAesBlock;
constexpr int kCyclesAWord = kBlocksAWord / kAesStreams;

class PacketEncryptionKernel : public offload::WordKernel {
 public:
  using WordKernel::WordKernel;

  /// One message: slot after slot.
  void step() {
    const auto call = fabric::read_call(start);
    const auto bytes = static_cast<std::uint64_t>(offload::number_argument(call.arguments[3])) *
                       static_cast<std::uint64_t>(offload::number_argument(call.arguments[4]));
    slot_ = static_cast<std::size_t>(offload::number_argument(call.arguments[3]));
    Aes256Key key{};
    load(offload::address_argument(call.arguments[2]), schedule_);
    std::memcpy(key.data(), schedule_.data(), key.size());  // its first two rounds' keys are the key itself
    cipher_ = Aes256Ctr(key);
    begin_writing(offload::address_argument(call.arguments[1]), bytes);
    at_ = 0;
    read_words(offload::address_argument(call.arguments[0]), bytes, [this](const Word& word) { write(encrypt(word)); });
    cycle(kDepth);
    work();
    finish();
  }

 private:
  Word encrypt(Word word) {
    cycle(kCyclesAWord - 1);  // and one that every word takes
    std::size_t begin = 0;
    std::size_t clear = 0;
    if (at_ == 0) {
      head_ = head_of(word.bytes);
      cipher_.begin(counter_of(head_.packet));
      begin = sizeof(SlotHead);
      clear = kClearBytes;
    }
    for (std::size_t block = begin; block < word.bytes.size(); block += kAesBlock, clear = 0)
      encrypt_block(std::span(word.bytes).subspan(block).first<kAesBlock>(), at_ + block - sizeof(SlotHead), clear);
    at_ = (at_ + word.bytes.size()) % slot_;
    return word;
  }
  /// Encrypts a block that begins at byte `offset` of its packet: what lies behind its first `clear` bytes, up to the
  /// packet's end.
  void encrypt_block(std::span<std::byte, kAesBlock> block, std::size_t offset, std::size_t clear) {
    if (offset >= head_.bytes) return;
    const auto stream = cipher_.stream(kAesBlock, false);
    for (std::size_t i = clear; i < kAesBlock && offset + i < head_.bytes; ++i) block[i] ^= stream[i];
  }

  std::array<std::byte, sizeof(plain::Aes256Schedule) + kAesBlock> schedule_{};
  Aes256Ctr cipher_{Aes256Key{}};
  std::size_t slot_ = 0;
  std::size_t at_ = 0;  ///< offset of the byte in the slot
  SlotHead head_{};
};

}  // namespace

offload::KernelModel packet_encryption_kernel() {
  return offload::kernel_model<PacketEncryptionKernel>("packet_encryption");
}

}  // namespace isthmus::apps
