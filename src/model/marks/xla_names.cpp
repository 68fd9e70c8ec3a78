#include "model/marks/xla_names.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace opsight::marks {
namespace {

// "transpose(jvp(Net))" -> "Net"; a function that was compiled on its own, "jit(relu)", is not a layer.
std::string_view unwrapped(std::string_view part) {
    while (part.ends_with(')')) {
        const size_t open = part.find('(');
        if (open == part.npos) break;
        const std::string_view by = part.substr(0, open);
        if (by == "jit" || by == "pjit" || by == "xla_pmap") return {};
        part = part.substr(open + 1, part.size() - open - 2);
    }
    constexpr std::array<std::string_view, 12> kControl = {"while",
                                                           "body",
                                                           "cond",
                                                           "body_fun",
                                                           "cond_fun",
                                                           "checkpoint",
                                                           "remat",
                                                           "custom_jvp_call",
                                                           "custom_vjp_call",
                                                           "rematted_computation",
                                                           "shard_map",
                                                           "closed_call"};
    // A product that is written as an equation ("bd,de->be") has the name of it.
    const bool control = std::find(kControl.begin(), kControl.end(), part) != kControl.end() ||
                         part.starts_with("branch_") || part.find("->") != part.npos;
    return control ? std::string_view() : part;
}

}  // namespace

Scope read_scope(std::string_view name) {
    Scope scope;
    if (const size_t colon = name.rfind(':'); colon != name.npos && name.find('/', colon) == name.npos) {
        scope.type = name.substr(colon + 1);
        name = name.substr(0, colon);
    }
    for (;;) {
        // Slashes within brackets are of a part's own name.
        size_t end = 0;
        for (int depth = 0; end < name.size() && (depth > 0 || name[end] != '/'); ++end)
            depth += name[end] == '(' ? 1 : name[end] == ')' && depth > 0 ? -1 : 0;
        if (end >= name.size()) break;
        const std::string_view part = unwrapped(name.substr(0, end));
        if (!part.empty()) {
            if (!scope.layer.empty()) scope.layer += '/';
            scope.layer += part;
        }
        name.remove_prefix(end + 1);
    }
    scope.op = name;
    return scope;
}

bool is_transposed(std::string_view name) {
    return text::contains(name, "transpose(jvp(") || text::contains(name, "/transpose(") ||
           name.starts_with("transpose(");
}

std::string_view without_number(std::string_view name) {
    for (;;) {
        const size_t dot = name.rfind('.');
        if (dot == name.npos || dot == 0 || dot + 1 == name.size()) return name;
        const std::string_view end = name.substr(dot + 1);
        if (!std::all_of(end.begin(), end.end(), [](char c) { return c >= '0' && c <= '9'; })) return name;
        name = name.substr(0, dot);
    }
}

std::string_view stem_of_instruction(std::string_view name) {
    const std::string_view stem = without_number(name);
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
    };
    const bool named = !stem.empty() && (stem[0] < '0' || stem[0] > '9');
    return named && std::all_of(stem.begin(), stem.end(), fits) ? stem : name;
}

XlaRange read_xla_range(std::string_view text) {
    XlaRange range;
    if (!text::take_suffix(text, "#")) return range;
    // Names of products hold commas ("bd,de->be"), so that keys are sought from the end.
    const auto value = [&text](std::string_view key) {
        const size_t at = text.rfind(key);
        if (at == text.npos) return std::string_view();
        const std::string_view rest = text.substr(at + key.size());
        return rest.substr(0, rest.find(','));
    };
    if (text::take_prefix(text, "XlaModule:")) {
        range.module = value(text.starts_with("#hlo_module=") ? "#hlo_module=" : ",hlo_module=");
        if (text::take_prefix(text, "#prefix=")) range.scope = text.substr(0, text.rfind(",hlo_module="));
    } else if (text::take_prefix(text, "Thunk:")) {
        range.instruction = value(text.starts_with("#hlo_op=") ? "#hlo_op=" : ",hlo_op=");
        if (text::take_prefix(text, "#name=")) range.scope = text.substr(0, text.rfind(",hlo_op="));
    }
    return range;
}

XlaPlace place_of_thunk(std::string_view prefix, std::string_view name) {
    if (name.empty()) return {};
    const std::string_view first = prefix.substr(0, prefix.find('/') + 1);
    std::string whole(first.empty() || !name.starts_with(first) ? prefix : std::string_view());
    if (!whole.empty()) whole += '/';
    whole += name;
    return {read_scope(whole).layer, is_transposed(whole)};
}

}  // namespace opsight::marks
