#include "program.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "isthmus/base/error.hpp"

namespace isthmus::bench {
namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error(fmt::format("{}: cannot be started", command));
  std::string output;
  std::array<char, 4096> chunk{};
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), pipe)) output.append(chunk.data(), size);
  if (const int status = pclose(pipe); status != 0) {
    throw Error(fmt::format("{}: expected exit status 0, got {}", command, status));
  }
  return output;
}

std::filesystem::path path_of(const Run& run) {
  return std::filesystem::canonical("/proc/self/exe").parent_path() / run.program;
}

}  // namespace

bool built(const Run& run) {
  return std::filesystem::exists(path_of(run));
}

Sample sample(const Run& run, std::uint64_t tokens) {
  const std::string command = fmt::format("'{}' {} {}", path_of(run).string(), run.workload, tokens);
  const std::string output = output_of(command);
  try {
    const auto result = nlohmann::json::parse(output);
    return {.tokens_per_s = result.at("tokens").get<double>() / result.at("seconds").get<double>(),
            .actor_kib = result.at("actor_bytes").get<double>() / 1024,
            .made_by = result.at("made_by").get<std::string>()};
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: expected one JSON object on stdout: {}", command, error.what()));
  }
}

}  // namespace isthmus::bench
