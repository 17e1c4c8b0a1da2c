# libpcap, which reads and writes traces of packets: the target Pcap::pcap. It has no CMake file of its own. The archive goes
# first: the shared library brings libdbus and libsystemd, for captures that Isthmus makes none of.
find_path(Pcap_INCLUDE_DIR pcap/pcap.h DOC "libpcap's headers (Debian's libpcap-dev)")
find_library(Pcap_LIBRARY NAMES libpcap.a pcap DOC "libpcap's library (Debian's libpcap-dev)")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Pcap REQUIRED_VARS Pcap_LIBRARY Pcap_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian's package libpcap-dev has both")
if(Pcap_FOUND AND NOT TARGET Pcap::pcap)
  add_library(Pcap::pcap UNKNOWN IMPORTED)
  set_target_properties(Pcap::pcap PROPERTIES IMPORTED_LOCATION "${Pcap_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Pcap_INCLUDE_DIR}")
endif()
mark_as_advanced(Pcap_INCLUDE_DIR Pcap_LIBRARY)
