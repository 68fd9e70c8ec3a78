#include "analyze/kernel_labels.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "analyze/cpp_text.h"
#include "base/shorten_apart.h"
#include "base/text.h"

namespace opsight::analyze {
namespace {

constexpr size_t kDeepest = 8, kLongestRead = 1 << 14;

using Texts = std::vector<std::string_view>;

// What stands between the bracket at `open` and the one that closes it; all to the end where none does.
std::string_view inside(std::string_view text, size_t open) {
    const size_t close = closing_bracket(text, open);
    return text::trimmed(text.substr(open + 1, close == text.npos ? close : close - open - 1));
}

Texts arguments_of(std::string_view list) {
    Texts out;
    size_t begin = 0;
    for (size_t i = 0; (i = list.find_first_of("<([{,", i)) != list.npos; ++i) {
        if (list[i] != ',') {
            i = closing_bracket(list, i);
            if (i == list.npos) break;
            continue;
        }
        out.push_back(text::trimmed(list.substr(begin, i - begin)));
        begin = i + 1;
    }
    out.push_back(text::trimmed(list.substr(begin)));
    return out;
}

bool is_word(char c) {
    return text::is_letter(c) || text::is_digit(c) || c == '_';
}

// "at::native::Add<c10::Half>" -> "Add<Half>"
std::string without_namespaces(std::string_view text) {
    const std::string named = without_anonymous(text);
    std::string out;
    for (size_t i = 0; i < named.size();) {
        if (std::string_view(named).substr(i).starts_with("::")) {
            while (!out.empty() && is_word(out.back()))
                out.pop_back();
            i += 2;
            continue;
        }
        out += named[i++];
    }
    return out;
}

bool all_equal(const Texts& texts) {
    return std::all_of(texts.begin(), texts.end(), [&](std::string_view t) { return t == texts[0]; });
}

std::vector<std::string> tell_apart(const Texts& lists, size_t depth);

// Where the arguments of a function begin; npos: it is none.
size_t parameters_at(std::string_view text) {
    for (size_t i = 0; (i = text.find_first_of("<([{", i)) != text.npos; ++i) {
        if (text[i] == '(') return i;
        i = closing_bracket(text, i);
        if (i == text.npos) break;
    }
    return text.npos;
}

// Of lambdas the function that they stand in: "f<A>" of "f<A>(x)::{lambda(int)#1}", and where it has no
// arguments of its own, "f(int)" of "f(x)::{lambda(int)#1}". Others as they are.
std::string without_lambda(std::string_view whole) {
    constexpr std::string_view kLambda = "::{lambda(";
    const std::string named = without_anonymous(whole);
    const std::string_view text = named;
    const size_t last = text.rfind(kLambda), begin = parameters_at(text);
    if (last == text.npos || begin == text.npos || begin >= last) return std::string(whole);
    const std::string_view function = text.substr(0, begin);
    if (function.ends_with('>')) return std::string(function);
    return fmt::format("{}({})", function, inside(text, last + kLambda.size() - 1));
}

bool are_distinct(const std::vector<std::string>& texts) {
    return absl::flat_hash_set<std::string_view>(texts.begin(), texts.end()).size() == texts.size();
}

// The same without what lambdas add, where that tells as many of them apart.
std::vector<std::string> shorter_arguments(const Texts& arguments) {
    std::vector<std::string> out;
    for (const std::string_view each : arguments)
        out.push_back(without_lambda(each));
    const auto count = [](const auto& texts) {
        return absl::flat_hash_set<std::string_view>(texts.begin(), texts.end()).size();
    };
    if (count(out) < count(arguments)) out.assign(arguments.begin(), arguments.end());
    return out;
}

// Those of one argument of each; none of them is the same in all.
std::vector<std::string> tell_apart_argument(const Texts& whole, size_t depth) {
    const std::vector<std::string> shorter = shorter_arguments(whole);
    const Texts arguments(shorter.begin(), shorter.end());
    // Functions that stand for what they apply, as gpu_kernel_impl<Add>(…)::{lambda(int)#1}.
    const bool functions = std::equal(shorter.begin(), shorter.end(), whole.begin(),
                                      [](const std::string& a, std::string_view b) {
                                          return a.size() < b.size();
                                      });  // that takes the name of what it applies
    const size_t open = arguments[0].find('<');
    const bool nested =
        depth < kDeepest && open != std::string_view::npos && arguments[0].back() == '>' &&
        std::all_of(arguments.begin(), arguments.end(), [&](std::string_view each) {
            return each.substr(0, open + 1) == arguments[0].substr(0, open + 1) && each.back() == '>';
        });
    std::vector<std::string> out;
    if (!nested) {
        for (const std::string_view each : arguments)
            out.push_back(without_namespaces(each));
        return out;
    }
    Texts lists;
    for (const std::string_view each : arguments)
        lists.push_back(inside(each, open));
    const std::string head = without_namespaces(arguments[0].substr(0, open));
    out = tell_apart(lists, depth + 1);
    if (functions) return out;
    for (std::string& each : out)
        each = fmt::format("{}<{}>", head, each);
    return out;
}

// Of argument lists what is not the same in all.
std::vector<std::string> tell_apart(const Texts& lists, size_t depth) {
    std::vector<Texts> arguments;
    for (const std::string_view list : lists)
        arguments.push_back(arguments_of(list));
    const size_t count = arguments[0].size();
    std::vector<std::string> out(lists.size());
    if (!std::all_of(arguments.begin(), arguments.end(), [&](const Texts& a) { return a.size() == count; })) {
        for (size_t i = 0; i < lists.size(); ++i)
            out[i] = without_namespaces(lists[i]);
        return out;
    }
    for (size_t j = 0; j < count; ++j) {
        Texts column;
        for (const Texts& each : arguments)
            column.push_back(each[j]);
        if (all_equal(column)) continue;
        const std::vector<std::string> told = tell_apart_argument(column, depth);
        for (size_t i = 0; i < out.size(); ++i)
            out[i] += (out[i].empty() ? "" : ", ") + told[i];
    }
    return out;
}

// The list in the given brackets right behind the short name, of each; empty where one has none.
Texts lists_of(const std::vector<KernelName>& names, const std::vector<size_t>& group, char bracket) {
    Texts lists;
    for (const size_t i : group) {
        const std::string_view full = names[i].full.substr(0, kLongestRead);
        const std::string wanted = fmt::format("{}{}", names[i].short_name, bracket);
        size_t at = full.find(wanted);
        while (at != full.npos && at > 0 && is_word(full[at - 1]))
            at = full.find(wanted, at + 1);
        if (at == full.npos) return {};
        lists.push_back(inside(full, at + wanted.size() - 1));
    }
    return lists;
}

// The middle of a text that is too long gives way, at the borders of characters.
std::string shortened(std::string text, size_t longest) {
    if (text.size() <= longest) return text;
    const auto is_inner = [&text](size_t i) { return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80; };
    size_t head = (longest - 3) * 2 / 3, tail = text.size() - (longest - 3 - head);
    while (head > 0 && is_inner(head))
        --head;
    while (tail < text.size() && is_inner(tail))
        ++tail;
    return text.substr(0, head) + "…" + text.substr(tail);
}

void label_group(const std::vector<KernelName>& names, const std::vector<size_t>& group,
                 std::vector<std::string>& labels) {
    std::vector<std::string> told;
    for (const auto& [open, close] : {std::pair('<', '>'), std::pair('(', ')')}) {
        const Texts lists = lists_of(names, group, open);
        if (lists.empty()) continue;
        told = tell_apart(lists, 0);
        for (size_t i = 0; i < told.size(); ++i)
            told[i] = fmt::format("{}{}{}{}", names[group[i]].short_name, open, told[i], close);
        if (are_distinct(told)) break;
    }
    if (told.empty() || !are_distinct(told)) {
        told.clear();
        for (const size_t i : group)
            told.push_back(without_namespaces(names[i].full.substr(0, kLongestRead)));
    }
    for (size_t i = 0; i < group.size(); ++i)
        labels[group[i]] = std::move(told[i]);
}

// The begin of a text that is too long, and what is around a place of it.
std::string shortened_around(const std::string& text, size_t longest, size_t place) {
    if (text.size() <= longest) return text;
    constexpr size_t kGap = 3, kLead = 8;  // bytes of "…", and what is left before the place
    const auto at_border = [&text](size_t i) {
        while (i > 0 && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80)
            --i;
        return i;
    };
    const size_t head = longest / 3, room = longest - head - 2 * kGap;
    const size_t from = std::min(place > kLead ? place - kLead : 0, text.size() - room), to = from + room;
    if (from <= head) return text.substr(0, at_border(longest - kGap)) + "…";
    const size_t begin = at_border(from), end = at_border(to);
    return text.substr(0, at_border(head)) + "…" + text.substr(begin, end - begin) +
           (end < text.size() ? "…" : "");
}

// Short ones that show what tells them apart, and numbers where nothing does.
void shorten(std::vector<std::string>& labels) {
    labels = shorten_apart(
        labels, [](const std::string& text) { return shortened(text, kLongestLabel); },
        [](const std::string& text, size_t place) { return shortened_around(text, kLongestLabel, place); });
    absl::flat_hash_set<std::string> taken;
    absl::flat_hash_map<std::string, int> last;
    for (std::string& label : labels) {
        const std::string text = label;
        int& nth = last.try_emplace(text, 1).first->second;
        while (!taken.insert(label).second) {
            const std::string number = fmt::format(" #{}", ++nth);
            label = shortened(text, kLongestLabel - number.size()) + number;
        }
    }
}

}  // namespace

std::vector<std::string> kernel_labels(const std::vector<KernelName>& names) {
    absl::flat_hash_map<std::string_view, std::vector<size_t>> groups;
    for (size_t i = 0; i < names.size(); ++i)
        groups[names[i].short_name].push_back(i);
    std::vector<std::string> labels(names.size());
    for (const auto& [short_name, group] : groups) {
        if (group.size() == 1)
            labels[group[0]] = short_name;
        else
            label_group(names, group, labels);
    }
    shorten(labels);
    return labels;
}

}  // namespace opsight::analyze
