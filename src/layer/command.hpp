#pragma once

#include <tuple>

#include "layer/extension_functions.hpp"
#include "layer/recorder.hpp"

/// Functions that stand in the place of a driver's. `Of` is an entry of its table, or an extension's function beneath.
/// `Tell` gives what the arguments say of the call.
namespace isthmus::layer {

/// The driver's function that is called with an object.
template <class Function, class Object>
Function driver_function(Function cl_icd_dispatch::*entry, Object /*object*/) {
  return driver().*entry;
}
template <class Function, class Object>
Function driver_function(const FunctionBeneath<Function>* beneath, Object object) {
  return beneath->of_platform_of(object);
}

/// Enqueues a command. The first argument of each such function is the queue; the last are the number of commands to
/// wait for, these, and the event.
template <auto Of, class Tell, class Function>
struct Command;

template <auto Of, class Tell, class... Arguments>
struct Command<Of, Tell, cl_int(CL_API_CALL*)(Arguments...)> {
  static cl_int CL_API_CALL run(Arguments... arguments) {
    constexpr std::size_t kEvent = sizeof...(Arguments) - 1;
    std::tuple<Arguments...> all{arguments...};
    RecordedCall call = Tell{}(arguments...);
    call.queue = std::get<0>(all);
    call.waits = std::get<kEvent - 2>(all);
    return enqueue(call, std::get<kEvent>(all), [&](cl_event* out) {
      std::get<kEvent>(all) = out;
      return std::apply(driver_function(Of, call.queue), all);
    });
  }
};

/// Makes no command.
template <auto Of, class Tell, class Function>
struct HostCall;

template <auto Of, class Tell, class First, class... Others>
struct HostCall<Of, Tell, cl_int(CL_API_CALL*)(First, Others...)> {
  static cl_int CL_API_CALL run(First first, Others... others) {
    return host_call(Tell{}(first, others...), [&] { return driver_function(Of, first)(first, others...); });
  }
};

/// Makes an object, and writes its error to the last argument.
template <auto Of, class Tell, class Function>
struct Creation;

template <auto Of, class Tell, class Object, class... Arguments>
struct Creation<Of, Tell, Object(CL_API_CALL*)(Arguments...)> {
  static Object CL_API_CALL run(Arguments... arguments) {
    constexpr std::size_t kError = sizeof...(Arguments) - 1;
    std::tuple<Arguments...> all{arguments...};
    return create(Tell{}(arguments...), std::get<kError>(all), [&](cl_int* failure) {
      std::get<kError>(all) = failure;
      return std::apply(driver_function(Of, std::get<0>(all)), all);
    });
  }
};

template <class Function>
Function function_of(Function cl_icd_dispatch::*entry);
template <class Function>
Function function_of(const FunctionBeneath<Function>* beneath);

/// Has the calls of an entry of the table recorded.
template <auto Entry, template <auto, class, class> class Wrap = Command, class Tell>
void record(cl_icd_dispatch& table, Tell /*tell*/) {
  table.*Entry = Wrap<Entry, Tell, decltype(function_of(Entry))>::run;
}

/// The same for a function of an extension.
template <auto* Beneath, template <auto, class, class> class Wrap = Command, class Tell>
Wrapped recorded(std::string_view name, Tell /*tell*/) {
  return {name, Beneath, reinterpret_cast<void*>(Wrap<Beneath, Tell, decltype(function_of(Beneath))>::run)};
}

/// Nothing but the kind of a call.
template <Kind Of>
inline constexpr auto kOnly = [](auto...) { return RecordedCall{.kind = Of}; };

}  // namespace isthmus::layer
