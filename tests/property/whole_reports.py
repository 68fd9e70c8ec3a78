"""All reports of a profile, in a form in which those of the same work are equal whichever file it came from."""

import json

import opsight_cli


def reports_of(profile, *options):
    return json.loads(opsight_cli.run("report", profile, "--report", "all", "--json", *options).stdout)


# Ids, times from where a file begins, and what tells of the file and of the range.
OWN = {"range", "notes", "sources", "diagnostics", "description", "begin_ns", "api_start_ns", "gpu_start_ns", "track"}


def plain(value, but=()):
    """`but`: further columns that are not compared."""
    if isinstance(value, dict):
        return {key: plain(inner, but) for key, inner in value.items()
                if key not in OWN and key not in but and not key.endswith("_id")}
    if isinstance(value, list):  # what is alike stands in the order of numbers
        return sorted((plain(inner, but) for inner in value), key=json.dumps)
    return value
