#pragma once

#define CL_TARGET_OPENCL_VERSION 120  // as CL_HPP_TARGET_OPENCL_VERSION
#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <type_traits>

/// OpenCL's functions, each looked up when it is first called: no program needs a loader to start.
namespace isthmus::offload::opencl {

/// The address of a function in this machine's OpenCL loader, else in the one that came with this program. Throws Error
/// if there is no loader, or none that has the function.
void* address_of(const char* function);

/// The name of a function of CL/cl.h of that type.
template <typename Function, std::size_t kSize>
struct FunctionName {
  std::array<char, kSize> name;
};
template <typename Function, std::size_t kSize>
constexpr FunctionName<Function, kSize> function_name(const char (&name)[kSize]) {
  return {std::to_array(name)};
}

/// A function that hands its arguments on to the one of that name in the loader.
template <auto kName, typename = std::remove_const_t<decltype(kName)>>
struct Forwarder;
template <auto kName, std::size_t kSize, typename Result, typename... Arguments>
struct Forwarder<kName, FunctionName<Result(Arguments...), kSize>> {
  static Result call(Arguments... arguments) {
    static auto* const found = reinterpret_cast<Result (*)(Arguments...)>(address_of(kName.name.data()));
    return found(arguments...);
  }
};
template <auto kName>
inline constexpr auto& kForwarded = Forwarder<kName>::call;

}  // namespace isthmus::offload::opencl

// What the build makes of CL/cl.h: a macro for each function, by which kForwarded takes its place.
#include "opencl_calls.hpp"
