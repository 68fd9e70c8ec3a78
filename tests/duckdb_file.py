"""Changes DuckDB files as anybody can who has DuckDB: through the library that Opsight is linked with."""

import ctypes
import ctypes.util
import os

import opsight_cli


def _library():
    beside = os.path.join(os.path.dirname(opsight_cli.PROGRAM), "..", "lib", "libduckdb.so")
    library = ctypes.CDLL(beside if os.path.exists(beside) else ctypes.util.find_library("duckdb"))
    library.duckdb_open.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.duckdb_connect.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.duckdb_query.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    library.duckdb_result_error.argtypes = [ctypes.c_void_p]
    library.duckdb_result_error.restype = ctypes.c_char_p
    for name in ("duckdb_destroy_result", "duckdb_disconnect", "duckdb_close"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    return library


def _open(library, path, database, settings):
    if settings is None:
        return library.duckdb_open(path.encode(), ctypes.byref(database))
    library.duckdb_create_config.argtypes = [ctypes.c_void_p]
    library.duckdb_set_config.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    library.duckdb_open_ext.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.duckdb_destroy_config.argtypes = [ctypes.c_void_p]
    config = ctypes.c_void_p()
    library.duckdb_create_config(ctypes.byref(config))
    for name, value in settings.items():
        if library.duckdb_set_config(config, name.encode(), value.encode()) != 0:
            raise AssertionError(f"DuckDB has no setting {name}")
    state = library.duckdb_open_ext(path.encode(), ctypes.byref(database), config, None)
    library.duckdb_destroy_config(ctypes.byref(config))
    return state


def execute(path, sql, settings=None):
    """Runs the statements in the database file, which is made where there is none; `settings` are of the session."""
    library = _library()
    database, connection, result = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.create_string_buffer(256)
    if _open(library, path, database, settings) != 0:
        raise AssertionError(f"{path} cannot be opened")
    try:
        library.duckdb_connect(database, ctypes.byref(connection))
        failed = library.duckdb_query(connection, sql.encode(), result) != 0
        problem = library.duckdb_result_error(result) if failed else b""
        library.duckdb_destroy_result(result)
        library.duckdb_disconnect(ctypes.byref(connection))
    finally:
        library.duckdb_close(ctypes.byref(database))
    if failed:
        raise AssertionError(f"{sql[:200]}: {(problem or b'').decode()}")
