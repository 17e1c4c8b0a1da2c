#pragma once

#include <string>
#include <vector>

#include "isthmus/base/record.hpp"
#include "isthmus/native.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"
#include "isthmus/platform/schema.hpp"
#include "isthmus/platform/system.hpp"

namespace isthmus::platform {

/// A record's description of the platform that it was modelled on: file (its last part), name, sha256, its parts and
/// every input with its source.
Record to_json(const Description& description);

/// The content of a system file: its nodes with the parts of their hosts, its boards with the file and the hash of each
/// one's platform, its wires.
Record to_json(const System& system);

/// A kind of parts, its keys apart.
Record to_json(const PartKind& kind);

/// A key that a part called `section` may hold: its name and meaning, the least and the most that it may be in base
/// units, and its units, each with how many base units it is.
Record to_json(const PartKind& kind, const std::string& section, const Key& key);

/// A record's description of the parts of a model, and of the one that held the run back.
Record to_json(const std::vector<Part>& parts);
Record to_json(const Limit& limit);

/// A record's description of a run on threads: for each worker its core, null where it is not pinned, and its actors.
Record to_json(const std::vector<native::WorkerReport>& workers);

}  // namespace isthmus::platform
