#include <algorithm>
#include <cstring>

#include "isthmus/fabric/dma.hpp"

namespace isthmus::fabric {
namespace {

constexpr auto kWord = static_cast<std::uint64_t>(kWordBytes);

}  // namespace

DescriptorList::DescriptorList(const DmaSpec& spec, const char* name)
    : size_(static_cast<std::uint64_t>(spec.descriptor_size.count)),
      in_a_request_(std::max<std::uint64_t>(1, kWord / size_)),
      words_(std::max<std::uint64_t>(1, size_ / kWord)),
      in_flight_(std::max(in_a_request_, static_cast<std::uint64_t>(spec.descriptors_in_flight))),
      ring_(in_flight_ + in_a_request_),
      under_way_(name, static_cast<std::int64_t>(in_flight_)) {}

void DescriptorList::start(const DmaJob& job, std::int64_t message) {
  message_ = message;
  address_ = job.descriptors;
  count_ = job.count;
  asked_ = arrived_ = used_ = 0;
}

bool DescriptorList::wants_more() const {
  return asked_ < count_ && asked_ + in_a_request_ <= used_ + in_flight_;
}

PcieReadReq DescriptorList::request() {
  const PcieReadReq request{.num = static_cast<std::uint8_t>(words_), .addr = address_ + asked_ * size_};
  under_way_.take(static_cast<std::int64_t>(std::min(in_a_request_, count_ - asked_)));
  asked_ += in_a_request_;
  return request;
}

void DescriptorList::take(const Word& word, std::uint64_t word_of_request) {
  if (word_of_request > 0) return;  // a descriptor that takes several words stands in the first
  for (std::uint64_t i = 0; i < in_a_request_ && arrived_ < count_; ++i)
    std::memcpy(&ring_[arrived_++ % ring_.size()], word.bytes.data() + i * size_, sizeof(DmaDescriptor));
}

}  // namespace isthmus::fabric
