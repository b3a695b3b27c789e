# CPack runs this on the files of a package before it packs them.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
set(documents ${root}/share/doc/coppice)

# The terms of the libraries that the programs contain, as Debian has them.
foreach(package ${CPACK_COPPICE_LINKED})
  configure_file(/usr/share/doc/${package}/copyright
                 ${documents}/linked/${package} COPYONLY)
endforeach()

# Debian has its own forms of licences and changelogs.
if(CPACK_GENERATOR STREQUAL DEB)
  file(REMOVE ${documents}/LICENSE ${root}/share/coppice/tuning_spaces/LICENSE)
  configure_file(${CPACK_COPPICE_PACKAGING}/debian_copyright
                 ${documents}/copyright COPYONLY)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${documents}/changelog
"coppice (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; CHANGELOG.md says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  execute_process(COMMAND gzip --best --no-name ${documents}/changelog
                  COMMAND_ERROR_IS_FATAL ANY)
endif()

# The same commit gives the same package, whenever it is made.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec
                          touch --no-dereference
                          --date=@$ENV{SOURCE_DATE_EPOCH} {} +
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
