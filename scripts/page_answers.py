#!/usr/bin/env python3
"""Opens the page of a running `opsight view` as a browser would: exit 0 where it and its profiles answer.

usage: page_answers.py URL    the first line that `opsight view` printed
"""
import http.cookiejar
import json
import sys
import urllib.error
import urllib.parse
import urllib.request


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    url = sys.argv[1]
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
                                         urllib.request.ProxyHandler({}))
    try:
        page = opener.open(url, timeout=30).read()
        listed = json.load(opener.open(urllib.parse.urljoin(url, "/api/v1/profiles"), timeout=30))
    except (OSError, ValueError) as problem:
        print(f"page_answers: {problem}", file=sys.stderr)
        return 1
    broken = [profile["name"] for profile in listed["profiles"] if profile["state"] != "ok"]
    if b"<script" not in page or not listed["profiles"] or broken:
        print(f"page_answers: {'no page' if b'<script' not in page else f'profiles that do not open: {broken}'}",
              file=sys.stderr)
        return 1
    print("the page answers, and shows: " + ", ".join(profile["name"] for profile in listed["profiles"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
