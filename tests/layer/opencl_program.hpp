#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace known {

/// Ends the program with a line where OpenCL did not do what the program is about.
void check(cl_int result, const std::string& what);

/// What a record of this program has to say, as a line on its standard output: the program prints the same with the
/// layer and without, and the record's commands are these lines.
struct Said {
  std::string what;
  std::uint64_t bytes = 0;
  bool blocking = false;
  std::string kernel = "-";
  std::vector<std::size_t> global{};
  std::vector<std::size_t> local{};
};
void say(const Said& said);
/// A call that was made: checks its result and says it.
void done(cl_int result, const Said& said);
/// Something that OpenCL answered; it must be the same with the layer and without.
void answer(const std::string& what, std::uint64_t value);
/// The error that OpenCL answered, as a number above 0.
void answer_error(const std::string& what, cl_int result);

void flush(cl_command_queue queue);
void finish(cl_command_queue queue);
std::uint64_t sum(const std::vector<std::uint8_t>& bytes);

/// The first device of the first platform, and a program with the kernels `add` (a value to each int) and `nothing`.
struct Session {
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  cl_command_queue queue_with(cl_command_queue_properties properties) const;
  cl_mem buffer(std::size_t bytes, const void* content = nullptr) const;
  cl_kernel kernel(const char* name) const;
  /// A function of an extension; null where the driver has it not.
  void* extension(const char* name) const;

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_program program = nullptr;
};

// The parts of the program that `known_calls PART` runs.
void move_buffers(const Session& session);
void move_images(const Session& session);
void move_shared_memory(const Session& session);
void compute(const Session& session);
void show_properties(const Session& session);
void wait_for_the_host(const Session& session);
void use_threads(const Session& session);
void make_many(const Session& session, int count);

void make_objects(const Session& session);
void wait_without_a_wait(const Session& session);
void use_extensions(const Session& session);

/// An event that the host sets.
cl_event make_gate(const Session& session);
/// The event of the last of three launches, which wait for the gate.
cl_event launch_three(const Session& session, cl_command_queue queue, cl_event gate);
/// Opens the gate in another thread and waits until the event is complete, by a callback of a marker in a queue of its
/// own: nothing is asked about the event.
void wait_beside_opencl(const Session& session, cl_event event, cl_event gate);

}  // namespace known
