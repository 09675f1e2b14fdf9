# fenceline_embed_profiles(<target>): puts the files of scenarios/profiles into a target, so that a
# run needs no file beside its scenario. See tb/scenario/profiles.h.
function(fenceline_embed_profiles target)
  set(output ${FENCELINE_GENERATED_DIR}/profiles_builtin.cpp)
  target_sources(${target} PRIVATE ${output})
  get_property(done GLOBAL PROPERTY FENCELINE_PROFILES_EMBEDDED)
  if(done)
    return()
  endif()
  set_property(GLOBAL PROPERTY FENCELINE_PROFILES_EMBEDDED yes)
  set(folder ${PROJECT_SOURCE_DIR}/scenarios/profiles)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*/*.json)
  set(entries "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    cmake_path(GET file STEM name)
    cmake_path(GET file PARENT_PATH kind)
    cmake_path(GET kind FILENAME kind)
    string(APPEND entries "{\"${kind}\", \"${name}\", R\"json(${text})json\"},\n")
  endforeach()
  file(GENERATE OUTPUT ${output} CONTENT "#include \"tb/scenario/profiles.h\"
namespace fenceline::scenario {
const std::vector<BuiltinProfile>& builtin_profiles() {
  static const std::vector<BuiltinProfile> profiles{
${entries}};
  return profiles;
}
}  // namespace fenceline::scenario
")
endfunction()
