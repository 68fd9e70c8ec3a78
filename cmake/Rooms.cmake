# opsight_room(NAME ROOMS ... LIBS ...): one static library per room of src/ ("query/ask": opsight_query_ask), from
# every *.cpp in it, and one test program from every *_test.cpp beside the code, which runs under the sanitizers too
# (but for OPSIGHT_NOT_SANITIZED).
# Each .sql of its sql/ folder is a constant of that name, in "ROOM/sql.h" and namespace opsight::ROOM::sql.
# ROOMS are those that it may include; scripts/check_layers.py reads them here.

# What reads input from outside, or holds it: `ninja sanitized`, `ctest -L sanitized`.
add_custom_target(sanitized)
# query/tables interrupts questions, upon which DuckDB leaks; query/reports takes too long.
set(OPSIGHT_NOT_SANITIZED server cli query_tables query_reports)

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
        target_compile_definitions(test_${name} PRIVATE OPSIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
        add_test(NAME unit_${name} COMMAND test_${name})
        if(NOT name IN_LIST OPSIGHT_NOT_SANITIZED)
            set_tests_properties(unit_${name} PROPERTIES LABELS sanitized)
            add_dependencies(sanitized test_${name})
        endif()
    endif()
endfunction()
