# The packages the libraries need. The installed package reads this file too.
include(CMakeFindDependencyMacro)

# find_dependency() returns from the file it stands in, so it serves the package only.
macro(fenceline_find)
  if(CMAKE_FIND_PACKAGE_NAME STREQUAL "fenceline")
    find_dependency(${ARGV})
  else()
    find_package(${ARGV} REQUIRED)
  endif()
endmacro()

fenceline_find(SystemC)
fenceline_find(fmt)
fenceline_find(spdlog)  # the compiled library with the external fmt
fenceline_find(nlohmann_json 3.10)
fenceline_find(Boost 1.74 COMPONENTS program_options)
fenceline_find(ValiJSON)
fenceline_find(Protozero)
fenceline_find(cereal)
fenceline_find(SQLite3)
fenceline_find(ZLIB)
fenceline_find(PkgConfig)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET GLOBAL libzstd)
