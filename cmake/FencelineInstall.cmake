# Installation: program, driver module, static libraries, headers, scenarios, CMake package.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fenceline)

get_property(libraries GLOBAL PROPERTY FENCELINE_LIBRARIES)
if(libraries)
  install(TARGETS ${libraries} EXPORT fencelineTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT fencelineTargets NAMESPACE fenceline:: DESTINATION ${package_dir})
endif()
if(TARGET fenceline)
  install(TARGETS fenceline fenceline_live RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET fenceline_kmd)
  install(TARGETS fenceline_kmd LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/fenceline)
endif()

# Draws the tables of sweeps; the second file is how.
install(PROGRAMS scripts/figures/plot DESTINATION ${CMAKE_INSTALL_DATADIR}/fenceline/scripts)
install(FILES scripts/figures/drawing.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fenceline/scripts)

get_property(folders GLOBAL PROPERTY FENCELINE_HEADER_FOLDERS)
foreach(folder IN LISTS folders)
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fenceline/${folder}
    FILES_MATCHING PATTERN *.h PATTERN *.def)
endforeach()
install(FILES ${FENCELINE_GENERATED_DIR}/fenceline_version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fenceline)
if(EXISTS ${PROJECT_SOURCE_DIR}/scenarios)
  install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/fenceline
    FILES_MATCHING PATTERN *.json)
endif()

install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/fenceline
  FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png)

configure_package_config_file(cmake/fencelineConfig.cmake.in
  ${FENCELINE_GENERATED_DIR}/fencelineConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${FENCELINE_GENERATED_DIR}/fencelineConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${FENCELINE_GENERATED_DIR}/fencelineConfig.cmake
  ${FENCELINE_GENERATED_DIR}/fencelineConfigVersion.cmake
  cmake/FencelineDependencies.cmake cmake/FindSystemC.cmake cmake/FindValiJSON.cmake
  cmake/FindProtozero.cmake
  DESTINATION ${package_dir})
