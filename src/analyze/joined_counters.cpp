#include "analyze/joined_counters.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "analyze/kernel_names.h"
#include "analyze/launch_ranges.h"
#include "analyze/measured_work.h"

namespace opsight::analyze {
namespace {

constexpr size_t kMostNames = 3;
constexpr uint32_t kNone = UINT32_MAX;
// From this many kernels on, of so many kinds, a sequence is the same part of the program each time it comes.
constexpr size_t kLongSequence = 16, kDistinctOfLong = 4;
constexpr double kAlike = 0.01;

bool is_launch(const Profile& p, size_t row) {
    return p.device.kind[row] == DeviceKind::kKernel ||
           (p.device.kind[row] == DeviceKind::kOther && p.device.config[row].valid());
}

// Whether a name is more than that of the function.
bool is_whole(std::string_view name) {
    return name.find('(') != name.npos || name.find('<') != name.npos;
}

std::string without_spaces(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c != ' ') out += c;
    return out;
}

// A measured launch.
struct Launch {
    uint32_t row = 0;  // of the other profile
    std::string whole, base;
    std::vector<std::pair<StringId, double>> counters;
    MeasuredWork work;
    int64_t stands_for = 1;  // launches: what was measured alike in all of them
};

// What differs between the launches that a sum of nvprof's is of.
bool is_of_some(std::string_view counter) {
    if (counter.ends_with(']')) counter = counter.substr(0, counter.rfind(" ["));
    return counter.ends_with(" (avg)") || counter.ends_with(" (min)") || counter.ends_with(" (max)");
}

class Join {
  public:
    Join(Profile& profile, const Profile& measured) : p_(profile), m_(measured) {}

    JoinedCounters run() {
        find_launches();
        find_kernels();
        find_ranges();
        const std::vector<DeviceId> devices = devices_of(m_);
        for (const DeviceId device : devices)
            join_device(device, partner_of(device, devices.size() == 1));
        out_.covered = std::count_if(taken_.begin(), taken_.end(), [](uint32_t l) { return l != kNone; });
        for (size_t row = 0; row < taken_.size(); ++row)
            if (taken_[row] != kNone) add(row, launches_[taken_[row]]);
        std::sort(out_.counted.begin(), out_.counted.end(),
                  [](const CountedKernel& a, const CountedKernel& b) { return a.name < b.name; });
        return std::move(out_);
    }

  private:
    using Rows = std::vector<uint32_t>;

    DeviceId device_of(const Profile& p, size_t row) const {
        return p.tracks[p.device.track[row].index()].device;
    }

    std::vector<DeviceId> devices_of(const Profile& p) const {
        std::vector<DeviceId> devices;
        for (size_t row = 0; row < p.device.size(); ++row)
            if (is_launch(p, row)) devices.push_back(device_of(p, row));
        std::sort(devices.begin(), devices.end());
        devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
        return devices;
    }

    // Counters stand at the begin of their launch, on a track that bears the kernel's name.
    void find_launches() {
        absl::flat_hash_map<std::tuple<int64_t, uint32_t, std::string_view>,
                            std::vector<std::pair<StringId, double>>>
            counters;
        const CounterSamples& c = m_.counters;
        for (size_t i = 0; i < c.size(); ++i) {
            const Track& track = m_.tracks[c.track[i].index()];
            counters[{c.time[i], track.device.value, m_.strings.view(track.pid_text)}].emplace_back(
                c.name[i], c.value[i]);
        }
        for (uint32_t row = 0; row < m_.device.size(); ++row) {
            if (!is_launch(m_, row)) continue;
            Launch launch;
            launch.row = row;
            const std::string_view name = m_.strings.view(m_.device.name[row]);
            launch.base = short_kernel_name(name);
            if (is_whole(name)) launch.whole = without_spaces(name);
            const auto found = counters.find({m_.device.begin[row], device_of(m_, row).value, name});
            if (found == counters.end()) continue;  // nothing was measured of it
            for (const auto& counter : found->second) {
                const std::string_view what = m_.strings.view(counter.first);
                if (what == kInvocations)
                    launch.stands_for = std::max<int64_t>(1, std::llround(std::min(counter.second, 1e15)));
                else if (!is_of_some(what))
                    launch.counters.push_back(counter);
            }
            const LaunchConfigId config = m_.device.config[row];
            lacks_grids_ |= !config.valid() || m_.launch_configs[config.index()].grid[0] < 0;
            const Device& device = m_.devices[device_of(m_, row).index()];
            std::vector<std::pair<std::string_view, double>> named;
            for (const auto& [id, amount] : launch.counters)
                named.emplace_back(m_.strings.view(id), amount);
            const bool timed = m_.device.kind[row] == DeviceKind::kKernel;
            launch.work = measured_work(named, timed ? static_cast<double>(m_.device.dur[row]) : -1,
                                        device.compute_major, device.compute_minor);
            launches_.push_back(std::move(launch));
        }
        out_.launches = std::ssize(launches_);
    }

    void find_kernels() {
        taken_.assign(p_.device.size(), kNone);
        for (size_t row = 0; row < p_.device.size(); ++row) {
            if (p_.device.kind[row] != DeviceKind::kKernel) continue;
            ++out_.kernels;
            out_.kernel_ns += p_.device.dur[row];
            const LaunchConfigId config = p_.device.config[row];
            has_grids_ |= config.valid() && p_.launch_configs[config.index()].grid[0] > 0;
        }
    }

    // The one device of the profile, or the only one of that number.
    DeviceId partner_of(DeviceId measured, bool only) const {
        const std::vector<DeviceId> devices = devices_of(p_);
        if (only && devices.size() == 1) return devices[0];
        DeviceId found;
        for (const DeviceId device : devices)
            if (p_.devices[device.index()].number == m_.devices[measured.index()].number) {
                if (found.valid()) return {};
                found = device;
            }
        return found;
    }

    std::string config_key(const Profile& p, size_t row) const {
        const LaunchConfigId id = p.device.config[row];
        if (!has_grids_ || lacks_grids_ || !id.valid()) return {};
        const LaunchConfig& c = p.launch_configs[id.index()];
        return fmt::format("|{},{},{}|{},{},{}", c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1],
                           c.block[2]);
    }

    // Names of NVTX ranges that both recordings know: others belong to domains or times of one alone, or have
    // numbers that differ from run to run.
    void find_ranges() {
        absl::flat_hash_map<std::string_view, int> known;  // 1: of launches, 2: of both
        for (const Launch& launch : launches_)
            for (const std::string_view name : names_around(launch))
                known[name] = 1;
        if (known.empty()) return;
        stacks_ = ranges_of_launches(p_);
        for (const RangeStacks::Stack& stack : stacks_.stacks)
            if (stack.name.valid())
                if (const auto found = known.find(p_.strings.view(stack.name)); found != known.end())
                    found->second = 2;
        for (const auto& [name, of] : known)
            if (of == 2) common_.insert(name);
    }

    std::vector<std::string_view> names_around(const Launch& launch) const {
        const StringId id = m_.device.ranges_around(launch.row);
        if (!id.valid()) return {};
        std::vector<std::string_view> names;
        for (std::string_view left = m_.strings.view(id); !left.empty();) {
            names.push_back(left.substr(0, left.find('\n')));
            left.remove_prefix(std::min(names.back().size() + 1, left.size()));
        }
        return names;
    }

    template <class Names>
    std::string ranges_key(const Names& names) const {
        std::string key;
        for (const std::string_view name : names)
            if (common_.contains(name)) key += fmt::format("\n{}", name);
        return key;
    }

    std::string ranges_of_kernel(uint32_t row) const {
        if (common_.empty()) return {};
        std::vector<std::string_view> names;
        for (const StringId name : stacks_.names(stacks_.of_row[row]))
            names.push_back(p_.strings.view(name));
        return ranges_key(names);
    }

    // The same number for kernels and launches that may be the same.
    uint32_t key(std::string text) {
        return keys_.try_emplace(std::move(text), static_cast<uint32_t>(keys_.size())).first->second;
    }

    void join_device(DeviceId measured, DeviceId device) {
        Rows launches;
        for (uint32_t i = 0; i < launches_.size(); ++i)
            if (device_of(m_, launches_[i].row) == measured) launches.push_back(i);
        if (!device.valid()) {
            for (const uint32_t i : launches)
                give_up(out_.ambiguous, out_.ambiguous_kernels, launches_[i]);
            return;
        }
        Rows kernels;
        for (uint32_t row = 0; row < p_.device.size(); ++row)
            if (p_.device.kind[row] == DeviceKind::kKernel && device_of(p_, row) == device)
                kernels.push_back(row);
        std::stable_sort(kernels.begin(), kernels.end(),
                         [&](uint32_t a, uint32_t b) { return p_.device.begin[a] < p_.device.begin[b]; });
        // Whole names or none: kernels are told apart in one way.
        const bool whole = std::all_of(launches.begin(), launches.end(),
                                       [&](uint32_t i) { return !launches_[i].whole.empty(); });
        Keys of_kernels, of_launches;
        for (const uint32_t row : kernels) {
            const std::string_view name = p_.strings.view(p_.device.name[row]);
            add_keys(of_kernels,
                     (whole ? without_spaces(name) : short_kernel_name(name)) + config_key(p_, row),
                     ranges_of_kernel(row));
        }
        for (const uint32_t i : launches)
            add_keys(of_launches,
                     (whole ? launches_[i].whole : launches_[i].base) + config_key(m_, launches_[i].row),
                     ranges_key(names_around(launches_[i])));
        // Ranges that fit nowhere were recorded otherwise.
        const std::set<uint32_t> within(of_kernels.within.begin(), of_kernels.within.end());
        const bool fit = std::any_of(of_launches.within.begin(), of_launches.within.end(),
                                     [&](uint32_t k) { return within.contains(k); });
        join_keys(kernels, fit ? of_kernels.within : of_kernels.own, launches,
                  fit ? of_launches.within : of_launches.own);
        if (fit) count_told_apart(of_kernels, launches, of_launches);
    }

    // Of kernels or launches: what tells them apart, and the same within the NVTX ranges around them.
    struct Keys {
        std::vector<uint32_t> own, within;
    };

    void add_keys(Keys& keys, const std::string& own, const std::string& ranges) {
        keys.own.push_back(key(own));
        keys.within.push_back(ranges.empty() ? keys.own.back() : key(own + ranges));
    }

    void join_keys(const Rows& kernels, const std::vector<uint32_t>& of_kernels, const Rows& launches,
                   const std::vector<uint32_t>& of_launches) {
        if (!join_sequence(kernels, of_kernels, launches, of_launches))
            join_by_key(kernels, of_kernels, launches, of_launches);
    }

    // Launches that are joined, and would have others to choose from but for the ranges.
    void count_told_apart(const Keys& kernels, const Rows& launches, const Keys& of_launches) {
        absl::flat_hash_map<uint32_t, uint32_t> one;  // own key: the only key within ranges, else kNone
        for (size_t i = 0; i < kernels.own.size(); ++i) {
            const auto [known, is_new] = one.try_emplace(kernels.own[i], kernels.within[i]);
            if (!is_new && known->second != kernels.within[i]) known->second = kNone;
        }
        const std::set<uint32_t> joined(taken_.begin(), taken_.end());
        for (size_t i = 0; i < launches.size(); ++i)
            if (const auto found = one.find(of_launches.own[i]); found != one.end())
                out_.by_ranges += found->second == kNone && joined.contains(launches[i]);
    }

    // Where the launches stand one behind the other among the kernels. Several such places are one part of
    // the program that comes again where they follow upon each other, or are too long to be so by chance.
    bool join_sequence(const Rows& kernels, const std::vector<uint32_t>& text, const Rows& launches,
                       const std::vector<uint32_t>& wanted) {
        if (std::any_of(launches.begin(), launches.end(),
                        [&](uint32_t i) { return launches_[i].stands_for > 1; }))
            return false;  // names in no order
        std::vector<size_t> places;
        for (auto at = text.begin(); !wanted.empty();) {
            at = std::search(at, text.end(), std::default_searcher(wanted.begin(), wanted.end()));
            if (at == text.end()) break;
            places.push_back(static_cast<size_t>(at - text.begin()));
            at += std::ssize(wanted);
        }
        if (places.empty()) return false;
        bool adjacent = true;
        for (size_t i = 1; i < places.size(); ++i)
            adjacent = adjacent && places[i] - places[i - 1] == wanted.size();
        const std::set<uint32_t> distinct(wanted.begin(), wanted.end());
        const auto same =
            std::count_if(text.begin(), text.end(), [&](uint32_t k) { return distinct.contains(k); });
        const bool are_all = static_cast<size_t>(same) == places.size() * wanted.size();
        const bool is_long = wanted.size() >= kLongSequence && distinct.size() >= kDistinctOfLong;
        const bool means_one =
            is_long || (are_all && (places.size() == 1 || (adjacent && distinct.size() > 1)));
        if (!means_one) return false;
        for (const size_t place : places)
            for (size_t i = 0; i < wanted.size(); ++i)
                taken_[kernels[place + i]] = launches[i];
        out_.by_sequence += std::ssize(launches);
        return true;
    }

    void join_by_key(const Rows& kernels, const std::vector<uint32_t>& of_kernels, const Rows& launches,
                     const std::vector<uint32_t>& of_launches) {
        absl::flat_hash_map<uint32_t, Rows> by_key, measured;
        for (size_t i = 0; i < kernels.size(); ++i)
            by_key[of_kernels[i]].push_back(kernels[i]);
        for (size_t i = 0; i < launches.size(); ++i)
            measured[of_launches[i]].push_back(launches[i]);
        for (size_t i = 0; i < launches.size(); ++i) {  // in their order, once a key
            const Rows& same = measured.at(of_launches[i]);
            if (same.front() != launches[i]) continue;
            const auto found = by_key.find(of_launches[i]);
            const size_t count = found == by_key.end() ? 0 : found->second.size();
            if (count == 0) {
                for (const uint32_t launch : same)
                    give_up(out_.unknown, out_.unknown_kernels, launches_[launch]);
            } else if (launches_[same[0]].stands_for > 1) {
                join_sum(same, found->second);
            } else if (count == same.size() || (same.size() > 1 && are_alike(same))) {
                for (size_t k = 0; k < count; ++k)
                    taken_[found->second[k]] = same[std::min(k, same.size() - 1)];
                (count == same.size() ? out_.by_order : out_.alike) += std::ssize(same);
            } else {
                for (const uint32_t launch : same)
                    give_up(out_.ambiguous, out_.ambiguous_kernels, launches_[launch]);
            }
        }
    }

    // A row that stands for many launches is of all kernels of its name where their work was measured alike,
    // and there are as many of them, or as many in each of several rounds: else kernels of other sizes may be
    // among them.
    void join_sum(const Rows& same, const Rows& kernels) {
        const Launch& launch = launches_[same[0]];
        const MeasuredWork& work = launch.work;
        const bool known = work.flops || work.tensor_flops || work.memory_bytes;
        if (same.size() > 1 || !known || std::ssize(kernels) % launch.stands_for != 0) {
            for (const uint32_t each : same)
                give_up(out_.ambiguous, out_.ambiguous_kernels, launches_[each]);
            return;
        }
        for (const uint32_t row : kernels)
            taken_[row] = same[0];
        out_.alike += 1;
    }

    // Whether the work of launches is the same, so that it does not matter which is which.
    bool are_alike(const Rows& launches) const {
        const auto same = [&](std::optional<double> MeasuredWork::*member) {
            const std::optional<double> first = launches_[launches[0]].work.*member;
            return std::all_of(launches.begin(), launches.end(), [&](uint32_t i) {
                const std::optional<double> other = launches_[i].work.*member;
                return other.has_value() == first.has_value() &&
                       (!first || std::abs(*other - *first) <= kAlike * std::max(std::abs(*first), 1.0));
            });
        };
        const MeasuredWork& work = launches_[launches[0]].work;
        return (work.flops || work.tensor_flops || work.memory_bytes) && same(&MeasuredWork::flops) &&
               same(&MeasuredWork::tensor_flops) && same(&MeasuredWork::memory_bytes);
    }

    static void give_up(int64_t& count, std::vector<std::string>& names, const Launch& launch) {
        ++count;
        if (names.size() < kMostNames && std::find(names.begin(), names.end(), launch.base) == names.end())
            names.push_back(launch.base);
    }

    TrackId track_beside(TrackId stream) {
        const auto [known, is_new] = tracks_.try_emplace(stream, TrackId());
        if (!is_new) return known->second;
        Track track = p_.tracks[stream.index()];
        track.kind = TrackKind::kOther;
        const std::string_view name = p_.strings.view(track.name);
        track.pid_text = p_.strings.intern(fmt::format(
            "counters of {}", name.empty() ? fmt::format("stream {}", track.stream) : std::string(name)));
        p_.tracks.push_back(track);
        return known->second = TrackId(p_.tracks.size() - 1);
    }

    void add(size_t row, const Launch& launch) {
        out_.covered_ns += p_.device.dur[row];
        const TrackId track = track_beside(p_.device.track[row]);
        const auto put = [&](StringId name, double value) {
            p_.counters.time.push_back(p_.device.begin[row]);
            p_.counters.track.push_back(track);
            p_.counters.name.push_back(name);
            p_.counters.value.push_back(value);
        };
        const auto put_known = [&](std::string_view name, const std::optional<double>& value) {
            if (value) put(p_.strings.intern(name), *value);
        };
        const MeasuredWork& work = launch.work;
        put_known(kMeasuredFlops, work.flops);
        put_known(kMeasuredTensorFlops, work.tensor_flops);
        put_known(kMeasuredMemory, work.memory_bytes);
        put_known(kMeasuredL2, work.l2_bytes);
        put_known(kMeasuredL1, work.l1_bytes);
        if (m_.device.kind[launch.row] == DeviceKind::kKernel)
            put(p_.strings.intern(kMeasuredNs), static_cast<double>(m_.device.dur[launch.row]));
        for (const auto& [name, value] : launch.counters)
            put(p_.strings.intern(m_.strings.view(name)), value);
        if (work.tensor_cores) note_tensor_cores(p_.device.name[row], *work.tensor_cores);
    }

    void note_tensor_cores(StringId kernel, bool used) {
        const auto [known, is_new] = counted_.try_emplace(kernel, out_.counted.size());
        if (is_new) out_.counted.push_back({kernel, used});
        out_.counted[known->second].tensor_cores |= used;
    }

    Profile& p_;
    const Profile& m_;
    JoinedCounters out_;
    std::vector<Launch> launches_;
    std::vector<uint32_t> taken_;                   // beside the device spans: of launches_
    RangeStacks stacks_;                            // around the kernels
    absl::flat_hash_set<std::string_view> common_;  // names of ranges, of the other profile
    bool has_grids_ = false, lacks_grids_ = false;  // the kernels; a launch
    absl::flat_hash_map<std::string, uint32_t> keys_;
    absl::flat_hash_map<TrackId, TrackId> tracks_;
    absl::flat_hash_map<StringId, size_t> counted_;
};

}  // namespace

std::string JoinedCounters::summary() const {
    std::string text = fmt::format("{} of {} measured launches joined with {} of {} kernels", joined(),
                                   launches, covered, kernels);
    if (kernel_ns > 0)
        text += fmt::format(" ({:.1f}% of their time)",
                            100.0 * static_cast<double>(covered_ns) / static_cast<double>(kernel_ns));
    std::vector<std::string> ways;
    if (by_sequence > 0) ways.push_back(fmt::format("{} by their sequence", by_sequence));
    if (by_order > 0) ways.push_back(fmt::format("{} by name, grid, block and order", by_order));
    if (alike > 0) ways.push_back(fmt::format("{} by name, grid and block, measured alike", alike));
    if (!ways.empty()) text += fmt::format(": {}", fmt::join(ways, ", "));
    if (by_ranges > 0) text += fmt::format("; NVTX ranges tell {} of them from others", by_ranges);
    if (ambiguous > 0)
        text += fmt::format("; {} not joined, for several kernels may be them ({}{})", ambiguous,
                            fmt::join(ambiguous_kernels, ", "),
                            ambiguous_kernels.size() == kMostNames ? ", ..." : "");
    if (unknown > 0)
        text += fmt::format("; {} not joined, for no kernel has their name, grid and block ({}{})", unknown,
                            fmt::join(unknown_kernels, ", "),
                            unknown_kernels.size() == kMostNames ? ", ..." : "");
    return text;
}

JoinedCounters join_counters(Profile& profile, const Profile& measured) {
    return Join(profile, measured).run();
}

}  // namespace opsight::analyze
