# The pages report.html: TypeScript and style of tb/report/web, as bytes in source files; their
# colours for drawings.

# fenceline_embed_pages(<target>): gives a target the definitions of tb/report/writers/page_shell.h.
# Without esbuild the shells are empty. Each kind of page has a bundle of its own, so that a page
# holds no code that it does not run: the script KIND/main.ts, and one of two styles.
function(fenceline_embed_pages target)
  find_program(FENCELINE_ESBUILD esbuild)
  mark_as_advanced(FENCELINE_ESBUILD)
  if(NOT FENCELINE_ESBUILD)
    message(STATUS "esbuild is not there: no report.html is written")
  endif()
  foreach(kind IN ITEMS run comparison exploration)
    fenceline_embed_page(${target} ${kind} style.css)
  endforeach()
  foreach(kind IN ITEMS matrix sweep campaign)
    fenceline_embed_page(${target} ${kind} tables.css)
  endforeach()
endfunction()

# fenceline_embed_palette(): the light colours of palette.css, with the legend's words of colours.ts,
# as rows of a C++ table.
function(fenceline_embed_palette)
  set(sheet ${PROJECT_SOURCE_DIR}/tb/report/web/palette.css)
  set(script ${PROJECT_SOURCE_DIR}/tb/report/web/src/colours.ts)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sheet} ${script})
  file(READ ${script} classes)
  file(READ ${sheet} text)
  string(FIND "${text}" "@media" dark)
  string(SUBSTRING "${text}" 0 ${dark} light)
  string(REGEX MATCHALL "--[a-z]+: #[0-9a-f]+" colours "${light}")
  set(rows "")
  foreach(colour IN LISTS colours)
    string(REGEX MATCH "--([a-z]+): #([0-9a-f]+)" matched "${colour}")
    set(name ${CMAKE_MATCH_1})
    set(rgb ${CMAKE_MATCH_2})
    if(NOT classes MATCHES "\n  ${name}: '([^']+)',")
      message(FATAL_ERROR "colours.ts has no words for the colour ${name}")
    endif()
    string(APPEND rows "{\"${name}\", 0x${rgb}, \"${CMAKE_MATCH_1}\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${FENCELINE_GENERATED_DIR}/fenceline_palette.inc CONTENT "${rows}" @ONLY)
endfunction()

# fenceline_embed_live_page(<target>): gives a target the definition of live_page().
function(fenceline_embed_live_page target)
  fenceline_embed_page(${target} live live.css live.html)
endfunction()

# One kind of page and its style. A frame other than shell.html has no marks for data.
function(fenceline_embed_page target kind sheet)
  set(folder ${PROJECT_SOURCE_DIR}/tb/report/web)
  set(name ${FENCELINE_GENERATED_DIR}/${kind}_page)
  set(output ${name}.cpp)
  set(join ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAME=${kind})
  if(ARGN)
    set(frame ${folder}/${ARGN})
    list(APPEND join -DSHELL=${frame} -DMARKS=)
  else()
    set(frame ${folder}/shell.html)
    list(APPEND join -DSHELL=${frame} "-DMARKS=title meta columns")
  endif()
  set(joiner ${PROJECT_SOURCE_DIR}/cmake/JoinPage.cmake)
  if(NOT FENCELINE_ESBUILD)
    add_custom_command(OUTPUT ${output} COMMAND ${join} -P ${joiner} DEPENDS ${joiner} VERBATIM
      COMMENT "Writing an empty shell of report.html")
  else()
    file(GLOB scripts CONFIGURE_DEPENDS ${folder}/src/*.ts ${folder}/src/*/*.ts)
    file(GLOB styles CONFIGURE_DEPENDS ${folder}/*.css)
    set(script ${name}.js)
    set(style ${name}.css)
    set(bundle --bundle --minify --charset=ascii --log-level=warning)
    add_custom_command(OUTPUT ${output}
      COMMAND ${FENCELINE_ESBUILD} ${folder}/src/${kind}/main.ts ${bundle} --format=iife --target=es2022
        --outfile=${script}
      COMMAND ${FENCELINE_ESBUILD} ${folder}/${sheet} ${bundle} --outfile=${style}
      COMMAND ${join} -DSCRIPT=${script} -DSTYLE=${style} -P ${joiner}
      DEPENDS ${scripts} ${styles} ${frame} ${joiner}
      BYPRODUCTS ${script} ${style} ${name}.html
      VERBATIM COMMENT "Bundling the page of kind ${kind}")
  endif()
  target_sources(${target} PRIVATE ${output})
endfunction()
