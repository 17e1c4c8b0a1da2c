# hwloc, which tells which cores there are: the target Hwloc::hwloc. Debian's libhwloc-dev has no CMake file of its own.
# Comes with the installed package too, for those who link Isthmus::base. The archive goes first: the shared library brings
# libudev, for devices that Isthmus does not ask hwloc for.
find_path(Hwloc_INCLUDE_DIR hwloc.h DOC "hwloc's headers (Debian's libhwloc-dev)")
find_library(Hwloc_LIBRARY NAMES libhwloc.a hwloc DOC "hwloc's library (Debian's libhwloc-dev)")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Hwloc REQUIRED_VARS Hwloc_LIBRARY Hwloc_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian's package libhwloc-dev has both")
if(Hwloc_FOUND AND NOT TARGET Hwloc::hwloc)
  add_library(Hwloc::hwloc UNKNOWN IMPORTED)
  set_target_properties(Hwloc::hwloc PROPERTIES IMPORTED_LOCATION "${Hwloc_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Hwloc_INCLUDE_DIR}")
endif()
mark_as_advanced(Hwloc_INCLUDE_DIR Hwloc_LIBRARY)
