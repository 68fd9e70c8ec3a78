#include "import/capture/process_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace opsight::importer::capture {
namespace {

using wire::SignatureInput;

constexpr std::string_view kProperty = "process_group_";
constexpr char kBetween = '\x1f';
constexpr size_t kMostMembers = 1 << 16;

template <class Number>
bool read_number(std::string_view text, Number& to) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), to);
    return problem == std::errc() && end == text.data() + text.size();
}

std::string_view take_until(std::string_view& rest, char end) {
    const size_t at = std::min(rest.find(end), rest.size());
    const std::string_view part = rest.substr(0, at);
    rest.remove_prefix(std::min(at + 1, rest.size()));
    return part;
}

// "0:4:1,8:1:0": first, how many, step.
std::vector<int64_t> read_members(std::string_view text) {
    std::vector<int64_t> members;
    while (!text.empty()) {
        std::string_view run = take_until(text, ',');
        int32_t first = 0, step = 0;
        uint32_t count = 0;
        if (!read_number(take_until(run, ':'), first) || !read_number(take_until(run, ':'), count) ||
            !read_number(run, step) || count > kMostMembers - members.size())
            return {};
        for (int64_t i = 0; i < count; ++i)
            members.push_back(first + i * step);
    }
    return members;
}

int64_t times(int64_t elements, int64_t count) {
    int64_t all = 0;
    if (elements < 0 || count < 0) return -1;
    return __builtin_mul_overflow(elements, count, &all) ? -1 : all;
}

}  // namespace

std::map<uint64_t, ProcessGroup> read_groups(const std::map<std::string, std::string>& properties) {
    std::map<uint64_t, ProcessGroup> groups;
    for (auto at = properties.lower_bound(std::string(kProperty));
         at != properties.end() && at->first.starts_with(kProperty); ++at) {
        uint64_t number = 0;
        std::string_view rest = at->second;
        if (!read_number(std::string_view(at->first).substr(kProperty.size()), number)) continue;
        ProcessGroup group;
        group.name = take_until(rest, kBetween);
        group.description = take_until(rest, kBetween);
        group.backend = take_until(rest, kBetween);
        if (!read_number(take_until(rest, kBetween), group.size) || group.size < 1) continue;
        group.members = read_members(rest);
        if (group.members.size() != static_cast<uint64_t>(group.size)) group.members.clear();
        groups.emplace(number, std::move(group));
    }
    return groups;
}

// What an op of a group moves.
struct ProcessGroups::Call {
    uint64_t group = 0;  // its number; 0: none
    uint8_t dtype = 255;
    int64_t in_elements = -1, out_elements = -1;
    bool sends = false, receives = false;
    int64_t partner = -1;  // of these: rank in the job; -1: not known
};

const ProcessGroup* ProcessGroups::known(uint64_t group) const {
    const auto found = groups_.find(group);
    return found == groups_.end() ? nullptr : &found->second;
}

int64_t ProcessGroups::times_size(int64_t elements, uint64_t group) const {
    const ProcessGroup* of = known(group);
    return of ? times(elements, of->size) : -1;
}

// Its rank in the job; -1: not known.
int64_t ProcessGroups::member(uint64_t group, int64_t place) const {
    const ProcessGroup* of = known(group);
    if (!of || place < 0 || static_cast<uint64_t>(place) >= of->members.size()) return -1;
    return of->members[static_cast<size_t>(place)];
}

bool ProcessGroups::is_root(uint64_t group, int64_t root) const {
    return rank_ >= 0 && member(group, root) == rank_;
}

ProcessGroups::Call ProcessGroups::call_of(std::string_view op,
                                           const std::vector<SignatureInput>& inputs) const {
    Call call;
    std::vector<int64_t> tensors;  // elements of each input that has any
    int64_t number = -1;           // the first after the group: root or partner
    for (const SignatureInput& input : inputs) {
        if (input.what == SignatureInput::What::kGroup) call.group = static_cast<uint64_t>(input.value);
        if (input.what == SignatureInput::What::kInt && call.group != 0 && number < 0) number = input.value;
        if (input.what != SignatureInput::What::kTensors) continue;
        if (tensors.empty()) call.dtype = input.dtype;
        tensors.push_back(input.elements);
    }
    const auto is = [op](std::string_view part) { return op.find(part) != op.npos; };
    const int64_t first = tensors.empty() ? 0 : tensors.front(), last = tensors.empty() ? 0 : tensors.back();
    call.in_elements = call.out_elements = first;
    call.sends = is("::send");
    call.receives = is("::recv");
    if (call.sends || call.receives) {
        if (!is("any_source")) call.partner = member(call.group, number);
    } else if (is("allgather")) {
        call.in_elements = last;
        call.out_elements = tensors.size() > 1 ? first : times_size(last, call.group);
    } else if (is("reduce_scatter")) {
        call.in_elements = tensors.size() > 1 ? last : times_size(first, call.group);
    } else if (is("alltoall")) {
        call.in_elements = last;
    } else if (is("gather")) {
        call.in_elements = last;
        call.out_elements = is_root(call.group, number) ? times_size(last, call.group) : 0;
    } else if (is("scatter")) {
        call.in_elements = is_root(call.group, number) ? times_size(first, call.group) : 0;
    }
    return call;
}

CollectiveId ProcessGroups::collective_of(std::string_view op, const std::vector<SignatureInput>& inputs) {
    const Call call = call_of(op, inputs);
    const ProcessGroup* group = known(call.group);
    if (!group) return {};
    std::string_view name = op.substr(op.rfind(':') + 1);
    while (name.ends_with('_'))
        name.remove_suffix(1);
    Collective facts;
    facts.name = builder_.text(name);
    facts.dtype = builder_.text(wire::collective_dtype_name(call.dtype));
    facts.group_name = builder_.text(group->name);
    facts.group_description = builder_.text(group->description);
    facts.group_ranks = StringId(size_t{0});
    facts.in_elements = call.in_elements;
    facts.out_elements = call.out_elements;
    if (call.partner >= 0) {
        const int64_t from = call.sends ? rank_ : call.partner, to = call.sends ? call.partner : rank_;
        facts.group_ranks = builder_.text(fmt::format("[{}, {}]", from, to));
        facts.group_size = 2;
    } else if (!call.sends && !call.receives) {
        facts.group_size = group->size;
        if (!group->members.empty())
            facts.group_ranks = builder_.text(fmt::format("[{}]", fmt::join(group->members, ", ")));
    }
    return builder_.collective(facts);
}

}  // namespace opsight::importer::capture
