#include "import/executiontrace/execution_trace.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "import/executiontrace/arguments.h"
#include "import/text/clean_text.h"
#include "import/text/first_bytes.h"

namespace opsight::importer {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr int64_t kUserScope = 7;  // of RecordFunction: ranges of the user, and the observer's own nodes

// Older observers write numbers that are none as they are, which is no JSON: each becomes null. Nothing where
// all is JSON.

std::optional<std::string> without_bare_numbers(std::string_view text) {
    constexpr std::string_view kBare[] = {"-Infinity", "Infinity", "NaN", "-inf", "inf", "-nan", "nan"};
    std::string out;
    bool changed = false, in_text = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto begins = [&](std::string_view word) { return text.substr(i).starts_with(word); };
        const auto* bare =
            in_text ? std::end(kBare) : std::find_if(std::begin(kBare), std::end(kBare), begins);
        if (bare != std::end(kBare)) {
            out += "null";
            i += bare->size() - 1;
            changed = true;
            continue;
        }
        if (text[i] == '"') in_text = !in_text;
        out += text[i];
        if (in_text && text[i] == '\\' && i + 1 < text.size()) out += text[++i];
    }
    return changed ? std::optional(std::move(out)) : std::nullopt;
}

// Members of a node: those of schema 1.0 stand in the node, those of 1.1 in "attrs", "inputs" and "outputs".
class Node {
  public:
    explicit Node(const object& node) : node_(node) {
        is_new_ = node["attrs"].get(attributes_) == simdjson::SUCCESS;
    }

    // -1: none, or one that is too large.
    int64_t number(std::string_view name) const {
        int64_t value = -1;
        element found;
        if (member(name, found) && found.get(value) == simdjson::SUCCESS) return value;
        return -1;
    }

    // False: they are not told in the way of any schema.
    bool arguments(ArgumentTexts& to) const {
        const auto list = [this](std::string_view flat, std::string_view nested, array& into) {
            object inputs;
            if (node_["inputs"].get(inputs) == simdjson::SUCCESS)
                return inputs[nested].get(into) == simdjson::SUCCESS;
            return node_[flat].get(into) == simdjson::SUCCESS;
        };
        array types, shapes, values, strides;
        if (!list("input_types", "types", types) || !list("input_shapes", "shapes", shapes) ||
            !list("inputs", "values", values))
            return false;
        const bool has_strides = list("input_strides", "strides", strides);
        return read_arguments(types, shapes, values, has_strides ? &strides : nullptr, to);
    }

  private:
    bool member(std::string_view name, element& found) const {
        if (!is_new_) return node_[name].get(found) == simdjson::SUCCESS;
        for (const element each : attributes_) {
            std::string_view its;
            if (each["name"].get(its) == simdjson::SUCCESS && its == name)
                return each["value"].get(found) == simdjson::SUCCESS;
        }
        return false;
    }

    object node_;
    array attributes_;
    bool is_new_ = false;
};

class Nodes {
  public:
    explicit Nodes(ExecutionTrace& trace) : trace_(trace) {}

    void add(std::string_view text) {
        element from;
        if (parser_.parse(text.data(), text.size()).get(from) == simdjson::SUCCESS) return add(from);
        const std::optional<std::string> repaired = without_bare_numbers(text);
        if (repaired && parser_.parse(*repaired).get(from) == simdjson::SUCCESS) return add(from);
        ++trace_.odd_nodes;
    }

  private:
    void add(const element& from) {
        object members;
        std::string_view name;
        ExecutedOp op;
        if (from.get(members) != simdjson::SUCCESS || members["name"].get(name) != simdjson::SUCCESS ||
            members["id"].get(op.id) != simdjson::SUCCESS) {
            ++trace_.odd_nodes;
            return;
        }
        const Node node(members);
        if (node.number("scope") == kUserScope) return;
        if (!node.arguments(texts_)) {
            ++trace_.odd_nodes;
            return;
        }
        // 0: the observer did not ask for numbers.
        if (const int64_t number = node.number("rf_id"); number > 0) op.record_function = number;
        op.sequence = std::max<int64_t>(node.number("seq_id"), -1);
        op.thread = node.number("tid");
        op.name = trace_.strings.intern(name);
        set_arguments(texts_, trace_.strings, op);
        trace_.ops.push_back(op);
    }

    ExecutionTrace& trace_;
    simdjson::dom::parser parser_;
    ArgumentTexts texts_;
};

Error damaged(simdjson::error_code code) {
    return {fmt::format("an execution trace of PyTorch breaks off or is damaged: {}",
                        simdjson::error_message(code)),
            {},
            {},
            "copy the file again; one that is complete was closed by the observer's unregister_callback()"};
}

// The document is walked through; each node is parsed by itself, so that no tree of all of them is held.
Result<ExecutionTrace> parse_nodes(std::string& text) {
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    simdjson::ondemand::parser walker;
    simdjson::ondemand::document document;
    simdjson::ondemand::object root;
    ExecutionTrace trace;
    Nodes nodes(trace);
    bool has_nodes = false;
    if (const auto code = walker.iterate(text).get(document)) return fail(damaged(code));
    if (const auto code = document.get_object().get(root)) return fail(damaged(code));
    for (auto field : root) {
        std::string_view key;
        if (const auto code = field.unescaped_key().get(key)) return fail(damaged(code));
        if (key == "pid") {
            int64_t pid = 0;
            if (field.value().get_int64().get(pid) == simdjson::SUCCESS && pid >= 0) trace.process = pid;
            continue;
        }
        simdjson::ondemand::array list;
        if (key != "nodes" || field.value().get_array().get(list) != simdjson::SUCCESS) continue;
        has_nodes = true;
        for (auto item : list) {
            simdjson::ondemand::object members;
            std::string_view text_of_node;
            auto code = item.get_object().get(members);
            if (code == simdjson::SUCCESS) code = members.raw_json().get(text_of_node);
            if (code == simdjson::INCORRECT_TYPE)
                ++trace.odd_nodes;
            else if (code)
                return fail(damaged(code));
            else
                nodes.add(text_of_node);
        }
    }
    if (!has_nodes) return fail("is not an execution trace of PyTorch: it has no list of nodes");
    std::stable_sort(trace.ops.begin(), trace.ops.end(), [](const ExecutedOp& a, const ExecutedOp& b) {
        return std::tie(a.thread, a.id) < std::tie(b.thread, b.id);
    });
    return trace;
}

}  // namespace

bool looks_like_execution_trace(std::string_view first) {
    const auto has = [first](std::string_view word) { return first.find(word) != first.npos; };
    if (!behind_space(first).starts_with('{')) return false;
    return has("[pytorch|profiler|execution_") || (has("\"schema\"") && has("\"nodes\"") && has("rf_id"));
}

Result<ExecutionTrace> parse_execution_trace(std::string& text) {
    clean_text(text);
    return parse_nodes(text);
}

}  // namespace opsight::importer
