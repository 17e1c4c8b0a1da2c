#include "layer/recorded.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/temporary_folder.hpp"

namespace isthmus::layer {
namespace {

template <class Slot>
Slot as(const std::array<char, kSlotSize>& bytes) {
  Slot slot;
  std::memcpy(&slot, bytes.data(), kSlotSize);
  return slot;
}

std::string sizes(const auto& values, std::uint32_t dimensions) {
  std::ostringstream text;
  for (std::uint32_t at = 0; at < dimensions; ++at) text << (at == 0 ? "" : "x") << values[at];
  return dimensions == 0 || values[0] == 0 ? "-" : text.str();
}

void add(Recorded& recorded, const std::array<char, kSlotSize>& bytes) {
  switch (static_cast<SlotType>(bytes[0])) {
    case SlotType::process:
      recorded.process = as<ProcessSlot>(bytes);
      break;
    case SlotType::text: {
      const auto text = as<TextSlot>(bytes);
      recorded.texts[{static_cast<Text>(text.what), text.id}].append(text.text.data(), text.length);
      break;
    }
    case SlotType::queue:
      recorded.queues.push_back(as<QueueSlot>(bytes));
      break;
    case SlotType::call:
      recorded.calls.push_back(as<CallSlot>(bytes));
      break;
    case SlotType::times: {
      const auto times = as<TimesSlot>(bytes);
      recorded.times[times.id] = times;
      break;
    }
    case SlotType::empty:
      break;
  }
}

std::vector<std::string> words(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{ISTHMUS_KNOWN_CALLS};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

}  // namespace

Recorded read_journal(const std::filesystem::path& path) {
  Recorded recorded;
  std::ifstream file(path, std::ios::binary);
  std::array<char, kSlotSize> bytes{};
  while (file.read(bytes.data(), kSlotSize) && bytes[0] != 0) add(recorded, bytes);
  std::ranges::sort(recorded.calls, {}, &CallSlot::id);
  return recorded;
}

std::string Recorded::kind(const CallSlot& call) const {
  return texts.at({Text::kind, call.kind});
}

std::vector<std::string> Recorded::lines() const {
  std::vector<std::string> found;
  for (const CallSlot& call : calls) {
    std::ostringstream line;
    line << kind(call) << '|' << call.bytes << '|' << ((call.flags & kBlocking) != 0 ? 1 : 0) << '|'
         << (call.kernel == 0 ? "-" : texts.at({Text::kernel, call.kernel})) << '|'
         << sizes(call.global, call.dimensions) << '|' << sizes(call.local, call.dimensions);
    found.push_back(line.str());
  }
  return found;
}

std::vector<std::string> Session::lines(const std::string& word) const {
  std::vector<std::string> found;
  std::istringstream text(outcome.out);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(word + " ")) found.push_back(line.substr(word.size() + 1));
  return found;
}

Session run_with_layer(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  Session run;
  run.outcome = tools::run(
      {.words = words(arguments),
       .environment = {"OPENCL_LAYERS=" ISTHMUS_RECORD_LAYER, "ISTHMUS_RECORD_DIR=" + folder.path().string()}});
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    run.journals.push_back(read_journal(entry.path()));
  std::ranges::sort(run.journals, {}, [](const Recorded& one) { return one.process.monotonic; });
  return run;
}

Session run_alone(const std::vector<std::string>& arguments) {
  return {.outcome = tools::run({.words = words(arguments)}), .journals = {}};
}

}  // namespace isthmus::layer
