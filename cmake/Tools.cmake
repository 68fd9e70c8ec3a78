# Compiler cache, fast linker, warnings and sanitizers, for every target.
find_program(CCACHE ccache)
if(CCACHE)
    # Clones and worktrees share what was compiled: paths count from here, and where "here" is does not count.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
find_program(MOLD mold)
if(MOLD)
    add_link_options(-fuse-ld=mold)
endif()
add_compile_options(-Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> -Wno-missing-field-initializers)
if(OPSIGHT_WERROR)
    add_compile_options(-Werror)
endif()
if(OPSIGHT_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Else the cache takes every build of the headers for another one.
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
# g++ 12 takes some of what it compiled beforehand for no system header, and warns of code of its own library.
if(OPSIGHT_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread>)
endif()
# Of files that are compiled as one, g++ takes what one keeps to itself for the header of another.
if(OPSIGHT_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
# What tests spend their time on is in the rooms and in DuckDB, which are optimized as ever.
set(OPSIGHT_TEST_OPTIONS $<$<NOT:$<OR:$<BOOL:${OPSIGHT_SANITIZE}>,$<BOOL:${OPSIGHT_ODR}>>>:-O0>)
if(OPSIGHT_ODR)
    add_compile_options(-O0 -g0 -flto -Wodr)
    add_link_options(-flto=auto -Wodr -Werror=odr)
endif()
if(OPSIGHT_SANITIZE OR OPSIGHT_FUZZ)
    # clang: it has libFuzzer, it takes half of g++'s time, and g++ sees variables without a value where there are none
    # in what its sanitizers add. The tests take their time in DuckDB, which is as it is: to compile without optimizing is
    # a quarter of the whole. What fuzzers find depends on their speed.
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "the sanitizers need clang: -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++")
    endif()
    add_compile_definitions(OPSIGHT_SANITIZE)
    add_compile_options($<IF:$<BOOL:${OPSIGHT_FUZZ}>,-O1,-O0> -fno-omit-frame-pointer -fsanitize=address,undefined
        -fno-sanitize-recover=undefined -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitize.ignore
        $<$<BOOL:${OPSIGHT_FUZZ}>:-fsanitize=fuzzer-no-link>)
    add_link_options(-fsanitize=address,undefined)
endif()
