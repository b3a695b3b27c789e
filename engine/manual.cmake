# Writes the pages of the manual, which the program has of itself.
#
#   cmake -D PROGRAM=coppice -D FOLDER=share/man/man1 -D GZIP=gzip
#         -P manual.cmake
cmake_minimum_required(VERSION 3.25)

# A page of a verb that is no more goes.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PROGRAM} completion words -- help ""
                OUTPUT_VARIABLE verbs COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\t[^\n]*\n" ";" verbs "${verbs}")
list(REMOVE_ITEM verbs "")
function(page name)
  set(file ${FOLDER}/${name}.1)
  execute_process(COMMAND ${PROGRAM} help --man ${ARGN} OUTPUT_FILE ${file}
                  COMMAND_ERROR_IS_FATAL ANY)
  if(GZIP)
    execute_process(COMMAND ${GZIP} -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endfunction()
page(coppice)
foreach(verb IN LISTS verbs)
  page(coppice-${verb} ${verb})
endforeach()
