#include "analyze/kernel_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "analyze/cpp_text.h"
#include "base/text.h"

namespace opsight::analyze {
namespace {

constexpr int kMostWrappers = 4;  // how deep to look into wrappers of wrappers

bool is_wrapper(std::string_view name) {
    constexpr std::array<std::string_view, 6> wrappers = {"Kernel",        "Kernel2", "kernel",
                                                          "device_kernel", "kentry",  "GlobalKernel"};
    return std::find(wrappers.begin(), wrappers.end(), name) != wrappers.end() || name.starts_with("enable_");
}

struct Parts {
    std::string_view name;       // "kernel"
    std::string_view scope;      // what stands before it: "void internal::gemvx::"
    std::string_view arguments;  // the template arguments of the name
};

// Splits a demangled name, from which anonymous namespaces are gone already.
Parts split(std::string_view full) {
    size_t begin = 0, end = full.size();
    std::string_view arguments;
    bool is_function = false;
    for (size_t i = 0; i < full.size(); ++i) {
        const char c = full[i];
        if (c == '(') {
            if (arguments.empty()) end = std::min(end, i);
            is_function = true;
            break;
        }
        if (c == '<') {
            const size_t close = closing_bracket(full, i);
            if (close == std::string_view::npos) {
                end = std::min(end, i);
                is_function = true;
                break;
            }
            arguments = full.substr(i + 1, close - i - 1);
            end = i;
            i = close;
        } else if (c == ' ' || (c == ':' && i > 0 && full[i - 1] == ':')) {
            // What follows belongs to the name, unless it is a qualifier at the end.
            if (i + 1 < full.size()) {
                begin = i + 1;
                end = full.size();
                arguments = {};
            }
            is_function |= c == ' ' && full.starts_with("void ");
        }
    }
    // A name with blanks and no sign of C++ is somebody's own label.
    if (!is_function && arguments.empty() && text::contains(full, " ")) return {full, {}, {}};
    return {full.substr(begin, end - begin), full.substr(0, begin), arguments};
}

std::string_view first_argument(std::string_view arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == '<' || arguments[i] == '(') {
            const size_t close = closing_bracket(arguments, i);
            if (close == std::string_view::npos) break;
            i = close;
        } else if (arguments[i] == ',') {
            return arguments.substr(0, i);
        }
    }
    return arguments;
}

bool names_something(std::string_view type) {
    constexpr std::array<std::string_view, 8> builtin = {"int",  "float", "double",   "long",
                                                         "bool", "char",  "unsigned", "__half"};
    const bool letter = !type.empty() && (text::is_letter(type[0]) || type[0] == '_');
    return letter && std::find(builtin.begin(), builtin.end(), type) == builtin.end();
}

std::string_view last_namespace(std::string_view scope) {
    if (!scope.ends_with("::")) return {};
    scope.remove_suffix(2);
    const size_t start = scope.find_last_of(": ");
    return start == std::string_view::npos ? scope : scope.substr(start + 1);
}

std::string short_of_demangled(std::string_view full) {
    std::string_view at = full;
    for (int i = 0;; ++i) {
        const Parts parts = split(at);
        if (!is_wrapper(parts.name)) return std::string(parts.name);
        const std::string_view inner = first_argument(parts.arguments);
        if (names_something(inner) && i < kMostWrappers) {
            at = inner;
            continue;
        }
        const std::string_view scope = last_namespace(parts.scope);
        return scope.empty() ? std::string(parts.name) : std::string(scope).append("::").append(parts.name);
    }
}

// The identifiers of a mangled name in their order; an empty one stands where template arguments begin.
std::vector<std::string_view> mangled_identifiers(std::string_view full) {
    std::vector<std::string_view> result;
    for (size_t i = 2; i < full.size();) {
        if (!text::is_digit(full[i])) {
            if (full[i] == 'L') {  // a literal: its number is not a length
                while (i < full.size() && full[i] != 'E')
                    ++i;
            } else if (full[i] == 'S') {  // a substitution: "S_", "S1a_", "St"
                while (i + 1 < full.size() && (text::is_upper(full[i + 1]) || text::is_digit(full[i + 1])))
                    ++i;
            } else if (full[i] == 'I') {
                result.push_back({});
            }
            ++i;
            continue;
        }
        size_t length = 0;
        while (i < full.size() && text::is_digit(full[i]) && length < full.size())
            length = length * 10 + static_cast<size_t>(full[i++] - '0');
        if (length == 0 || length > full.size() - std::min(i, full.size())) break;
        if (!full.substr(i).starts_with("_GLOBAL__N")) result.push_back(full.substr(i, length));
        i += length;
    }
    return result;
}

std::string short_of_mangled(std::string_view full) {
    const std::vector<std::string_view> names = mangled_identifiers(full);
    std::string_view last;
    for (std::string_view name : names) {
        if (!name.empty())
            last = name;
        else if (!last.empty() && !is_wrapper(last))
            break;
    }
    return std::string(last.empty() ? full : last);
}

// Tensile's names list every option of the kernel after the size of its tile.
std::string short_of_tensile(std::string_view full) {
    return std::string(full.substr(0, full.find("_SN_")));
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
    if (name.starts_with("_Z")) return short_of_mangled(name);
    if (name.starts_with("Cijk_")) return short_of_tensile(name);
    const std::string plain = without_anonymous(name);
    std::string result = short_of_demangled(plain);
    return result.empty() ? std::string(name) : result;
}

KernelClass kernel_class(std::string_view name) {
    constexpr std::array<std::string_view, 7> prefixes = {"nccl",   "rccl",    "msccl", "hccl",
                                                          "oneccl", "nvshmem", "xccl"};
    constexpr std::array<std::string_view, 9> parts = {
        "ncclKernel",          "ncclDevKernel",           "rcclKernel",
        "cross_device_reduce", "multimem_all_reduce",     "one_shot_all_reduce",
        "two_shot_all_reduce", "allreduce_fusion_kernel", "userbuffers_fp16_sum"};
    const bool starts = std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) {
        return name.size() >= p.size() && std::equal(p.begin(), p.end(), name.begin(),
                                                     [](char a, char b) { return a == text::lower(b); });
    });
    const bool has =
        std::any_of(parts.begin(), parts.end(), [&](std::string_view p) { return text::contains(name, p); });
    return starts || has ? KernelClass::kCommunication : KernelClass::kCompute;
}

}  // namespace opsight::analyze
