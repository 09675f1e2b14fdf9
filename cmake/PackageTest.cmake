# Installs the build into a folder of its own, then configures, builds and runs a project that finds
# it there. In: BUILD, SOURCE, COMPILER, SANITIZE, COVERAGE.
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
  -DCMAKE_EXE_LINKER_FLAGS=${link_flags})
run(${CMAKE_COMMAND} --build ${outside})
run(${outside}/outside)
if(EXISTS ${prefix}/bin/fenceline)
  run(${prefix}/bin/fenceline --version)
endif()
