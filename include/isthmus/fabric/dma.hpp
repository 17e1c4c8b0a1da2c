#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/fabric/registers.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/vocabulary.hpp"

/// The DMA engine between the PCIe link and the device's memory, a direction each way. It works from descriptors in
/// pinned host memory.
namespace isthmus::fabric {

struct DmaSpec {
  Bandwidth rate;            ///< rate of one direction's data path
  Bytes descriptor_size;     ///< a power of two that holds a DmaDescriptor
  Bytes descriptor_payload;  ///< most bytes that one descriptor moves
  int descriptors_in_flight;
  Bytes read_request;  ///< bytes of each request by which the engine reads over the link
  Bytes read_buffer;   ///< buffer for the data that it has requested: as much as the link's tags may bring
  int interrupt;       ///< cycles from the end of a transfer to its message on the link
};

/// One contiguous piece of a transfer, as the driver writes it to host memory.
struct DmaDescriptor {
  std::uint64_t host;
  std::uint64_t device;
  std::uint32_t bytes;
  std::uint32_t channel;
};

/// The place of a descriptor's bytes in host memory.
struct DmaOrder {
  std::uint64_t host;
  std::uint32_t bytes;
  bool last;  ///< whether this is the last of its transfer
};

/// The names of a DMA engine's limited entries in reports.
inline constexpr const char* kDescriptorsToDevice = "descriptors to device";
inline constexpr const char* kDescriptorsToHost = "descriptors to host";
inline constexpr const char* kReadBuffer = "read buffer";

/// A list of descriptors being fetched: what may be asked for, and what has come.
class DescriptorList {
 public:
  /// `name` is what reports call the descriptors under way.
  DescriptorList(const DmaSpec& spec, const char* name);

  bool active() const { return used_ < count_; }
  /// Adds a transfer of the message that has this number in traces.
  void start(const DmaJob& job, std::int64_t message);
  std::int64_t message() const { return message_; }
  /// Tells whether the next request fits descriptors_in_flight; `request` is it.
  bool wants_more() const;
  PcieReadReq request();
  std::int64_t words() const { return static_cast<std::int64_t>(words_); }  ///< words of a descriptor request
  /// A word of an answer.
  void take(const Word& word, std::uint64_t word_of_request);

  bool ready() const { return used_ < arrived_; }
  const DmaDescriptor& next() const { return ring_[used_ % ring_.size()]; }
  bool next_is_last() const { return used_ + 1 == count_; }
  void use() {
    ++used_;
    under_way_.give();
  }

 private:
  std::uint64_t size_;
  std::uint64_t in_a_request_;  ///< descriptors in a request
  std::uint64_t words_;         ///< words of a request
  std::uint64_t in_flight_;
  std::vector<DmaDescriptor> ring_;
  Occupancy under_way_;
  std::uint64_t address_ = 0;
  std::int64_t message_ = -1;
  std::uint64_t count_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t used_ = 0;
};

/// The DMA engine's reads from the host: descriptors of both directions, and the data to the device, which it packs
/// into AXI bursts. On the user clock, a word a cycle; between two answers it starts jobs, asks and hands on.
class DmaFetch {
 public:
  In<DmaStart> starts{"starts"};
  In<PcieReadResp> words{"words"};
  Out<PcieReadReq> requests{"requests"};
  Out<AxiStore> data{"data"};
  Out<AxiRegion> regions{"regions"};  ///< regions of memory that transfers to the host read
  Out<DmaOrder> orders{"orders"};     ///< where the data of each region go

  DmaFetch(const DmaSpec& spec, const AxiSpec& axi);
  void step();
  /// It ends with the registers that start it.
  bool done() const { return false; }

 private:
  enum class Kind : std::uint8_t { to_device_list, to_host_list, data };
  struct Expected {
    Kind kind;
    bool ends = false;        ///< whether the piece ends its descriptor
    bool last = false;        ///< whether the piece ends its transfer
    std::uint8_t words = 0;   ///< words of the answer
    std::uint32_t bytes = 0;  ///< bytes of data that are still to come
    DeviceAddress to{};       ///< device address of the next byte
  };

  bool idle() const { return words_under_way_ == 0 && !device_list_.active() && !host_list_.active(); }
  bool start_job();
  void start(const DmaStart& start);
  bool ask();
  bool ask_for_list(DescriptorList& list, Kind kind);
  bool ask_for_data();
  void ask(const PcieReadReq& request, Expected expected);
  bool has_room_for(std::int64_t words) const;
  bool receive();
  void receive_word(const Word& word);
  void receive_data(Expected& expected, const Word& word);
  void send_burst(const Expected& expected);
  bool hand_on();
  Expected& oldest() { return expected_[first_expected_ % expected_.size()]; }

  Timer timer_;
  DmaSpec spec_;
  AxiSpec axi_;
  DescriptorList device_list_;
  DescriptorList host_list_;
  std::uint32_t asked_of_next_ = 0;  ///< requested bytes of the first descriptor to the device
  std::vector<Expected> expected_;   ///< a ring, in the order of the requests
  std::uint64_t first_expected_ = 0;
  std::uint64_t last_expected_ = 0;
  std::int64_t words_under_way_ = 0;
  Occupancy read_buffer_;
  std::uint64_t index_ = 0;  ///< index of the next word in the answer that has begun; 0: none has begun
  AxiBurst burst_{};
};

/// The DMA engine's writes to the host: sends what memory answers over the link, a word a cycle of the user clock. Says
/// when the last word of a transfer is on its way, in front of everything that is sent from then on.
class DmaSend {
 public:
  /// Bursts that the link has not sent: enough that it never waits for one, few enough that `words` has room for them.
  static constexpr int kUnderWay = 4;

  In<DmaOrder> orders{"orders"};
  In<AxiBurst> data{"data"};
  In<PcieWriteDone> written{"written"};
  Out<PcieWriteApply> writes{"writes"};
  Out<PcieWriteData> words{"words"};
  Out<PcieWriteDone> transfers{"transfers"};

  void step();
  bool done() const { return false; }

 private:
  void begin_burst();
  void send_word();
  void end();
  void confirm();

  DmaOrder order_{};                 ///< order that is being sent
  std::uint32_t left_ = 0;           ///< bytes of the order that are not sent yet
  std::uint32_t words_ = 0;          ///< words of the burst under way that are not sent yet
  const std::byte* next_ = nullptr;  ///< next of these words
  int under_way_ = 0;
};

}  // namespace isthmus::fabric
