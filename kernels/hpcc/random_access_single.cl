// RandomAccess as meyer2024 4.1.4 has it (figure 4.9): in each step every generator that does not wait makes a number;
// one that falls on this replication's words goes into its place of a shift register if that is free, else its
// generator waits; what leaves the register is updated. A buffer of loaded words keeps reads apart from writes: an
// update of a word that is in the buffer already is lost, which the rules allow for below 1 % of the words.
#define GENERATORS (1 << HPCC_FPGA_RA_RNG_COUNT_LOG)
#define REGISTER (GENERATORS * HPCC_FPGA_RA_RNG_DISTANCE)
#define BUFFER (1 << HPCC_FPGA_RA_DEVICE_BUFFER_SIZE_LOG)

SINGLE_WORK_ITEM
__kernel void random_access(__global ulong* restrict table, __global const ulong* restrict seeds, const ulong count,
                            const ulong index_mask, const ulong first, const ulong size) {
  ulong number[GENERATORS] PARTITIONED(1);
  ulong made[GENERATORS] PARTITIONED(1);
  bool waits[GENERATORS] PARTITIONED(1);
  ulong shift[REGISTER + 1] PARTITIONED(1);
  bool valid[REGISTER + 1] PARTITIONED(1);
  ulong place[BUFFER];
  ulong word[BUFFER];
  ulong mine[BUFFER];

  UNROLLED(GENERATORS) for (uint g = 0; g < GENERATORS; ++g) {
    number[g] = seeds[g];
    made[g] = 0;
    waits[g] = false;
  }
  UNROLLED(REGISTER) for (uint r = 0; r <= REGISTER; ++r) valid[r] = false;

  uint filled = 0;
  // The numbers of all generators, and the steps in which the last of them passes through the register.
  uint drained = 0;
  PIPELINED for (; drained <= REGISTER;) {
    bool busy = false;
    UNROLLED(GENERATORS) for (uint g = 0; g < GENERATORS; ++g) {
      if (!waits[g] && made[g] < count) {
        number[g] = (number[g] << 1) ^ ((long)number[g] < 0 ? 7UL : 0UL);
        ++made[g];
        waits[g] = (number[g] & index_mask) - first < size;
      }
      const uint slot = (g + 1) * HPCC_FPGA_RA_RNG_DISTANCE;
      if (waits[g] && !valid[slot]) {
        shift[slot] = number[g];
        valid[slot] = true;
        waits[g] = false;
      }
      busy |= waits[g] || made[g] < count;
    }
    if (valid[0]) {
      const ulong at = (shift[0] & index_mask) - first;
      place[filled] = at;
      mine[filled] = shift[0];
      word[filled] = table[at];
      ++filled;
    }
    drained = busy ? 0 : drained + 1;
    if (filled == BUFFER || (drained > REGISTER && filled > 0)) {
      INDEPENDENT for (uint b = 0; b < filled; ++b) table[place[b]] = word[b] ^ mine[b];
      filled = 0;
    }
    UNROLLED(REGISTER) for (uint r = 0; r < REGISTER; ++r) {
      shift[r] = shift[r + 1];
      valid[r] = valid[r + 1];
    }
    valid[REGISTER] = false;
  }
}
