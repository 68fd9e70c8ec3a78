# Libraries: Debian packages, of the versions that Debian 12 has or newer, and DuckDB from the system or from
# third_party/ (see scripts/fetch_duckdb.sh).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)
find_package(fmt 9.1 REQUIRED)
find_package(absl REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB 1.2.13 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # headers only: Asio and Beast
find_package(CLI11 2.1 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_package(CURL 7.88 REQUIRED)
find_package(GTest 1.12 REQUIRED)
# Their own checks of a version refuse every newer one of another year, or of another major number.
foreach(least absl=20220623 simdjson=3.0)
    string(REPLACE "=" ";" least ${least})
    list(GET least 0 name)
    list(GET least 1 version)
    if(${name}_VERSION VERSION_LESS ${version})
        message(FATAL_ERROR "${name} ${${name}_VERSION} is too old: ${version} or newer is needed")
    endif()
endforeach()
find_library(ISAL_LIBRARY isal REQUIRED)
find_library(IBERTY_LIBRARY iberty REQUIRED)
find_library(XLSXWRITER_LIBRARY xlsxwriter REQUIRED)
find_path(RAPIDJSON_INCLUDE rapidjson/writer.h REQUIRED)  # Debian: rapidjson-dev; headers only

find_path(DUCKDB_INCLUDE duckdb.h HINTS ${CMAKE_SOURCE_DIR}/third_party/duckdb NO_CMAKE_FIND_ROOT_PATH)
find_library(DUCKDB_LIBRARY duckdb HINTS ${CMAKE_SOURCE_DIR}/third_party/duckdb)
if(NOT DUCKDB_INCLUDE OR NOT DUCKDB_LIBRARY)
    message(FATAL_ERROR "DuckDB not found: run ./dev setup (it runs scripts/fetch_duckdb.sh)")
endif()
# A library of third_party/ goes beside our own, so that the program runs from any folder and can be installed.
get_filename_component(duckdb_folder ${DUCKDB_LIBRARY} DIRECTORY)
if(duckdb_folder STREQUAL ${CMAKE_SOURCE_DIR}/third_party/duckdb)
    file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
    file(CREATE_LINK ${DUCKDB_LIBRARY} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libduckdb.so COPY_ON_ERROR)
    set(duckdb_location ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libduckdb.so)
    install(FILES ${duckdb_location} DESTINATION lib/opsight)
else()
    set(duckdb_location ${DUCKDB_LIBRARY})
endif()
add_library(duckdb SHARED IMPORTED)
set_target_properties(duckdb PROPERTIES IMPORTED_LOCATION ${duckdb_location}
    INTERFACE_INCLUDE_DIRECTORIES ${DUCKDB_INCLUDE})

# The CUDA toolkit's headers, where it is installed. Nothing needs them: they let the build compare our
# declarations with theirs, and test programs use NVIDIA's own NVTX. -DNVTX_INCLUDE= builds as if they were not there.
file(GLOB cuda_includes /usr/local/cuda/include /usr/local/cuda-*/include)
find_path(NVTX_INCLUDE nvtx3/nvToolsExtPayload.h PATHS $ENV{CUDA_HOME}/include ${cuda_includes})
find_path(CUPTI_INCLUDE cupti_activity_deprecated.h PATHS $ENV{CUDA_HOME}/include ${cuda_includes})
mark_as_advanced(NVTX_INCLUDE CUPTI_INCLUDE)
