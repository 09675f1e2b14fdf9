# Test binaries, their discovery by ctest, and checks that are scripts.

# The scripts use the standard library only; prefer the interpreter that Debian's modules belong to.
find_program(FENCELINE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(FENCELINE_PYTHON python3 REQUIRED)
mark_as_advanced(FENCELINE_PYTHON)

# Stacks are recorded far enough down for cmake/lsan.supp to know them.
set(FENCELINE_TEST_ENVIRONMENT
  SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1
  SC_DEPRECATION_WARNINGS=DISABLE
  "ASAN_OPTIONS=detect_stack_use_after_return=0:strict_string_checks=1:malloc_context_size=80"
  "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0"
  "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")

# Time limits are made for the release build on a machine that is not idle; these builds are slower.
set(FENCELINE_TIMEOUT_FACTOR 1)
if(FENCELINE_SANITIZE OR FENCELINE_COVERAGE OR CMAKE_BUILD_TYPE STREQUAL O0)
  set(FENCELINE_TIMEOUT_FACTOR 6)
endif()

# Half the time to compile; what takes time in a test is in the libraries.
set(FENCELINE_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)

# One ctest entry for all cases of the files test_<name>.cpp. The program takes longer to start than most
# cases take.
function(fenceline_test_files target sources label timeout)
  set(files)
  foreach(source IN LISTS sources)
    get_filename_component(file ${source} NAME_WE)
    if(file MATCHES "^test_")
      list(APPEND files ${file})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES files)
  foreach(file IN LISTS files)
    string(REGEX REPLACE "^test_" "" name ${file})
    add_test(NAME ${label}.${name} COMMAND ${target} --filenames-as-tags "[#${file}]"
      WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout}
      ENVIRONMENT "${FENCELINE_TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# fenceline_tests(<target> LABEL <label> TIMEOUT <seconds> [BY_FILE]): the binary of all .cpp in the
# folder named by the label, one ctest entry a case, found when ctest runs, or one a file; nothing
# while the folder is empty.
function(fenceline_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "BY_FILE" "LABEL;TIMEOUT" "")
  file(GLOB sources CONFIGURE_DEPENDS ${arg_LABEL}/*.cpp ${arg_LABEL}/*/*.cpp)
  if(NOT sources)
    return()
  endif()
  get_property(libraries GLOBAL PROPERTY FENCELINE_LIBRARIES)
  add_executable(${target} ${sources} $<TARGET_OBJECTS:fenceline_test_main>)
  fenceline_warnings(${target})
  target_compile_options(${target} PRIVATE ${FENCELINE_TEST_OPTIONS})
  # Each file has a namespace of its own. Larger batches leave a core idle at the end of a build.
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 12)
  # Of an inline function that several objects hold, the linker takes the first: that of a library, which
  # is optimised.
  set(archives)
  foreach(library IN LISTS libraries)
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND archives $<TARGET_FILE:${library}>)
    endif()
  endforeach()
  target_link_options(${target} PRIVATE LINKER:--whole-archive ${archives} LINKER:--no-whole-archive)
  target_link_libraries(${target} PRIVATE fenceline_support ${libraries})
  fenceline_use_pch(${target} fenceline_test_pch)
  if(TARGET fenceline)
    target_compile_definitions(${target} PRIVATE "FENCELINE_PROGRAM=\"$<TARGET_FILE:fenceline>\"")
    add_dependencies(${target} fenceline)
  endif()
  foreach(driver kmd fatal_kmd event_kmd broken_kmd hostile_kmd)
    if(TARGET fenceline_${driver})
      string(TOUPPER ${driver} name)
      target_compile_definitions(${target} PRIVATE
        "FENCELINE_${name}=\"$<TARGET_FILE:fenceline_${driver}>\"")
      add_dependencies(${target} fenceline_${driver})
    endif()
  endforeach()

  math(EXPR timeout "${arg_TIMEOUT} * ${FENCELINE_TIMEOUT_FACTOR}")
  if(arg_BY_FILE)
    fenceline_test_files(${target} "${sources}" ${arg_LABEL} ${timeout})
    return()
  endif()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_tests.cmake)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}_discover.cmake CONTENT
"set(cmake [==[${CMAKE_COMMAND}]==])
set(program [==[$<TARGET_FILE:${target}>]==])
set(file [==[${file}]==])
set(label [==[${arg_LABEL}]==])
set(timeout ${timeout})
set(folder [==[${CMAKE_CURRENT_BINARY_DIR}]==])
set(environment [==[${FENCELINE_TEST_ENVIRONMENT}]==])
include([==[${PROJECT_SOURCE_DIR}/cmake/DiscoverTests.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES
    ${CMAKE_CURRENT_BINARY_DIR}/${target}_discover.cmake)
endfunction()

# fenceline_check(<name> LABEL <label> COMMAND ...): a test that is a command run in the source tree.
function(fenceline_check name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "COMMAND")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  math(EXPR timeout "${arg_TIMEOUT} * ${FENCELINE_TIMEOUT_FACTOR}")
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${timeout}
    ENVIRONMENT "${FENCELINE_TEST_ENVIRONMENT}")
endfunction()
