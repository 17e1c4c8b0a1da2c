// RandomAccess as meyer2024 4.1.4 has it (figure 4.9): in each step every generator that does not wait makes a number;
// one that falls on this replication's words goes into its place of a shift register if that is free, else its
// generator waits; what leaves the register is updated. A buffer of loaded words keeps reads apart from writes: a word
// is stored BUFFER steps after it was loaded. An update of a word that is in the buffer already is lost, which the
// rules allow for below 1 % of the words; so are those that the pipeline of a board, which need not wait for its own
// stores, overtakes.
#define GENERATORS (1 << HPCC_FPGA_RA_RNG_COUNT_LOG)
#define REGISTER (GENERATORS * HPCC_FPGA_RA_RNG_DISTANCE)
#define BUFFER (1 << HPCC_FPGA_RA_DEVICE_BUFFER_SIZE_LOG)
// How many steps a number needs depends on the others: the loop makes so many, and again until all are done.
#define STEPS (BUFFER > 16384 ? BUFFER : 16384)

SINGLE_WORK_ITEM
__kernel void random_access(__global ulong* restrict table, __global const ulong* restrict seeds, const ulong count,
                            const ulong index_mask, const ulong first, const ulong size) {
  ulong number[GENERATORS] PARTITIONED(1);
  ulong made[GENERATORS] PARTITIONED(1);
  bool waits[GENERATORS] PARTITIONED(1);
  ulong shift[REGISTER + 1] PARTITIONED(1);
  bool valid[REGISTER + 1] PARTITIONED(1);
  MEMORY(ulong, place, BUFFER, 1);  // of no word of ours: `size`
  MEMORY(ulong, word, BUFFER, 1);

  UNROLLED(GENERATORS) for (uint g = 0; g < GENERATORS; ++g) {
    number[g] = seeds[g];
    made[g] = 0;
    waits[g] = false;
  }
  UNROLLED(REGISTER + 1) for (uint r = 0; r <= REGISTER; ++r) {
    shift[r] = 0;
    valid[r] = false;
  }
  for (uint slot = 0; slot < BUFFER; ++slot) place[slot][0] = size;

  // Steps since the last generator was at work: its last number passes through the register, then through the buffer.
  uint idle = 0;
  while (idle <= REGISTER + BUFFER) {
    WAIVED(table)
    PIPELINED
    for (uint step = 0; step < STEPS; ++step) {
      bool busy = false;
      UNROLLED(GENERATORS) for (uint g = 0; g < GENERATORS; ++g) {
        if (!waits[g] && made[g] < count) {
          number[g] = (number[g] << 1) ^ ((long)number[g] < 0 ? 7UL : 0UL);
          ++made[g];
          waits[g] = (number[g] & index_mask) - first < size;
        }
        const uint entry = (g + 1) * HPCC_FPGA_RA_RNG_DISTANCE;
        if (waits[g] && !valid[entry]) {
          shift[entry] = number[g];
          valid[entry] = true;
          waits[g] = false;
        }
        busy |= waits[g] || made[g] < count;
      }
      idle = busy ? 0 : idle + 1;

      const uint slot = step % BUFFER;
      const ulong done = place[slot][0];
      if (done < size) table[done] = word[slot][0];
      const ulong at = (shift[0] & index_mask) - first;
      if (valid[0]) word[slot][0] = table[at] ^ shift[0];
      place[slot][0] = valid[0] ? at : size;

      UNROLLED(REGISTER) for (uint r = 0; r < REGISTER; ++r) {
        shift[r] = shift[r + 1];
        valid[r] = valid[r + 1];
      }
      valid[REGISTER] = false;
    }
  }
}
