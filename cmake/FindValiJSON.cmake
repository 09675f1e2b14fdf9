# ValiJSON::valijson, the header-only JSON Schema validator.
include(FindPackageHandleStandardArgs)
find_path(ValiJSON_INCLUDE_DIR valijson/validator.hpp)
mark_as_advanced(ValiJSON_INCLUDE_DIR)
find_package_handle_standard_args(ValiJSON REQUIRED_VARS ValiJSON_INCLUDE_DIR)
if(ValiJSON_FOUND AND NOT TARGET ValiJSON::valijson)
  add_library(ValiJSON::valijson INTERFACE IMPORTED)
  set_target_properties(ValiJSON::valijson PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${ValiJSON_INCLUDE_DIR}")
endif()
