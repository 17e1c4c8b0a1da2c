// What a kernel of one work-item does with its memories, loop by loop: clang calls __asan_load4_noabort and the like
// before each load and store that is left in LLVM IR, and the kernel, rewritten by single_kernels.py, says which
// pipelined loop it is in. One of two things is made of that:
//
// counting: the loads and stores that each bank of a memory must serve in an iteration. A place in the code that
// reaches several banks is wired to all of them. replaying: stores into an array that is said to be INDEPENDENT land
// `distance` iterations late.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORIES = 128, LOOPS = 256, SITES = 1 << 16, BANKS = 1024, WIDEST = 128, CELLS = 1 << 20 };

struct memory {
  char name[64];
  uintptr_t base;
  size_t size;
  size_t value;  // bytes
  size_t banks;  // 0: global memory
};

struct site {
  uintptr_t code;
  int loop;
  int memory;
  int store;
  size_t bytes;
  uint64_t banks[BANKS / 64];
};

struct loop {
  uintptr_t code;
  int id;
};

struct store {
  struct store* before;
  uint64_t iteration;
  unsigned char value[WIDEST];
};

// An address that was stored to, and what it held before the loop.
struct cell {
  uintptr_t address;
  size_t bytes;
  struct store* last;
  unsigned char initial[WIDEST];
};

static struct memory memories[MEMORIES];
static int memory_count;
static struct loop loops[LOOPS];
static int loop_count;
static struct site sites[SITES];
static struct cell cells[CELLS];
static uint32_t used_cells[CELLS];
static uint32_t used_count;
static int in_loop = -1;
static uint64_t iteration;
static int replaying;
static uint64_t late;           // iterations
static int late_memory = -1;    // of the array that is said to be independent
static struct cell* unsettled;  // its last store is about to happen
static uint64_t replayed;
static char error[256];

static void fail(const char* what, const char* name) {
  if (error[0] == 0) snprintf(error, sizeof error, "%s: %s", name, what);
}

static int memory_at(uintptr_t address) {
  for (int at = memory_count; at-- > 0;)
    if (address - memories[at].base < memories[at].size) return at;
  return -1;
}

void trace_reset(int replay) {
  memory_count = loop_count = 0;
  memset(sites, 0, sizeof sites);
  in_loop = late_memory = -1;
  replaying = replay;
  replayed = 0;
  error[0] = 0;
}

void trace_memory(const char* name, uintptr_t base, size_t size, size_t value, size_t banks) {
  if (memory_count == MEMORIES || banks > BANKS) return fail("too many memories or banks", name);
  struct memory* made = &memories[memory_count++];
  *made = (struct memory){.base = base, .size = size, .value = value, .banks = banks};
  snprintf(made->name, sizeof made->name, "%s", name);
}

static struct cell* cell_of(uintptr_t address, int make) {
  uint32_t at = (uint32_t)((address >> 2) * 2654435761u) % CELLS;
  while (cells[at].address != address && cells[at].address != 0) at = (at + 1) % CELLS;
  if (cells[at].address == 0) {
    if (!make) return NULL;
    if (used_count == CELLS / 2) {
      fail("too many addresses", "replay");
      return NULL;
    }
    cells[at].address = address;
    used_cells[used_count++] = at;
  }
  return &cells[at];
}

static void settle(void) {
  if (unsettled) memcpy(unsettled->last->value, (void*)unsettled->address, unsettled->bytes);
  unsettled = NULL;
}

static void replay(uintptr_t address, size_t bytes, int store) {
  struct cell* cell = cell_of(address, store);
  if (cell == NULL) return;
  if (cell->bytes == 0) memcpy(cell->initial, (void*)address, cell->bytes = bytes);
  if (cell->bytes != bytes) return fail("accesses of several widths", memories[late_memory].name);
  if (store) {
    struct store* next = malloc(sizeof *next);
    if (next == NULL) return fail("no memory", "replay");
    next->before = cell->last;
    next->iteration = iteration;
    cell->last = next;
    unsettled = cell;
    ++replayed;
    return;
  }
  const struct store* seen = cell->last;
  while (seen && seen->iteration != iteration && seen->iteration + late > iteration) seen = seen->before;
  memcpy((void*)address, seen ? seen->value : cell->initial, bytes);
}

// All that is under way lands.
static void land(void) {
  settle();
  for (uint32_t each = 0; each < used_count; ++each) {
    struct cell* cell = &cells[used_cells[each]];
    if (cell->last) memcpy((void*)cell->address, cell->last->value, cell->bytes);
    for (struct store *store = cell->last, *before; store; store = before) {
      before = store->before;
      free(store);
    }
    memset(cell, 0, sizeof *cell);
  }
  used_count = 0;
}

// distance: 0 where nothing is said of any array.
int trace_begin(int id, uintptr_t array, uint64_t distance) {
  const uintptr_t code = (uintptr_t)__builtin_return_address(0);
  int at = 0;
  while (at < loop_count && (loops[at].code != code || loops[at].id != id)) ++at;
  if (at == LOOPS) {
    fail("too many loops", "trace");
    return 1;
  }
  if (at == loop_count) loops[loop_count++] = (struct loop){code, id};
  in_loop = at;
  iteration = 0;
  late = distance;
  late_memory = distance ? memory_at(array) : -1;
  if (distance && late_memory < 0) fail("said to be independent, but no memory", "array");
  return 1;
}

void trace_next(void) {
  if (replaying) settle();
  ++iteration;
}

int trace_end(void) {
  if (replaying) land();
  in_loop = -1;
  return 0;
}

static void count(uintptr_t code, uintptr_t address, size_t bytes, int store, int memory) {
  uint32_t at = (uint32_t)((code ^ (uintptr_t)in_loop << 20 ^ (uintptr_t)memory << 28) * 2654435761u) % SITES;
  while (sites[at].code != 0 && (sites[at].code != code || sites[at].loop != in_loop || sites[at].memory != memory))
    at = (at + 1) % SITES;
  struct site* site = &sites[at];
  site->code = code;
  site->loop = in_loop;
  site->memory = memory;
  site->store = store;
  site->bytes = bytes;
  const struct memory* of = &memories[memory];
  if (of->banks == 0) return;
  const uintptr_t first = (address - of->base) / of->value;
  const uintptr_t last = (address + bytes - 1 - of->base) / of->value;
  for (uintptr_t value = first; value <= last; ++value) {
    const uintptr_t bank = value % of->banks;
    site->banks[bank / 64] |= UINT64_C(1) << bank % 64;
  }
}

static void access(uintptr_t code, uintptr_t address, size_t bytes, int store) {
  if (in_loop < 0) return;
  if (replaying) {
    settle();
    if (late_memory >= 0 && address - memories[late_memory].base < memories[late_memory].size)
      replay(address, bytes, store);
    return;
  }
  const int memory = memory_at(address);
  if (memory < 0) return fail("an access to what is no MEMORY and no buffer", "loop");
  count(code, address, bytes, store, memory);
}

#define CALLBACKS(bytes)                                               \
  void __asan_load##bytes##_noabort(uintptr_t address) {               \
    access((uintptr_t)__builtin_return_address(0), address, bytes, 0); \
  }                                                                    \
  void __asan_store##bytes##_noabort(uintptr_t address) {              \
    access((uintptr_t)__builtin_return_address(0), address, bytes, 1); \
  }
CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)

void __asan_loadN_noabort(uintptr_t address, size_t bytes) {
  access((uintptr_t)__builtin_return_address(0), address, bytes, 0);
}
void __asan_storeN_noabort(uintptr_t address, size_t bytes) {
  access((uintptr_t)__builtin_return_address(0), address, bytes, 1);
}
void __asan_handle_no_return(void) {}

const char* trace_error(void) {
  return error;
}

uint64_t trace_replayed(void) {
  return replayed;
}

// Lines: loop, copy of it, memory, banks, most accesses to a bank, loads, stores, bytes of all of them.
void trace_report(const char* path) {
  FILE* out = fopen(path, "w");
  if (out == NULL) return fail("cannot write", path);
  for (int loop = 0; loop < loop_count; ++loop)
    for (int memory = 0; memory < memory_count; ++memory) {
      unsigned served[BANKS] = {0};
      unsigned made[2] = {0, 0};
      unsigned most = 0;
      size_t bytes = 0;
      for (int at = 0; at < SITES; ++at) {
        const struct site* site = &sites[at];
        if (site->code == 0 || site->loop != loop || site->memory != memory) continue;
        ++made[site->store];
        bytes += site->bytes;
        for (size_t bank = 0; bank < memories[memory].banks; ++bank)
          if (site->banks[bank / 64] >> bank % 64 & 1 && ++served[bank] > most) most = served[bank];
      }
      if (made[0] + made[1] > 0)
        fprintf(out, "%d %d %s %zu %u %u %u %zu\n", loops[loop].id, loop, memories[memory].name, memories[memory].banks,
                most, made[0], made[1], bytes);
    }
  fclose(out);
}
