# opsight_room(NAME ROOMS ... LIBS ...): one static library per room of src/ ("query/ask": opsight_query_ask), from
# every *.cpp in it, and one test program from every *_test.cpp beside the code, which runs under the sanitizers too
# (but for OPSIGHT_NOT_SANITIZED).
# Each .sql of its sql/ folder is a constant of that name, in "ROOM/sql.h" and namespace opsight::ROOM::sql.
# ROOMS are those that it may include; scripts/check_layers.py reads them here.

# What reads input from outside, or holds it: `ninja sanitized`, `ctest -L sanitized`.
add_custom_target(sanitized)
# query/reports and advise take too long; tests of query/tables ask all reports. cli is seen by tests from outside.
set(OPSIGHT_NOT_SANITIZED cli query_reports advise)
# Of these a part of the tests: the others take minutes, or (InterruptedSession) interrupt DuckDB, which leaks then.
set(OPSIGHT_SANITIZED_query_tables Columns.*:FirstEventTest.*)
set(OPSIGHT_SANITIZED_server AnswerCache.*:FairSemaphore.*:Http*:ParseTarget.*:Router.*:Hostile.*-Hostile.EveryParameter*)

# The headers that nearly every file includes, compiled once: a third of the time of a build. A file still includes what
# it uses; the build without them (preset odr) shows where one does not.
set(OPSIGHT_HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream>
    <functional> <limits> <map> <memory> <mutex> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread>
    <tuple> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
# clang reads of them only what a file uses: more cost nothing. g++ takes longer for each file.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    list(APPEND OPSIGHT_HEADERS <tl/expected.hpp> <absl/container/flat_hash_map.h>)
endif()
if(OPSIGHT_PCH)
    set(nothing ${CMAKE_BINARY_DIR}/generated/nothing.cpp)
    file(CONFIGURE OUTPUT ${nothing} CONTENT "// Here for its precompiled headers.\n")
    add_library(opsight_std_headers OBJECT ${nothing})
    target_link_libraries(opsight_std_headers PRIVATE fmt::fmt)
    target_precompile_headers(opsight_std_headers PRIVATE ${OPSIGHT_HEADERS})
    # A program, as it is compiled other than a library (-fPIE).
    add_executable(opsight_test_headers EXCLUDE_FROM_ALL ${nothing})
    target_link_libraries(opsight_test_headers PRIVATE fmt::fmt GTest::gmock GTest::gtest_main)
    target_compile_options(opsight_test_headers PRIVATE ${OPSIGHT_TEST_OPTIONS})
    target_precompile_headers(opsight_test_headers PRIVATE ${OPSIGHT_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
endif()

function(opsight_use_headers target headers)
    if(OPSIGHT_PCH)
        target_precompile_headers(${target} REUSE_FROM ${headers})
    endif()
endfunction()

function(opsight_room room)
    cmake_parse_arguments(ARG "" "" "ROOMS;LIBS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.cpp)
    string(REPLACE "/" "_" name ${room})
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "_(test|fuzzer|bench)\\.cpp|/main\\.cpp$")
    file(GLOB statements CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/sql/*.sql)
    if(statements)
        set(embed ${CMAKE_SOURCE_DIR}/scripts/embed_sql.py)
        set(embedded ${CMAKE_BINARY_DIR}/generated/${room}/sql)
        add_custom_command(OUTPUT ${embedded}.cpp BYPRODUCTS ${embedded}.h
            COMMAND Python3::Interpreter -B ${embed} --room ${room}
                --header ${embedded}.h --source ${embedded}.cpp ${statements}
            DEPENDS ${embed} ${statements} VERBATIM)
        list(APPEND sources ${embedded}.cpp)
    endif()
    if(sources)
        add_library(opsight_${name} STATIC ${sources})
        opsight_use_headers(opsight_${name} opsight_std_headers)
        set(scope PUBLIC)
    else()
        add_library(opsight_${name} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_include_directories(opsight_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
    if(statements)
        target_include_directories(opsight_${name} PRIVATE ${CMAKE_BINARY_DIR}/generated)
    endif()
    list(TRANSFORM ARG_ROOMS REPLACE "/" "_")
    list(TRANSFORM ARG_ROOMS PREPEND opsight_)
    target_link_libraries(opsight_${name} ${scope} ${ARG_ROOMS})
    target_link_libraries(opsight_${name} ${scope} ${ARG_LIBS})
    if(tests)
        add_executable(test_${name} ${tests})
        target_link_libraries(test_${name} PRIVATE opsight_${name} GTest::gmock GTest::gtest_main)
        target_compile_options(test_${name} PRIVATE ${OPSIGHT_TEST_OPTIONS})
        opsight_use_headers(test_${name} opsight_test_headers)
        target_compile_definitions(test_${name} PRIVATE OPSIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
        set(chosen)
        if(OPSIGHT_SANITIZE AND DEFINED OPSIGHT_SANITIZED_${name})
            set(chosen --gtest_filter=${OPSIGHT_SANITIZED_${name}})
        endif()
        add_test(NAME unit_${name} COMMAND test_${name} ${chosen})
        if(NOT name IN_LIST OPSIGHT_NOT_SANITIZED)
            set_tests_properties(unit_${name} PROPERTIES LABELS sanitized)
            add_dependencies(sanitized test_${name})
        endif()
    endif()
endfunction()
