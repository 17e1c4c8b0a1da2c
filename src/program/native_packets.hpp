#pragma once

#include "program/native.hpp"

namespace isthmus::program {

/// Runs an application on threads whose messages are packets, in memory of this machine: they lie there before the
/// measured time, a batch after the other, and are compared after it.
NativeRun run_packets_in_memory(const Job& job);

/// The same over a line between two network interfaces or sockets of this machine, with a neighbour at its other end.
NativeRun run_packets_over_line(const Job& job);

/// Whether a line of the system carries packets, which has ends of its own.
bool over_line(const Packets& packets);

/// By what carries them (Packets::transport).
NativeRun run_packets(const Job& job);

}  // namespace isthmus::program
