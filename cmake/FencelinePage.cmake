# The page report.html: TypeScript and style of tb/report/web, as bytes in a source file.

# fenceline_embed_page(<target>): gives a target the definition of page_shell(). Without esbuild the
# shell is empty. See tb/report/writers/page_shell.h.
function(fenceline_embed_page target)
  find_program(FENCELINE_ESBUILD esbuild)
  mark_as_advanced(FENCELINE_ESBUILD)
  set(folder ${PROJECT_SOURCE_DIR}/tb/report/web)
  set(output ${FENCELINE_GENERATED_DIR}/page_shell.cpp)
  set(join ${CMAKE_COMMAND} -DOUTPUT=${output} -DSHELL=${folder}/shell.html)
  set(joiner ${PROJECT_SOURCE_DIR}/cmake/JoinPage.cmake)
  if(NOT FENCELINE_ESBUILD)
    message(STATUS "esbuild is not there: runs write no report.html")
    add_custom_command(OUTPUT ${output} COMMAND ${join} -P ${joiner} DEPENDS ${joiner} VERBATIM
      COMMENT "Writing an empty shell of report.html")
  else()
    file(GLOB scripts CONFIGURE_DEPENDS ${folder}/src/*.ts ${folder}/src/*/*.ts)
    set(script ${FENCELINE_GENERATED_DIR}/page.js)
    set(style ${FENCELINE_GENERATED_DIR}/page.css)
    set(minify --minify --charset=ascii --log-level=warning)
    add_custom_command(OUTPUT ${output}
      COMMAND ${FENCELINE_ESBUILD} ${folder}/src/main.ts --bundle --format=iife --target=es2020
        ${minify} --outfile=${script}
      COMMAND ${FENCELINE_ESBUILD} ${folder}/style.css ${minify} --outfile=${style}
      COMMAND ${join} -DSCRIPT=${script} -DSTYLE=${style} -P ${joiner}
      DEPENDS ${scripts} ${folder}/style.css ${folder}/shell.html ${joiner}
      BYPRODUCTS ${script} ${style} ${FENCELINE_GENERATED_DIR}/page_shell.html
      VERBATIM COMMENT "Bundling report.html")
  endif()
  target_sources(${target} PRIVATE ${output})
endfunction()
