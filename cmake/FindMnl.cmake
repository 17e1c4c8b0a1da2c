# libmnl, which writes and reads messages of netlink: the target Mnl::mnl. It has no CMake file of its own. Comes with the
# installed package too, for those who link Isthmus::program.
find_path(Mnl_INCLUDE_DIR libmnl/libmnl.h DOC "libmnl's headers (Debian's libmnl-dev)")
find_library(Mnl_LIBRARY mnl DOC "libmnl's library (Debian's libmnl-dev)")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Mnl REQUIRED_VARS Mnl_LIBRARY Mnl_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian's package libmnl-dev has both")
if(Mnl_FOUND AND NOT TARGET Mnl::mnl)
  add_library(Mnl::mnl UNKNOWN IMPORTED)
  set_target_properties(Mnl::mnl PROPERTIES IMPORTED_LOCATION "${Mnl_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Mnl_INCLUDE_DIR}")
endif()
mark_as_advanced(Mnl_INCLUDE_DIR Mnl_LIBRARY)
