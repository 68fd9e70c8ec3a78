"""Opsight inside a profiled Python program. Pure standard library."""
