# cmake -DOUTPUT=... -DNAME=... -DSHELL=... -DMARKS=... [-DSCRIPT=... -DSTYLE=...] -P JoinPage.cmake
# Puts style and script into the shell of report.html, which must have the MARKS for data. Writes it
# as the source of the function NAME_page(), and as an HTML file beside it for the tests of the page.
# Without a script the shell is empty.
cmake_minimum_required(VERSION 3.25)

# Cuts a text at a mark, which must be there exactly once: sets before and after in the caller.
function(cut text mark)
  string(FIND "${text}" "${mark}" at)
  string(FIND "${text}" "${mark}" last REVERSE)
  if(at EQUAL -1 OR NOT at EQUAL last)
    message(FATAL_ERROR "report.html must hold ${mark} exactly once")
  endif()
  string(LENGTH "${mark}" length)
  math(EXPR rest "${at} + ${length}")
  string(SUBSTRING "${text}" 0 ${at} before)
  string(SUBSTRING "${text}" ${rest} -1 after)
  set(before "${before}" PARENT_SCOPE)
  set(after "${after}" PARENT_SCOPE)
endfunction()

# Fails if a text holds what would end its element early.
function(refuse text)
  string(TOLOWER "${text}" lower)
  foreach(word IN LISTS ARGN)
    string(FIND "${lower}" "${word}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "report.html: the bundle holds ${word}")
    endif()
  endforeach()
endfunction()

set(page "")
if(SCRIPT)
  file(READ ${SHELL} shell)
  file(READ ${SCRIPT} script)
  file(READ ${STYLE} style)
  refuse("${script}" "</script" "<!--")
  refuse("${style}" "</style" "<!--")
  string(STRIP "${script}" script)
  string(STRIP "${style}" style)
  cut("${shell}" "@style@")
  string(CONCAT shell "${before}" "${style}" "${after}")
  cut("${shell}" "@script@")
  string(CONCAT page "${before}" "${script}" "${after}")
  separate_arguments(MARKS)
  foreach(mark IN LISTS MARKS)
    cut("${page}" "{{${mark}}}")
  endforeach()
endif()

cmake_path(REPLACE_EXTENSION OUTPUT html OUTPUT_VARIABLE html)
file(WRITE ${html} "${page}")
file(READ ${html} bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"tb/report/writers/page_shell.h\"
namespace fenceline::report {
PageKind ${NAME}_page() {
  static constexpr char kShell[]{${bytes}'\\0'};
  return {\"${NAME}\", {kShell, sizeof(kShell) - 1}};
}
}  // namespace fenceline::report
")
