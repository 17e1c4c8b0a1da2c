#pragma once

#include "isthmus/base/units.hpp"

namespace isthmus::fabric {

/// One channel of DRAM as its data sheet describes it; the names are those of JEDEC (JESD79-3, JESD79-4).
struct DramSpec {
  Frequency clock;    ///< clock of the commands: half the transfer rate
  Bytes data_width;   ///< width of the data bus
  int burst_length;   ///< transfers of one column command (BL)
  int bank_groups;    ///< bank groups; 1 if the standard has none
  int banks;          ///< banks in a bank group
  Bytes row_size;     ///< bytes of a bank's row over the whole rank
  int CL;             ///< cycles from read command to first data
  int CWL;            ///< cycles from write command to first data
  Time tRCD;          ///< time from activate to column command
  Time tRP;           ///< time from precharge to activate
  Time tRAS;          ///< time from activate to precharge
  Time tRTP;          ///< time from read to precharge
  Time tWR;           ///< time from last write data to precharge
  int tCCD_S;         ///< cycles from column command to column command of another bank group
  Time tCCD_L;        ///< time from column command to column command of the same bank group
  Time tRRD_S;        ///< time from activate to activate of another bank group
  Time tRRD_L;        ///< time from activate to activate of the same bank group
  Time tFAW;          ///< time that holds at most four activates
  Time tWTR_S;        ///< time from last write data to read in another bank group
  Time tWTR_L;        ///< time from last write data to read in the same bank group
  int turnaround;     ///< cycles of idle data bus between read data and write data
  Time tREFI;         ///< time from refresh to refresh
  Time tRFC;          ///< time from refresh to next activate
  int read_group;     ///< bursts read before the controller turns to waiting writes
  int write_group;    ///< bursts written before it turns to waiting reads
  int queue_depth;    ///< bursts that wait in the controller, reads and writes each
  Time idle_latency;  ///< time of a read of a closed row on an idle channel, port to port

  Bytes burst_bytes() const { return {data_width.count * burst_length}; }
};

}  // namespace isthmus::fabric
