# SystemC::systemc. Upstream builds bring a CMake package, distributions only a .pc file or nothing.
include(FindPackageHandleStandardArgs)
find_package(SystemCLanguage CONFIG QUIET)
if(SystemCLanguage_FOUND)
  set(SystemC_VERSION ${SystemCLanguage_VERSION})
  set(SystemC_INCLUDE_DIR config)
  set(SystemC_LIBRARY config)
else()
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(PC_SYSTEMC QUIET systemc)
  endif()
  find_path(SystemC_INCLUDE_DIR systemc
    HINTS ${PC_SYSTEMC_INCLUDE_DIRS} ENV SYSTEMC_HOME PATH_SUFFIXES include)
  find_library(SystemC_LIBRARY systemc
    HINTS ${PC_SYSTEMC_LIBRARY_DIRS} ENV SYSTEMC_HOME PATH_SUFFIXES lib lib-linux64 lib64)
  set(version_header "${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h")
  if(EXISTS "${version_header}")
    file(STRINGS "${version_header}" numbers REGEX "#define SC_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
    string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*PATCH +([0-9]+).*" "\\1.\\2.\\3"
      SystemC_VERSION "${numbers}")
  endif()
  mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)
endif()
find_package_handle_standard_args(SystemC
  REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR VERSION_VAR SystemC_VERSION)
if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  find_package(Threads REQUIRED)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES IMPORTED_LOCATION "${SystemC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
