// What the HLS compilers of the two FPGA vendors want to be told, and nobody else: -DISTHMUS_XILINX or -DISTHMUS_INTEL.
// PARTITIONED: an array in registers. BANKED: memory with as many banks as the unrolled loops read at once, which Intel's
// compiler finds by itself; INTERLEAVED: the same, neighbours in neighbouring banks.
#if defined(ISTHMUS_XILINX)
#define SINGLE_WORK_ITEM __attribute__((reqd_work_group_size(1, 1, 1)))
#define PIPELINED __attribute__((xcl_pipeline_loop(1)))
#define UNROLLED(count) __attribute__((opencl_unroll_hint(count)))
#define INDEPENDENT
#define PARTITIONED(dimension) __attribute__((xcl_array_partition(complete, dimension)))
#define BANKED(dimension) PARTITIONED(dimension)
#define INTERLEAVED(banks, dimension) __attribute__((xcl_array_partition(cyclic, banks, dimension)))
#elif defined(ISTHMUS_INTEL)
#define SINGLE_WORK_ITEM __attribute__((max_global_work_dim(0))) __attribute__((uses_global_work_offset(0)))
#define PIPELINED
#define UNROLLED(count) _Pragma("unroll")
#define INDEPENDENT _Pragma("ivdep")
#define PARTITIONED(dimension) __attribute__((register))
#define BANKED(dimension)
#define INTERLEAVED(banks, dimension)
#else
#define SINGLE_WORK_ITEM __attribute__((reqd_work_group_size(1, 1, 1)))
#define PIPELINED
#define UNROLLED(count)
#define INDEPENDENT
#define PARTITIONED(dimension)
#define BANKED(dimension)
#define INTERLEAVED(banks, dimension)
#endif
