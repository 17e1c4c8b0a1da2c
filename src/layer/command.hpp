#pragma once

#include <tuple>

#include "layer/extension_functions.hpp"
#include "layer/recorder.hpp"

namespace isthmus::layer {

/// The driver's function that is called for a queue: an entry of its table, or an extension's function.
template <class Function>
Function driver_function(Function cl_icd_dispatch::*entry, cl_command_queue /*queue*/) {
  return driver().*entry;
}
template <class Function>
Function driver_function(const FunctionBeneath<Function>* beneath, cl_command_queue queue) {
  return beneath->of_platform_of(queue);
}

/// What the program calls in the place of a function that enqueues a command. The first argument of each is the queue;
/// the last are the number of commands to wait for, these, and the event. `Tell` gives what the other arguments say.
template <auto Of, class Tell, class Function>
struct Command;

template <auto Of, class Tell, class... Arguments>
struct Command<Of, Tell, cl_int(CL_API_CALL*)(Arguments...)> {
  static cl_int CL_API_CALL run(Arguments... arguments) {
    constexpr std::size_t kEvent = sizeof...(Arguments) - 1;
    std::tuple<Arguments...> all{arguments...};
    Call call = Tell{}(arguments...);
    call.queue = std::get<0>(all);
    call.waits = std::get<kEvent - 2>(all);
    return enqueue(call, std::get<kEvent>(all), [&](cl_event* out) {
      std::get<kEvent>(all) = out;
      return std::apply(driver_function(Of, call.queue), all);
    });
  }
};

template <auto Of, class Tell>
using CommandOf = Command<Of, Tell, decltype(driver_function(Of, nullptr))>;

/// Has the commands of an entry of the table recorded.
template <auto Entry, class Tell>
void record(cl_icd_dispatch& table, Tell /*tell*/) {
  table.*Entry = CommandOf<Entry, Tell>::run;
}

/// The same for a function of an extension.
template <auto* Beneath, class Tell>
Wrapped recorded(std::string_view name, Tell /*tell*/) {
  return {name, Beneath, reinterpret_cast<void*>(CommandOf<Beneath, Tell>::run)};
}

/// Says nothing but the kind of a command.
template <Kind Of>
constexpr auto kOnly = [](auto...) { return Call{.kind = Of}; };

}  // namespace isthmus::layer
