# One library a folder.
include(GNUInstallDirs)

# Every library that exists, for the tests (which link all) and the installation.
define_property(GLOBAL PROPERTY FENCELINE_LIBRARIES)

# What SystemC code compiles against in every target that uses it.
set(FENCELINE_SYSTEMC_DEFINITIONS SC_INCLUDE_DYNAMIC_PROCESSES)

# fenceline_make_pch(<target> [HEADERS <header>...] [OPTIONS <option>...]): precompiles the headers
# that every SystemC source reads, and HEADERS, for targets with the same OPTIONS. No header for
# which templates are instantiated: every source that reads it would do that again.
function(fenceline_make_pch target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;OPTIONS")
  if(NOT FENCELINE_PCH)
    return()
  endif()
  file(CONFIGURE OUTPUT ${FENCELINE_GENERATED_DIR}/${target}.cpp CONTENT "// carries the precompiled header\n")
  add_library(${target} OBJECT ${FENCELINE_GENERATED_DIR}/${target}.cpp)
  fenceline_warnings(${target})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${target} PRIVATE SystemC::systemc)
  target_compile_definitions(${target} PRIVATE ${FENCELINE_SYSTEMC_DEFINITIONS})
  target_precompile_headers(${target} PRIVATE
    <systemc> <tlm> <tlm_utils/simple_initiator_socket.h> <tlm_utils/simple_target_socket.h>
    <algorithm> <array> <cstdint> <deque> <functional> <map> <memory> <optional> <string>
    <string_view> <unordered_map> <utility> <variant> <vector> ${arg_HEADERS})
endfunction()

# fenceline_use_pch(<target> [<maker>]): lets a target that uses SystemC read the precompiled headers
# that fenceline_make_pch(<maker>) makes; default: those of the libraries.
function(fenceline_use_pch target)
  set(maker fenceline_pch)
  if(ARGN)
    set(maker ${ARGN})
  endif()
  if(FENCELINE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${maker})
  endif()
endfunction()

# fenceline_library(<name> <folder> [SYSTEMC] [PIC] [WITHOUT <file>...] [LINKS <name>...]
#                   [EXTERNAL <target>...])
# Makes fenceline_<name> (alias fenceline::<name>) of all .cpp in <folder> and its rooms; INTERFACE when there are
# only headers, nothing at all when there is no folder. LINKS to libraries that do not exist are dropped.
function(fenceline_library name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "SYSTEMC;PIC" "" "WITHOUT;LINKS;EXTERNAL")
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h ${folder}/*/*.h)
  list(TRANSFORM arg_WITHOUT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/)
  list(REMOVE_ITEM sources ${arg_WITHOUT})
  if(NOT sources AND NOT headers)
    return()
  endif()

  set(target fenceline_${name})
  if(sources)
    set(visibility PUBLIC)
    add_library(${target} STATIC ${sources} ${headers})
    fenceline_warnings(${target})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ${arg_PIC})
    if(arg_SYSTEMC)
      fenceline_use_pch(${target})
    endif()
  else()
    set(visibility INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(fenceline::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})

  target_include_directories(${target} ${visibility}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${FENCELINE_GENERATED_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/fenceline>)
  target_compile_features(${target} ${visibility} cxx_std_17)
  foreach(link IN LISTS arg_LINKS)
    if(TARGET fenceline_${link})
      target_link_libraries(${target} ${visibility} fenceline_${link})
    endif()
  endforeach()
  target_link_libraries(${target} ${visibility} ${arg_EXTERNAL})
  if(arg_SYSTEMC)
    target_link_libraries(${target} ${visibility} SystemC::systemc)
    target_compile_definitions(${target} ${visibility} ${FENCELINE_SYSTEMC_DEFINITIONS})
  endif()
  set_property(GLOBAL APPEND PROPERTY FENCELINE_LIBRARIES ${target})
  set_property(GLOBAL APPEND PROPERTY FENCELINE_HEADER_FOLDERS ${folder})
endfunction()

# fenceline_program(<target> <main.cpp> [PLAIN] [LINKS <name>...]): a SystemC program, or with PLAIN one
# without it; nothing without its main.
function(fenceline_program target main)
  cmake_parse_arguments(PARSE_ARGV 2 arg "PLAIN" "" "LINKS")
  file(GLOB source CONFIGURE_DEPENDS ${main})
  if(NOT source)
    return()
  endif()
  add_executable(${target} ${source})
  fenceline_warnings(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${FENCELINE_GENERATED_DIR})
  if(NOT arg_PLAIN)
    target_compile_definitions(${target} PRIVATE ${FENCELINE_SYSTEMC_DEFINITIONS})
    target_link_libraries(${target} PRIVATE SystemC::systemc)
    fenceline_use_pch(${target})
  endif()
  foreach(link IN LISTS arg_LINKS)
    if(TARGET fenceline_${link})
      target_link_libraries(${target} PRIVATE fenceline_${link})
    endif()
  endforeach()
endfunction()

# fenceline_driver_module(<target> <library>...): the driver as a shared library for `--kmd`; it holds
# every object of the driver's own libraries, and exports DriverEntry.
function(fenceline_driver_module target)
  set(objects)
  set(links)
  foreach(name IN LISTS ARGN)
    if(TARGET fenceline_${name})
      list(APPEND links fenceline_${name})
      get_target_property(type fenceline_${name} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        list(APPEND objects $<TARGET_OBJECTS:fenceline_${name}>)
      endif()
    endif()
  endforeach()
  if(NOT objects)
    return()
  endif()
  add_library(${target} MODULE ${objects})
  set_target_properties(${target} PROPERTIES PREFIX "" LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  if(TARGET fenceline_abi)
    target_link_libraries(${target} PRIVATE fenceline_abi)
  endif()
  if(NOT FENCELINE_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  add_dependencies(${target} ${links})
endfunction()
