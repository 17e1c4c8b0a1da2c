#include "program/trace_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/schema.hpp"
#include "program/tool.hpp"

namespace isthmus::program {
namespace {

/// The amount that all of `text` is, in the base unit of its quantity; throws Error naming `option` and an `example`.
double amount(platform::Quantity quantity, std::string_view text, const char* option, const char* example) {
  double value = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit_name(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const platform::Unit* unit = platform::find_unit(quantity, unit_name);
  if (failure != std::errc() || unit == nullptr || !(value >= 0))
    throw Error(fmt::format("{} '{}': expected a number and a unit, such as {}", option, text, example));
  return value * unit->scale;
}

}  // namespace

TraceArguments::TraceArguments(Request& request)
    : file_(request.text("trace").value_or("")),
      window_(request.text("trace-window").value_or("")),
      parts_(request.texts("trace-parts")),
      limit_(request.text("trace-limit").value_or("256MiB")) {
  for (const char* key : {"trace-window", "trace-parts", "trace-limit"})
    if (file_.empty() && request.has(key)) throw Error(fmt::format("--{}: expected --trace FILE with it", key));
}

std::unique_ptr<TraceFile> TraceArguments::open() const {
  constexpr const char* kTimes = "1ms..2.5ms";
  TraceOptions options;
  options.parts = parts_;
  options.most_bytes = static_cast<std::uint64_t>(amount(platform::Quantity::bytes, limit_, "--trace-limit", "256MiB"));
  if (!window_.empty()) {
    const auto dots = window_.find("..");
    if (dots == std::string::npos)
      throw Error(fmt::format("--trace-window '{}': expected two times, such as {}", window_, kTimes));
    const auto time = [&](const std::string& text) {
      return Time::seconds(amount(platform::Quantity::time, text, "--trace-window", kTimes));
    };
    options.begin = time(window_.substr(0, dots));
    options.end = time(window_.substr(dots + 2));
    if (options.begin >= options.end)
      throw Error(fmt::format("--trace-window '{}': expected the later time last, such as {}", window_, kTimes));
  }
  return std::make_unique<TraceFile>(file_, std::move(options));
}

void TraceArguments::close(TraceFile& trace) const {
  const auto summary = trace.close();
  const std::string cut =
      summary.full ? fmt::format("; it reached {} and is cut: see --trace-limit, --trace-window, --trace-parts", limit_)
                   : "";
  print({{"event", "note"}, {"text", fmt::format("trace, model: {} slices in {}{}", summary.slices, file_, cut)}});
  for (const auto& pattern : summary.vain)
    print({{"event", "note"},
           {"text",
            fmt::format("--trace-parts '{}' chooses nothing; there is: {}", pattern, fmt::join(summary.parts, ", "))}});
}

}  // namespace isthmus::program
