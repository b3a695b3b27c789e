# CPack runs this on the packages it has made.  Its archive has files in the
# order of the folders on disk and by their owner there; packed again, it is the
# same for everybody.
if(CPACK_GENERATOR STREQUAL TGZ)
  cmake_path(GET CPACK_TEMPORARY_DIRECTORY PARENT_PATH parent)
  cmake_path(GET CPACK_TEMPORARY_DIRECTORY FILENAME folder)
  execute_process(
    COMMAND tar --create --sort=name --owner=0 --group=0 --numeric-owner
            --format=gnu --directory=${parent} ${folder}
    COMMAND gzip --best --no-name
    OUTPUT_FILE ${CPACK_PACKAGE_FILES}
    COMMAND_ERROR_IS_FATAL ANY)
endif()
