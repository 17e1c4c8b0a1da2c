#pragma once

#include <bit>
#include <cstdint>

#include "isthmus/fabric/dram.hpp"

namespace isthmus::fabric::dram {

struct Place {
  int bank_group;
  int bank;  ///< index over all bank groups
  std::int64_t row;
};

/// The address mapping of a channel: row, bank, column and bank group, from the highest address bits to the lowest.
/// Neighbouring bursts are in different bank groups, so that a stream pays tCCD_S, and a row of every bank group is
/// used up before the next.
class AddressMap {
 public:
  explicit AddressMap(const DramSpec& spec)
      : group_bits_(bits(spec.bank_groups)),
        column_bits_(bits(spec.row_size.count / spec.burst_bytes().count)),
        bank_bits_(bits(spec.banks)) {}

  Place place(std::uint64_t burst) const {
    const auto group = static_cast<int>(field(burst, 0, group_bits_));
    const auto bank = static_cast<int>(field(burst, group_bits_ + column_bits_, bank_bits_));
    const auto row = static_cast<std::int64_t>(burst >> static_cast<unsigned>(group_bits_ + column_bits_ + bank_bits_));
    return {.bank_group = group, .bank = (group << static_cast<unsigned>(bank_bits_)) | bank, .row = row};
  }

 private:
  static int bits(std::int64_t count) { return std::countr_zero(static_cast<std::uint64_t>(count)); }
  static std::uint64_t field(std::uint64_t value, int from, int width) {
    return (value >> static_cast<unsigned>(from)) & ((std::uint64_t{1} << static_cast<unsigned>(width)) - 1);
  }

  int group_bits_;
  int column_bits_;
  int bank_bits_;
};

}  // namespace isthmus::fabric::dram
