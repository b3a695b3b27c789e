# Run before files are installed: keeps in BUILD/install_folders.txt which of
# FOLDERS, relative to the prefix, and of those around them the installation
# makes.  Uninstalling removes those and no others.  What a package makes is
# the package manager's to remove.
cmake_minimum_required(VERSION 3.25)
if(CMAKE_INSTALL_COMPONENT)
  return()
endif()
set(made)
if(EXISTS "${BUILD}/install_folders.txt")
  file(STRINGS "${BUILD}/install_folders.txt" made)
endif()
foreach(folder IN LISTS FOLDERS)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
  while(NOT EXISTS "$ENV{DESTDIR}${folder}" AND NOT folder STREQUAL "/")
    list(APPEND made "${folder}")
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES made)
list(JOIN made "\n" text)
file(WRITE "${BUILD}/install_folders.txt" "${text}\n")
