#pragma once

#include "offload/model/host_thread.hpp"

namespace isthmus::offload::model {

/// A queue of a modelled device: its commands go to the host thread at work.
class ModelQueue final : public Queue {
 public:
  ModelQueue(const AtWork& at_work, int id) : at_work_(at_work), id_{.id = id} {}

  Event launch(const Kernel& kernel, const NdRange& range, const std::vector<Argument>& arguments,
               const Events& after) override;
  void write(const Buffer& to, std::size_t offset, std::span<const std::byte> from) override;
  void read(const Buffer& from, std::size_t offset, std::span<std::byte> to) override;
  Event start_write(const Buffer& to, std::size_t offset, std::span<const std::byte> from,
                    const Events& after) override;
  Event start_read(const Buffer& from, std::size_t offset, std::span<std::byte> to, const Events& after) override;
  Event copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset,
             std::size_t bytes) override;
  Event copy_box(const Buffer& from, const BoxPlace& from_place, const Buffer& to, const BoxPlace& to_place,
                 const BoxSize& size) override;
  PinnedBuffer map(const Buffer& buffer) override { return start_map(buffer).memory; }
  StartedMap start_map(const Buffer& buffer) override;
  Event fill(const Buffer& to, std::span<const std::byte> pattern) override;
  Event after(const Events& events) override;
  void flush() override {}
  void finish() override { at_work_.thread().finish(id_); }

 private:
  Events behind(const Events& after);
  Event last(Event event);

  const AtWork& at_work_;
  QueueId id_;
  Event last_{};
  Events awaited_{};  ///< events of `after`, until a command has begun after them
};

class ModelMailbox final : public Mailbox {
 public:
  ModelMailbox(const AtWork& at_work, int id, std::size_t depth)
      : at_work_(at_work), id_{.id = id, .depth = static_cast<int>(depth)} {}
  void put(Event event) override { at_work_.thread().put(id_, event); }
  Event take() override { return at_work_.thread().take(id_); }

 private:
  const AtWork& at_work_;
  MailboxId id_;
};

}  // namespace isthmus::offload::model
