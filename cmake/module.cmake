# coppice_module(NAME HEADERS ... SOURCES ... TESTS ... DEPS ... USES ...)
#
# One static library per folder and, with TESTS, one test program NAME_test.
#   HEADERS  public headers; each is also compiled alone
#   DEPS     our own modules: the arrow of the layering
#   USES     third-party targets, private: nobody else links them
function(coppice_module name)
  cmake_parse_arguments(M "" "" "HEADERS;SOURCES;TESTS;DEPS;USES" ${ARGN})
  add_library(${name} STATIC ${M_SOURCES})
  target_sources(${name} PUBLIC FILE_SET HEADERS
                 BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${M_HEADERS})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC tl::expected ${M_DEPS} PRIVATE ${M_USES})
  if(M_TESTS)
    add_executable(${name}_test ${M_TESTS})
    target_link_libraries(${name}_test PRIVATE
                          ${name} ${M_USES} test_main)
    # clang-tidy takes as long over gtest's macros as over all else.
    set_target_properties(${name}_test PROPERTIES CXX_CLANG_TIDY "")
    target_compile_definitions(${name}_test PRIVATE
                               COPPICE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                               COPPICE_TEST_CACHE="${PROJECT_BINARY_DIR}/test-cache")
    gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST
                         PROPERTIES LABELS ${name} TIMEOUT 120)
  endif()
endfunction()
