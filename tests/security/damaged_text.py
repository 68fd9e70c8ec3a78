"""Damages a profile as no checksum shows: a text that goes on far beyond the end of its block."""

import struct

import duckdb_file

HEADER = 4096


def checksum(block):
    """DuckDB's, of what follows the checksum itself."""
    total = 5381
    for (word,) in struct.iter_unpack("<Q", block):
        total ^= word * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    return total


def damage(path, table, column):
    """Whoever reads the texts of this column, of two rows, crashes; whoever counts them does not."""
    text = f"a text of {column} that stands in no other place"
    duckdb_file.execute(path, f"PRAGMA force_compression='uncompressed'; UPDATE {table} SET {column} = '{text}'; CHECKPOINT")
    with open(path, "rb") as file:
        content = bytearray(file.read())
    # A text is as long as its distance from the end of all is greater than that of the row before. It is less now, and
    # the length, below zero, is read as 4 GB.
    size = len(text)
    ends = struct.pack("<ii", size, 2 * size)
    block_bytes = struct.unpack_from("<Q", content, HEADER + 40)[0]
    found = content.find(ends, 3 * HEADER)
    if found < 0:
        raise AssertionError(f"the texts of {column} do not stand as is thought here")
    while found >= 0:
        struct.pack_into("<ii", content, found, 2 * size, size)
        begin = 3 * HEADER + (found - 3 * HEADER) // block_bytes * block_bytes
        struct.pack_into("<Q", content, begin, checksum(content[begin + 8:begin + block_bytes]))
        found = content.find(ends, found + 8)
    with open(path, "wb") as file:
        file.write(content)
