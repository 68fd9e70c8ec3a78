# Libraries: Debian packages, and DuckDB from the system or from third_party/ (see scripts/fetch_duckdb.sh).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(absl REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(GTest REQUIRED)
find_library(ISAL_LIBRARY isal REQUIRED)

find_path(DUCKDB_INCLUDE duckdb.h HINTS ${CMAKE_SOURCE_DIR}/third_party/duckdb NO_CMAKE_FIND_ROOT_PATH)
find_library(DUCKDB_LIBRARY duckdb HINTS ${CMAKE_SOURCE_DIR}/third_party/duckdb)
if(NOT DUCKDB_INCLUDE OR NOT DUCKDB_LIBRARY)
    message(FATAL_ERROR "DuckDB not found: run ./dev setup (it runs scripts/fetch_duckdb.sh)")
endif()
add_library(duckdb SHARED IMPORTED)
set_target_properties(duckdb PROPERTIES IMPORTED_LOCATION ${DUCKDB_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${DUCKDB_INCLUDE})
