// Iterations, and which op has which API calls and device work.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "query/dlprof/model.h"

namespace opsight::query::dlprof {
namespace {

class Attribution {
  public:
    Attribution(Model& model, const Options& options)
        : model_(model), r_(model.recording), options_(options) {}

    Status run() {
        match_calls();
        make_work();
        cut();
        make_ops(model_);
        OPSIGHT_TRY(choose_range());
        leave_out_others();
        sum_up();
        return {};
    }

  private:
    // The innermost op open on the thread when a call began; else a pseudo-op named after the call, of which
    // each call is an instance. What a database tells to be a pseudo-op is one wherever it lies.
    void match_calls() {
        const Calls& calls = r_.calls;
        model_.instance_of_call.assign(calls.size(), -1);
        const size_t in_ops = model_.instances.size();
        std::vector<size_t> open;
        size_t next = 0;
        for (size_t call = 0; call < calls.size(); ++call) {
            const auto comes_first = [&](const Instance& i) {
                return i.track < calls.track[call] ||
                       (i.track == calls.track[call] && i.begin <= calls.begin[call]);
            };
            for (; next < in_ops && comes_first(model_.instances[next]); ++next) {
                close(open, model_.instances[next].track, model_.instances[next].begin);
                open.push_back(next);
            }
            close(open, calls.track[call], calls.begin[call]);
            const bool is_pseudo = open.empty() || r_.told_of.contains(calls.id[call]);
            const size_t instance = is_pseudo ? add_pseudo(call) : open.back();
            model_.instance_of_call[call] = static_cast<int32_t>(instance);
            model_.instances[instance].api_ns += calls.end[call] - calls.begin[call];
        }
    }

    void close(std::vector<size_t>& open, int32_t track, int64_t time) const {
        while (!open.empty() &&
               (model_.instances[open.back()].track != track || model_.instances[open.back()].end <= time))
            open.pop_back();
    }

    size_t add_pseudo(size_t call) {
        Instance instance;
        instance.track = r_.calls.track[call];
        instance.iteration = r_.calls.iteration[call];
        instance.begin = r_.calls.begin[call];
        instance.end = r_.calls.end[call];
        const auto told = r_.told_of.find(r_.calls.id[call]);
        const auto name = r_.call_names.find(r_.calls.name[call]);
        if (told != r_.told_of.end())
            recorded_.take(told->second, instance);
        else
            instance.kind =
                pseudo_kind(name == r_.call_names.end() ? std::string_view("unknown") : name->second);
        model_.instances.push_back(instance);
        return model_.instances.size() - 1;
    }

    // `call`: its exported name; empty: none is known.
    int32_t pseudo_kind(std::string_view call) {
        OpKind kind;
        kind.type = call.empty() ? "unassociated" : call;
        kind.name = call.empty() ? kind.type : "unassociated_" + kind.type;
        kind.pseudo = true;
        return model_.kind(kind);
    }

    void make_work() {
        const DeviceRows& d = r_.device;
        model_.work.reserve(d.size());
        for (size_t row = 0; row < d.size(); ++row) {
            Work work;
            work.kind = d.kind[row];
            work.row = static_cast<int32_t>(row);
            work.device = d.device[row];
            work.kernel = d.kind[row] == 0 ? d.name[row] : -1;
            work.config = d.config[row];
            work.begin = d.begin[row];
            work.end = d.end[row];
            const auto call = std::lower_bound(r_.calls.by_id.begin(), r_.calls.by_id.end(),
                                               std::pair(d.launch[row], INT32_MIN));
            if (d.launch[row] >= 0 && call != r_.calls.by_id.end() && call->first == d.launch[row]) {
                work.call = call->second;
                work.instance = model_.instance_of_call[call->second];
            } else {
                work.instance = add_unlaunched(row);
            }
            model_.work.push_back(work);
        }
    }

    // Work without a known launch: an instance without time on the CPU.
    int32_t add_unlaunched(size_t row) {
        Instance instance;
        instance.kind = pseudo_kind({});
        instance.iteration = r_.device.iteration[row];
        instance.begin = instance.end = r_.device.begin[row];
        model_.instances.push_back(instance);
        return static_cast<int32_t>(model_.instances.size() - 1);
    }

    // The key op's instances end the iterations; what comes after the last one is an iteration too. Without a
    // key op those of a database or of the profile count, but for reports of Nsight Systems: of them DLProf
    // made one, from the start of the session to the last end on the CPU.
    void cut() {
        Iterations& it = model_.iterations;
        it.key_op = options_.key_op;
        it.as_recorded = it.key_op.empty() && r_.origin == Origin::kRecorded && !iterations_asked();
        if (it.key_op.empty() && take_known()) return;
        std::vector<int64_t> ends = key_ends(it.key_op);
        // What DLProf took for TensorFlow 1, where nothing was asked for.
        const bool maybe_tensorflow1 = options_.mode == Mode::kAuto || options_.mode == Mode::kTensorFlow1;
        if (it.key_op.empty() && r_.from_nsys && maybe_tensorflow1) ends = key_ends("global_step");
        it.split = !ends.empty();
        int64_t last = r_.zero;
        bool more = ends.empty();
        for (const Instance& i : model_.instances) {
            if (i.track < 0) continue;
            last = std::max(last, i.end);
            more = more || i.begin >= ends.back();
        }
        if (more) ends.push_back(ends.empty() ? last : std::max(last, ends.back()));
        int64_t begin = r_.zero;
        for (const int64_t end : ends) {
            it.list.emplace_back(begin, end);
            begin = end;
        }
        place();
    }

    // At the import.
    bool iterations_asked() const {
        const std::string source = r_.fact("iteration_source");
        return source == "key_op" || source == "range_regex";
    }

    bool take_known() {
        Iterations& it = model_.iterations;
        if (it.as_recorded) {
            if (r_.recorded_iterations.empty()) return false;
            it.list = r_.recorded_iterations;
            it.numbers = r_.recorded_numbers;
            it.key_op = r_.property("dlprof_key_op");
            it.split = true;
            place();
            return true;
        }
        if (r_.stored_iterations.size() < 2 || (r_.from_nsys && !iterations_asked())) return false;
        it.list = r_.stored_iterations;
        it.split = true;
        if (options_.domain) place_in_stored();
        return true;
    }

    // By begin; what lies before the first iteration belongs to it, what lies after the last to that.
    void place() {
        const Spans& list = model_.iterations.list;
        for (Instance& instance : model_.instances) {
            const auto after = std::upper_bound(
                list.begin(), list.end(), instance.begin,
                [](int64_t time, const std::pair<int64_t, int64_t>& of) { return time < of.second; });
            instance.iteration =
                static_cast<int32_t>(std::min<int64_t>(after - list.begin(), std::ssize(list) - 1));
        }
    }

    // Ranges that are not ops by themselves have no iteration in the profile.
    void place_in_stored() {
        const auto& list = model_.iterations.list;
        for (Instance& instance : model_.instances) {
            if (instance.iteration >= 0) continue;
            const auto after =
                std::upper_bound(list.begin(), list.end(), std::pair(instance.begin, INT64_MAX));
            if (after == list.begin() || std::prev(after)->second <= instance.begin) continue;
            instance.iteration = static_cast<int32_t>(after - list.begin() - 1);
        }
    }

    // Ends of all calls of the key op's kind. Its id is that of the reports without a key op, where an export
    // of Nsight Systems is one iteration.
    std::vector<int64_t> key_ends(const std::string& key_op) {
        std::vector<int64_t> ends;
        if (key_op.empty()) return ends;
        if (r_.from_nsys)
            for (Instance& instance : model_.instances)
                instance.iteration = 0;
        make_ops(model_);
        int32_t key = -1;
        for (size_t i = 0; i < model_.ops.size() && key < 0; ++i)
            if (model_.ops[i].id == key_op) key = model_.ops[i].kind;
        const auto path = [](std::string_view name) { return name.substr(name.starts_with('/') ? 1 : 0); };
        for (size_t i = 0; i < model_.kinds.size() && key < 0; ++i)
            if (path(model_.kinds[i].name) == path(key_op)) key = static_cast<int32_t>(i);
        for (const Instance& instance : model_.instances)
            if (key >= 0 && instance.kind == key) ends.push_back(instance.end);
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        return ends;
    }

    static std::optional<int64_t> whole(const std::string& told) {
        int64_t number = 0;
        const auto [end, problem] = std::from_chars(told.data(), told.data() + told.size(), number);
        if (told.empty() || problem != std::errc() || end != told.data() + told.size()) return std::nullopt;
        return number;
    }

    // A database's own range is that of its aggregation.
    void choose_recorded_range() {
        Iterations& it = model_.iterations;
        const auto start = whole(r_.property("dlprof_iteration_start")),
                   stop = whole(r_.property("dlprof_iteration_stop"));
        if (!start || !stop) return;
        if (!it.split && *start == *stop) it.numbers = {*start};
        const auto first = it.place_of(*start), last = it.place_of(*stop);
        if (first && last && *first <= *last) {
            it.start = *first;
            it.stop = *last;
            return;
        }
        it.as_recorded = false;
        model_.notes.push_back(fmt::format(
            "the database tells a range of iterations, {} to {}, that its list of {} to {} does not "
            "have: all of them are taken",
            *start, *stop, it.number(it.start), it.number(it.stop)));
    }

    Status choose_range() {
        Iterations& it = model_.iterations;
        const int64_t last = std::ssize(it.list) - 1;
        it.start = 0;
        it.stop = last;
        if (it.as_recorded) choose_recorded_range();
        const std::pair recorded(it.start, it.stop);
        const auto none = [&](int64_t number) {
            return fail(Error{fmt::format("there is no iteration {}: DLProf's count goes from {} to {}",
                                          number, it.number(0), it.number(last)),
                              {},
                              {},
                              "choose the range with --iter-start and --iter-stop, and the op that ends "
                              "iterations with --key-op",
                              2});
        };
        if (options_.start) {
            const auto place = it.place_of(*options_.start);
            if (!place) return none(*options_.start);
            it.start = *place;
        }
        if (options_.stop) {
            const bool beyond = *options_.stop > it.number(last);
            const auto place = beyond ? last : it.place_of(*options_.stop);
            if (!place) return none(*options_.stop);
            it.stop = *place;
            if (beyond)
                model_.notes.push_back(
                    fmt::format("there is no iteration {}: the range ends with {}, the last one",
                                *options_.stop, it.number(last)));
        }
        if (it.start > it.stop) return none(it.number(it.start));
        it.as_recorded = it.as_recorded && recorded == std::pair(it.start, it.stop);
        return {};
    }

    bool in_range(int32_t iteration) const {
        return iteration >= model_.iterations.start && iteration <= model_.iterations.stop;
    }

    // In place: nothing is ever moved to where something waits to be looked at.
    void leave_out_others() {
        std::vector<int32_t> place(model_.instances.size(), -1);
        size_t kept = 0;
        for (size_t i = 0; i < model_.instances.size(); ++i) {
            if (!in_range(model_.instances[i].iteration)) continue;
            place[i] = static_cast<int32_t>(kept);
            model_.instances[kept++] = model_.instances[i];
        }
        model_.instances.resize(kept);
        size_t work = 0;
        for (const Work& each : model_.work) {
            Work w = each;
            if (place[w.instance] < 0) continue;
            w.instance = place[w.instance];
            w.iteration = model_.instances[w.instance].iteration;
            model_.work[work++] = w;
        }
        model_.work.resize(work);
        for (int32_t& instance : model_.instance_of_call)
            if (instance >= 0) instance = place[instance];
    }

    // Union and gaps of each instance's work, which comes by begin.
    void sum_up() {
        std::vector<int64_t> first(model_.instances.size(), INT64_MAX),
            last(model_.instances.size(), INT64_MIN);
        for (const Work& w : model_.work) {
            Instance& i = model_.instances[w.instance];
            int64_t& end = last[w.instance];
            first[w.instance] = std::min(first[w.instance], w.begin);
            i.gpu_ns += std::max<int64_t>(0, w.end - std::max(w.begin, end));
            end = std::max(end, w.end);
            if (!model_.uses_tc(w)) continue;
            Op& op = model_.ops[i.op];
            op.uses_tc = true;
            op.eligible |= !op.judged;
        }
        for (size_t i = 0; i < model_.instances.size(); ++i) {
            if (last[i] == INT64_MIN) continue;
            model_.instances[i].gpu_idle_ns = last[i] - first[i] - model_.instances[i].gpu_ns;
        }
    }

    Model& model_;
    const Recording& r_;
    const Options& options_;
    RecordedOps recorded_{model_};
};

}  // namespace

std::optional<int64_t> Iterations::place_of(int64_t number) const {
    if (numbers.empty())
        return number >= 0 && number < std::ssize(list) ? std::optional(number) : std::nullopt;
    const auto found = std::find(numbers.begin(), numbers.end(), number);
    return found == numbers.end() ? std::nullopt : std::optional(found - numbers.begin());
}

Status find_work(Model& model, const Options& options) {
    return Attribution(model, options).run();
}

}  // namespace opsight::query::dlprof
