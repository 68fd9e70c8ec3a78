"""Holds answers of the server against docs/openapi.json: the part of JSON Schema that it uses."""

import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"string": str, "boolean": bool, "object": dict, "array": list, "null": type(None)}
# What is understood below; another word in the description would be a promise that nothing checks.
WORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "description",
         "minItems", "maxItems"}


def is_kind(value, kind):
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


class Api:
    def __init__(self):
        with open(os.path.join(HERE, "..", "docs", "openapi.json"), encoding="utf-8") as file:
            self.document = json.load(file)

    def find(self, reference):
        found = self.document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        return found

    def paths(self, method):
        return [path for path, item in self.document["paths"].items() if method.lower() in item]

    def operation(self, method, path):
        for pattern, item in self.document["paths"].items():
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path) and method.lower() in item:
                return item[method.lower()]
        raise AssertionError(f"{method} {path} is not in docs/openapi.json")

    def parameters(self, path, method="get"):
        listed = self.document["paths"][path][method]["parameters"]
        return [self.find(p["$ref"]) if "$ref" in p else p for p in listed]

    def query_parameters(self, path):
        return {p["name"] for p in self.parameters(path) if p["in"] == "query"}

    def table_names(self):
        (name,) = [p for p in self.parameters("/api/v1/profiles/{id}/tables/{name}") if p["name"] == "name"]
        return name["schema"]["enum"]

    def check(self, method, path, status, answer):
        responses = self.operation(method, path)["responses"]
        response = responses.get(str(status), responses["default"])
        self.hold(answer, response["content"]["application/json"]["schema"], f"{method} {path}")

    def hold(self, value, schema, place):
        if "$ref" in schema:
            return self.hold(value, self.find(schema["$ref"]), place)
        assert not set(schema) - WORDS, f"{place}: {sorted(set(schema) - WORDS)} of the description is not checked"
        if "anyOf" in schema:
            problems = []
            for choice in schema["anyOf"]:
                try:
                    return self.hold(value, choice, place)
                except AssertionError as problem:
                    problems.append(str(problem))
            raise AssertionError("; ".join(problems))
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert any(is_kind(value, kind) for kind in kinds), f"{place}: {value!r} is none of {kinds}"
        assert value in schema.get("enum", [value]), f"{place}: {value!r} is none of {schema['enum']}"
        if isinstance(value, dict):
            self.hold_object(value, schema, place)
        if isinstance(value, list):
            assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), place
            for index, each in enumerate(value):
                self.hold(each, schema["items"], f"{place}[{index}]")

    def hold_object(self, value, schema, place):
        known = schema.get("properties", {})
        missing = set(schema.get("required", [])) - set(value)
        assert not missing, f"{place}: {sorted(missing)} missing"
        other = schema.get("additionalProperties", False)
        for key, each in value.items():
            assert key in known or other, f"{place}: {key} is not in the description"
            self.hold(each, known.get(key, other), f"{place}.{key}")
