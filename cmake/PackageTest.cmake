# Installs the build into a folder of its own, then configures, builds and runs a project that finds
# it there; then a driver, and runs the installed program with it. In: BUILD, SOURCE, DRIVER, COMPILER,
# SANITIZE, COVERAGE, EXAMPLE.
set(prefix ${BUILD}/package/prefix)
set(outside ${BUILD}/package/outside)
file(REMOVE_RECURSE ${BUILD}/package)

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
set(link_flags "")
if(COVERAGE)
  set(link_flags "--coverage")  # the libraries need its runtime; the project itself is not counted
endif()

function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: ${result}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${outside} -DCMAKE_PREFIX_PATH=${prefix}
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${flags}
  -DCMAKE_EXE_LINKER_FLAGS=${link_flags} -DEXAMPLE=${EXAMPLE})
run(${CMAKE_COMMAND} --build ${outside})
run(${outside}/outside)
run(${outside}/two_processes)
if(EXISTS ${prefix}/bin/fenceline)
  run(${prefix}/bin/fenceline --version)
  # Elsewhere, it finds the scenarios that came with it, and the pages lie beside them.
  run(${CMAKE_COMMAND} -E chdir ${prefix}/bin ./fenceline list --json)
  if(NOT EXISTS ${prefix}/share/doc/fenceline/reference/command_line.md)
    message(FATAL_ERROR "the documentation is not installed")
  endif()
  set(driver ${BUILD}/package/driver)
  run(${CMAKE_COMMAND} -G Ninja -S ${DRIVER} -B ${driver} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${flags}
    -DCMAKE_MODULE_LINKER_FLAGS=${link_flags})
  run(${CMAKE_COMMAND} --build ${driver})
  # This driver never names a fence: the run ends as expected, with NULL arrays only.
  run(${prefix}/bin/fenceline run --trace none --kmd ${driver}/always_null.so
    --set /expect/counters/notify.fences=0
    ${prefix}/share/fenceline/scenarios/native_fence/figure_41_42.json)
endif()
