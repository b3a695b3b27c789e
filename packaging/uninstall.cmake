# Removes what the last `cmake --install` of a build tree put down: the files of
# its manifest, and coppice's own folders and those that it had made, if nothing
# else is in them.
#
#   cmake -D BUILD=DIR -P uninstall.cmake
#
# An installation made with DESTDIR is removed with the same DESTDIR.
cmake_minimum_required(VERSION 3.25)
if(NOT EXISTS "${BUILD}/install_manifest.txt")
  message(FATAL_ERROR "nothing is installed from ${BUILD}")
endif()
file(STRINGS "${BUILD}/install_manifest.txt" files)
file(STRINGS "${BUILD}/install_folders.txt" made)

set(folders)
foreach(file IN LISTS files)
  if(EXISTS "$ENV{DESTDIR}${file}" OR IS_SYMLINK "$ENV{DESTDIR}${file}")
    file(REMOVE "$ENV{DESTDIR}${file}")
  endif()
  # The folders of the file, outwards to the outermost that was made.
  set(inner)
  cmake_path(GET file PARENT_PATH folder)
  while(NOT folder STREQUAL "/")
    list(APPEND inner "${folder}")
    if(folder IN_LIST made OR folder MATCHES "/(doc|libexec|share)/coppice$")
      list(APPEND folders ${inner})
      set(inner)
    endif()
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endforeach()

# Inner ones first: the longer path of two is never the outer one.
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)
foreach(folder IN LISTS folders)
  # Which refuses a folder that is not empty.
  execute_process(COMMAND rmdir -- "$ENV{DESTDIR}${folder}"
                  RESULT_VARIABLE ignored ERROR_QUIET)
endforeach()
list(LENGTH files count)
list(GET files 0 first)
message(STATUS "Uninstalled ${count} files, such as $ENV{DESTDIR}${first}")
file(REMOVE "${BUILD}/install_manifest.txt" "${BUILD}/install_folders.txt")
