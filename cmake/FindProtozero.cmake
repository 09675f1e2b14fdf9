# Protozero::protozero, the header-only protocol buffer writer.
include(FindPackageHandleStandardArgs)
find_path(Protozero_INCLUDE_DIR protozero/pbf_writer.hpp)
mark_as_advanced(Protozero_INCLUDE_DIR)
find_package_handle_standard_args(Protozero REQUIRED_VARS Protozero_INCLUDE_DIR)
if(Protozero_FOUND AND NOT TARGET Protozero::protozero)
  add_library(Protozero::protozero INTERFACE IMPORTED)
  set_target_properties(Protozero::protozero PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Protozero_INCLUDE_DIR}")
endif()
