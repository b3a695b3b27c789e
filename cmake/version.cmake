# Writes a source that says which release and which commit it belongs to.
#
#   cmake -D RELEASE=0.2.0 -D SOURCE=DIR -D INPUT=version.cc.in
#         -D OUTPUT=version.cc -P version.cmake
#
# Every build runs it.  It leaves OUTPUT alone when nothing has changed, so
# nothing is compiled again then.  Git fills in the next line when it makes an
# archive; elsewhere git is asked, and without git the release has to do.
cmake_minimum_required(VERSION 3.25)
set(commit "$Format:%H$")

set(changed)
if(commit MATCHES Format)
  set(commit)
  find_program(GIT git)
  # A tree without .git may lie in somebody else's repository.
  if(GIT AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse HEAD
                    OUTPUT_VARIABLE commit ERROR_QUIET)
    execute_process(COMMAND ${GIT} -C ${SOURCE} --no-optional-locks status
                            --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changed ERROR_QUIET)
  endif()
endif()

set(VERSION ${RELEASE})
if(commit MATCHES "^([0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f])")
  set(VERSION "${RELEASE} (${CMAKE_MATCH_1})")
  if(changed)
    set(VERSION "${RELEASE} (${CMAKE_MATCH_1}-dirty)")
  endif()
endif()
# When the release was made, as the changelog says; empty: not yet.
set(RELEASED)
if(EXISTS ${SOURCE}/CHANGELOG.md)
  file(STRINGS ${SOURCE}/CHANGELOG.md RELEASED REGEX "^## ${RELEASE} - ")
  string(REGEX REPLACE "^.* - " "" RELEASED "${RELEASED}")
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)
