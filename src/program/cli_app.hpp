#pragma once

/// What options are added to. CLI/CLI.hpp, of which it is, takes a compiler ten seconds: only who adds some includes
/// it.
namespace CLI {
class App;
}
