#include <fmt/format.h>

#include <deque>
#include <map>

#include "fabric/dram_bench.hpp"

// Works from the data sheet's times, not from the controller's rounded cycles: a command may come 2.6 % of a cycle
// early (JESD79-4, rounding algorithms).
namespace isthmus::fabric::test {
namespace {

using Kind = DramCommandKind;

bool is_column(const DramCommand& command) {
  return command.kind == Kind::read || command.kind == Kind::write;
}

class Checker {
 public:
  explicit Checker(const DramSpec& spec) : spec_(spec), tck_(1.0 / spec.clock.hertz()) {}

  std::vector<std::string> check(const std::vector<DramCommand>& commands) {
    std::int64_t previous = -1;
    for (const DramCommand& command : commands) {
      require(command.cycle > previous, "one command a cycle", command);
      previous = command.cycle;
      against_all_before(command);
      follow_rows(command);
      past_.push_back(command);
      if (past_.size() > kWindow) past_.pop_front();
    }
    return found_;
  }

 private:
  static constexpr std::size_t kWindow = 256;

  void require(bool holds, const char* rule, const DramCommand& command) {
    if (!holds && found_.size() < 10) found_.push_back(fmt::format("{} broken at cycle {}", rule, command.cycle));
  }
  void apart(const DramCommand& a, const DramCommand& b, double seconds, const char* rule) {
    require(static_cast<double>(b.cycle - a.cycle) * tck_ >= seconds - 0.026 * tck_, rule, b);
  }

  void against_all_before(const DramCommand& now) {
    int activates = 0;
    for (auto before = past_.rbegin(); before != past_.rend(); ++before) {
      if (before->kind == Kind::activate && now.kind == Kind::activate && ++activates == 4)
        apart(*before, now, spec_.tFAW.seconds(), "tFAW");
      between(*before, now);
    }
  }

  void between(const DramCommand& a, const DramCommand& b) {
    const bool group = a.bank_group == b.bank_group;
    const bool bank = a.bank == b.bank;
    const double burst = spec_.burst_length / 2 * tck_;
    const double write_end = spec_.CWL * tck_ + burst;
    if (a.kind == Kind::activate && b.kind == Kind::activate)
      apart(a, b, (group ? spec_.tRRD_L : spec_.tRRD_S).seconds(), "tRRD");
    if (a.kind == Kind::activate && bank && is_column(b)) apart(a, b, spec_.tRCD.seconds(), "tRCD");
    if (a.kind == Kind::activate && closes(b, a)) apart(a, b, spec_.tRAS.seconds(), "tRAS");
    if (a.kind == Kind::read && closes(b, a)) apart(a, b, spec_.tRTP.seconds(), "tRTP");
    if (a.kind == Kind::write && closes(b, a)) apart(a, b, write_end + spec_.tWR.seconds(), "tWR");
    if (closes(a, b) && (b.kind == Kind::activate || b.kind == Kind::refresh)) apart(a, b, spec_.tRP.seconds(), "tRP");
    if (is_column(a) && a.kind == b.kind) apart(a, b, group ? spec_.tCCD_L.seconds() : spec_.tCCD_S * tck_, "tCCD");
    if (a.kind == Kind::write && b.kind == Kind::read)
      apart(a, b, write_end + (group ? spec_.tWTR_L : spec_.tWTR_S).seconds(), "tWTR");
    if (a.kind == Kind::read && b.kind == Kind::write)
      apart(a, b, (spec_.CL + spec_.turnaround - spec_.CWL) * tck_ + burst, "turnaround");
    if (a.kind == Kind::refresh) apart(a, b, spec_.tRFC.seconds(), "tRFC");
  }

  /// Tells whether `close` precharges the bank of `other`.
  static bool closes(const DramCommand& close, const DramCommand& other) {
    return close.kind == Kind::precharge_all || other.kind == Kind::refresh
               ? close.kind == Kind::precharge_all || close.kind == Kind::precharge
               : close.kind == Kind::precharge && close.bank == other.bank;
  }

  void follow_rows(const DramCommand& now) {
    if (now.kind == Kind::activate) {
      require(!open_.contains(now.bank), "activate of an open bank", now);
      open_[now.bank] = now.row;
    } else if (now.kind == Kind::precharge) {
      open_.erase(now.bank);
    } else if (now.kind == Kind::precharge_all) {
      open_.clear();
    } else if (now.kind == Kind::refresh) {
      require(open_.empty(), "refresh of closed banks", now);
      ++refreshes_;
      const double due = static_cast<double>(refreshes_) * spec_.tREFI.seconds();
      const double at = static_cast<double>(now.cycle) * tck_;
      require(at >= due - spec_.tREFI.seconds() && at < due + 8 * spec_.tREFI.seconds(), "tREFI", now);
    } else {
      require(open_.contains(now.bank) && open_[now.bank] == now.row, "column command to the open row", now);
    }
    const double due = static_cast<double>(refreshes_ + 9) * spec_.tREFI.seconds();
    require(static_cast<double>(now.cycle) * tck_ < due, "tREFI", now);
  }

  const DramSpec& spec_;
  double tck_;
  std::deque<DramCommand> past_;
  std::map<int, std::int64_t> open_;
  std::int64_t refreshes_ = 0;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> violations(const DramSpec& spec, const std::vector<DramCommand>& commands) {
  return Checker(spec).check(commands);
}

}  // namespace isthmus::fabric::test
