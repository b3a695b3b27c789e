# coppice_module(NAME SOURCES ... TESTS ... DEPS ... USES ...)
#
# One static library per folder and, with TESTS, one test program NAME_test.
#   DEPS     our own modules: the arrow of the layering
#   USES     third-party targets, private: nobody else links them
function(coppice_module name)
  cmake_parse_arguments(M "" "" "SOURCES;TESTS;DEPS;USES" ${ARGN})
  add_library(${name} STATIC ${M_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC tl::expected ${M_DEPS} PRIVATE ${M_USES})
  if(M_TESTS)
    add_executable(${name}_test ${M_TESTS})
    target_link_libraries(${name}_test PRIVATE
                          ${name} ${M_USES} test_main)
    # clang-tidy takes as long over gtest's macros as over all else.
    set_target_properties(${name}_test PROPERTIES CXX_CLANG_TIDY "")
    target_compile_options(${name}_test PRIVATE ${COPPICE_TEST_FLAGS})
    target_compile_definitions(${name}_test PRIVATE
                               COPPICE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                               COPPICE_TEST_CACHE="${PROJECT_BINARY_DIR}/test-cache")
    coppice_unit_tests(${name})
  endif()
endfunction()

# Each test in a process of its own; or, where starting one takes longer than
# most tests do, as with sanitizers, many in one.
option(COPPICE_TESTS_TOGETHER "run unit tests in four processes a library" OFF)
function(coppice_unit_tests name)
  if(NOT COPPICE_TESTS_TOGETHER)
    gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST
                         PROPERTIES LABELS ${name} TIMEOUT 120)
    return()
  endif()
  foreach(part RANGE 3)
    add_test(NAME ${name}_test_${part} COMMAND ${name}_test)
    set_tests_properties(
      ${name}_test_${part} PROPERTIES LABELS ${name} TIMEOUT 600
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()
