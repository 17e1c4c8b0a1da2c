// What the HLS compilers of the two FPGA vendors want to be told, and nobody else: -DISTHMUS_XILINX or -DISTHMUS_INTEL.
//
// MEMORY(type, name, depth, banks): on-chip memory of two ports a bank. name[row][bank]; the unrolled loops give `bank`
// as a constant, so that all banks work in the same cycle. Intel's compiler finds banks by such constants itself.
// PARTITIONED(dimension): an array in registers.
// INDEPENDENT(array, distance): before a PIPELINED loop: what an iteration stores into the array is read or written
// again `distance` iterations later at the earliest. WAIVED(array): it may be, and the update that is lost then is
// allowed for.
#define PRAGMA(text) _Pragma(#text)
#if defined(ISTHMUS_XILINX)
#define SINGLE_WORK_ITEM __attribute__((reqd_work_group_size(1, 1, 1)))
#define PIPELINED __attribute__((xcl_pipeline_loop(1)))
#define UNROLLED(count) __attribute__((opencl_unroll_hint(count)))
#define INDEPENDENT(array, distance)
#if __has_attribute(xcl_dependence)
#define WAIVED(array) \
  __attribute__((xcl_dependence(variable = #array, type = "inter", direction = "RAW", dependent = "false")))
#else
#define WAIVED(array)
#endif
#define PARTITIONED(dimension) __attribute__((xcl_array_partition(complete, dimension)))
#define MEMORY(type, name, depth, banks) type name[depth][banks] PARTITIONED(2)
#elif defined(ISTHMUS_INTEL)
#define SINGLE_WORK_ITEM __attribute__((max_global_work_dim(0))) __attribute__((uses_global_work_offset(0)))
#define PIPELINED
#define UNROLLED(count) __attribute__((opencl_unroll_hint(count)))
#define INDEPENDENT(name, distance) PRAGMA(ivdep array(name) safelen(distance))
#define WAIVED(name) PRAGMA(ivdep array(name))
#define PARTITIONED(dimension) __attribute__((register))
#define MEMORY(type, name, depth, banks) type name[depth][banks]
#else
#define SINGLE_WORK_ITEM __attribute__((reqd_work_group_size(1, 1, 1)))
#define PIPELINED
#define UNROLLED(count)
#define INDEPENDENT(array, distance)
#define WAIVED(array)
#define PARTITIONED(dimension)
#define MEMORY(type, name, depth, banks) type name[depth][banks]
#endif
