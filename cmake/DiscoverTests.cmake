# Read by ctest: asks a test program for its cases and registers each. Unlike Catch2's own script it
# runs when ctest does, and a program that is missing, crashes or lists nothing is a failing test.
# In: cmake, program, file (the cached list), label, timeout, folder, environment.
if(NOT EXISTS "${program}")
  add_test("${label}.NOT_BUILT" "${program}")
  set_tests_properties("${label}.NOT_BUILT" PROPERTIES LABELS "${label}")
  return()
endif()
if("${program}" IS_NEWER_THAN "${file}")
  execute_process(
    COMMAND "${cmake}" -E env ${environment} ASAN_OPTIONS=detect_leaks=0
      "${program}" --list-test-names-only
    RESULT_VARIABLE result OUTPUT_VARIABLE names ERROR_VARIABLE errors OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" names "${names}")
  set(script "")
  foreach(name IN LISTS names)
    if(NOT name MATCHES "^[-A-Za-z0-9 :_]+$")
      set(script "add_test([==[${label}.BAD_NAME ${name}]==] false)\n")
      break()
    endif()
    string(APPEND script
      "add_test([==[${label}.${name}]==] [==[${program}]==] [==[${name}]==])\n"
      "set_tests_properties([==[${label}.${name}]==] PROPERTIES LABELS ${label} TIMEOUT ${timeout}"
      " SKIP_REGULAR_EXPRESSION [==[skipped: explore does not run]==]"
      " WORKING_DIRECTORY [==[${folder}]==] ENVIRONMENT [==[${environment}]==])\n")
  endforeach()
  if(script STREQUAL "")
    message("${program} listed no test cases (${result}): ${errors}")
    add_test("${label}.NO_TESTS" false)
    return()
  endif()
  file(WRITE "${file}" "${script}")
endif()
include("${file}")
