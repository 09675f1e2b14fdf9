# Options, and everything that holds for every file that is compiled.

option(FENCELINE_WERROR "Treat compiler warnings as errors" ON)
option(FENCELINE_COVERAGE "Instrument for gcov" OFF)
option(FENCELINE_PCH "Precompile <systemc>, <tlm> and the standard headers" ON)
option(FENCELINE_UNITY "Compile several sources of a target as one: for builds from nothing" OFF)
option(FENCELINE_TESTS "Build the tests and benchmarks" ON)
option(FENCELINE_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(FENCELINE_MUTANTS "Put faults into the model that --mutant turns on" OFF)
option(FENCELINE_KEEP_STATES "explore --keep-states keeps whole states beside hashes: a slower search" OFF)
set(FENCELINE_SANITIZE "" CACHE STRING "Sanitizers, for example: address,undefined")

set(CMAKE_CXX_STANDARD 17)  # Debian's libsystemc links with C++17 only
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(FENCELINE_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or O0" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")
set(CMAKE_CXX_FLAGS_O0 "-O0 -g1")

# The same bytes from any checkout: no absolute path in an object. gcov needs the real paths.
if(NOT FENCELINE_COVERAGE)
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
endif()

if(FENCELINE_SANITIZE)
  set(sanitize -fsanitize=${FENCELINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(FENCELINE_SANITIZE MATCHES address)
    # An exception that crosses a coroutine stack reads as a stack overflow; heap checks stay.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      list(APPEND sanitize "SHELL:-mllvm -asan-stack=0")
    else()
      list(APPEND sanitize "SHELL:--param asan-stack=0")
    endif()
  endif()
  add_compile_options(${sanitize})
  add_link_options(-fsanitize=${FENCELINE_SANITIZE})
endif()
if(FENCELINE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "FENCELINE_FUZZ needs clang++ (use the preset 'fuzz')")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(FENCELINE_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
  add_compile_definitions(FENCELINE_COVERAGE)
endif()
if(FENCELINE_KEEP_STATES)
  add_compile_definitions(FENCELINE_KEEP_STATES)
endif()
if(FENCELINE_MUTANTS)
  add_compile_definitions(FENCELINE_MUTANTS)
endif()

# The compiler collects its garbage later: a tenth of the time that large sources take.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=1000000)  # [kB]
endif()

# Headers cost more than our own lines: here they are read once for several sources.
if(FENCELINE_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
endif()

# Faster builds where the machine has the tools; both are optional.
find_program(FENCELINE_CCACHE ccache)
mark_as_advanced(FENCELINE_CCACHE)
if(FENCELINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros ${FENCELINE_CCACHE})
endif()
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold FENCELINE_HAS_MOLD)
if(FENCELINE_HAS_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# The warnings of our own code.
function(fenceline_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${FENCELINE_WERROR}>:-Werror>)
endfunction()
