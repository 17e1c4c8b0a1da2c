// Values of -DDATA_TYPE in vectors of -DVECTOR_COUNT, and stores past the caches where the compiler has them.
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#ifdef DATA_TYPE
#define float 1
#define double 2
#define half 3
#if DATA_TYPE == 2
#define DATA_TYPE_IS_DOUBLE
#elif DATA_TYPE == 3
#define DATA_TYPE_IS_HALF
#endif
#undef float
#undef double
#undef half
#if defined(DATA_TYPE_IS_DOUBLE)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define SCALAR double
#else
#if defined(DATA_TYPE_IS_HALF)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
// Half values come as float: OpenCL has no half arguments without the extension on the host's side.
#define SCALAR float
#endif
#if defined(VECTOR_COUNT) && VECTOR_COUNT > 1
typedef JOIN(DATA_TYPE, VECTOR_COUNT) VALUES;
#else
typedef DATA_TYPE VALUES;
#endif
#endif

#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define HAS_STREAMING_STORE
#endif
#endif
#ifdef HAS_STREAMING_STORE
#define STREAMING_STORE(value, address) __builtin_nontemporal_store(value, address)
#else
#define STREAMING_STORE(value, address) (*(address) = (value))
#endif

// Bring a line near the core that will be changed, or only read: that one into the second-level cache, since rows of a
// matrix whose lines lie a power of two apart share a set of the first. The builtin takes no address space, and all are
// one where it is used: on CPUs.
#if defined(__has_builtin)
#if __has_builtin(__builtin_prefetch)
#define HAS_PREFETCH
#endif
#endif
#ifdef HAS_PREFETCH
#define FETCH(address) __builtin_prefetch((const void*)(size_t)(address), 1, 0)
#define FETCH_TO_READ(address) __builtin_prefetch((const void*)(size_t)(address), 0, 2)
#else
#define FETCH(address) prefetch(address, 1)
#define FETCH_TO_READ(address) prefetch(address, 1)
#endif
