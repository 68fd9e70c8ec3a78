// Graphs of TensorFlow for tests, written in protobuf's text form.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "import/model/model_import.h"

namespace opsight::importer::graphdef_testing {

inline std::string words(const std::string& field, const std::string& list) {
    std::string text;
    std::stringstream in(list);
    for (std::string word; in >> word;)
        text += field + ": '" + word + "' ";
    return text;
}

// `field`: "node" in a graph, "node_def" in a function.
inline std::string node(const std::string& op, const std::string& name, const std::string& inputs = "",
                        const std::string& attributes = "", const std::string& field = "node") {
    return field + " { name: '" + name + "' op: '" + op + "' " + words("input", inputs) + attributes + " } ";
}

inline std::string attribute(const std::string& name, const std::string& value) {
    return "attr { key: '" + name + "' value { " + value + " } } ";
}

inline std::string sizes(const std::string& dims) {
    std::string text = "shape { ";
    std::stringstream in(dims);
    for (std::string size; in >> size;)
        text += "dim { size: " + size + " } ";
    return text + "} ";
}

inline std::string integers(const std::string& values) {
    std::string text = "list { ";
    std::stringstream in(values);
    for (std::string value; in >> value;)
        text += "i: " + value + " ";
    return text + "} ";
}

inline std::string input(const std::string& name, const std::string& dims) {
    return node("Placeholder", name, "",
                attribute("dtype", "type: DT_FLOAT") + attribute("shape", sizes(dims)));
}

inline std::string weight(const std::string& name, const std::string& dims) {
    return node("VariableV2", name, "",
                attribute("dtype", "type: DT_FLOAT") + attribute("shape", sizes(dims)));
}

// A vector, or with one value and `scalar` a scalar.
inline std::string numbers(const std::string& name, const std::string& values, bool scalar = false,
                           const std::string& field = "node") {
    std::string list;
    int count = 0;
    std::stringstream in(values);
    for (std::string value; in >> value; ++count)
        list += "int_val: " + value + " ";
    const std::string shape = scalar ? "" : "dim { size: " + std::to_string(count) + " } ";
    return node(
        "Const", name, "",
        attribute("dtype", "type: DT_INT32") +
            attribute("value", "tensor { dtype: DT_INT32 tensor_shape { " + shape + "} " + list + "}"),
        field);
}

inline Result<ModelGraph> read(const std::string& text, const ModelOptions& options = {}) {
    auto graph = import_graphdef(text, options);
    if (!graph) return fail(graph.error());
    if (!*graph) return fail("no graph");
    return std::move(**graph);
}

inline std::string shape_of(const ModelGraph& graph, const std::string& tensor) {
    for (const ModelTensor& found : graph.tensors)
        if (found.name == tensor) return found.shape_known ? shape_text(found.shape) : "unknown";
    return "missing";
}

// Shape of the output of the node 'y'.
inline std::string y_after(const std::string& text, const ModelOptions& options = {}) {
    const auto graph = read(text, options);
    return graph ? shape_of(*graph, "y") : graph.error().message();
}

}  // namespace opsight::importer::graphdef_testing
