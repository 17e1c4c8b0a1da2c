#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace isthmus {

/// The file or folder `relative` (such as kernels/image_filter.cl) that came with this program: in the nearest folder
/// above the executable that has it, which is the package when installed and the checkout when built there.
/// Throws Error if there is none.
std::filesystem::path data_file(const std::filesystem::path& relative);

/// The same for one that may be missing.
std::optional<std::filesystem::path> find_data_file(const std::filesystem::path& relative);

/// From now on data files that no folder above the executable has are looked for in `folder`: a user's program does not
/// lie in the package.
void look_for_data_in(const std::filesystem::path& folder);

/// All bytes of a file, none of an empty one. Throws Error "FILE: cannot read WHAT" where it cannot be read to its end.
std::string read_whole(const std::filesystem::path& file, std::string_view what);

}  // namespace isthmus
