// Iterations, and which op has which API calls and device work.
#include <fmt/format.h>

#include <algorithm>

#include "query/dlprof/model.h"

namespace opsight::dlprof {
namespace {

class Attribution {
  public:
    Attribution(Model& model, const Options& options)
        : model_(model), r_(model.recording), options_(options) {}

    Status run() {
        match_calls();
        make_work();
        cut();
        OPSIGHT_TRY(choose_range());
        leave_out_others();
        sum_up();
        return {};
    }

  private:
    // The innermost op open on the thread when a call began; else a pseudo-op named after the call, of which
    // each call is an instance.
    void match_calls() {
        const Calls& calls = r_.calls;
        call_instance_.assign(calls.size(), -1);
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
            if (open.empty()) open.push_back(add_pseudo(call));
            call_instance_[call] = static_cast<int32_t>(open.back());
            model_.instances[open.back()].api_ns += calls.end[call] - calls.begin[call];
            if (open.back() >= in_ops) open.clear();
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
        const auto name = r_.call_names.find(r_.calls.name[call]);
        instance.op = pseudo_op("unassociated_" + (name == r_.call_names.end() ? "" : name->second));
        model_.instances.push_back(instance);
        return model_.instances.size() - 1;
    }

    int32_t pseudo_op(const std::string& name) {
        const auto [it, is_new] = pseudo_.try_emplace(name, static_cast<int32_t>(model_.ops.size()));
        if (is_new) {
            Op op;
            op.name = op.type = name;
            op.direction = "fprop";
            op.pseudo = true;
            model_.ops.push_back(op);
        }
        return it->second;
    }

    void make_work() {
        const DeviceRows& d = r_.device;
        model_.work.reserve(d.size());
        for (size_t row = 0; row < d.size(); ++row) {
            Work work;
            work.kind = d.kind[row];
            work.device = d.device[row];
            work.kernel = d.kind[row] == 0 ? d.name[row] : -1;
            work.config = d.config[row];
            work.begin = d.begin[row];
            work.end = d.end[row];
            const auto call = std::lower_bound(r_.calls.by_id.begin(), r_.calls.by_id.end(),
                                               std::pair(d.launch[row], INT32_MIN));
            if (d.launch[row] >= 0 && call != r_.calls.by_id.end() && call->first == d.launch[row]) {
                work.call_begin = r_.calls.begin[call->second];
                work.call_ns = r_.calls.end[call->second] - work.call_begin;
                work.instance = call_instance_[call->second];
            } else {
                work.instance = add_unlaunched(row);
            }
            work.op = model_.instances[work.instance].op;
            model_.work.push_back(work);
        }
    }

    // Work without a known launch: an instance without time on the CPU.
    int32_t add_unlaunched(size_t row) {
        Instance instance;
        instance.op = pseudo_op("unassociated");
        instance.iteration = r_.device.iteration[row];
        instance.begin = instance.end = r_.device.begin[row];
        model_.instances.push_back(instance);
        return static_cast<int32_t>(model_.instances.size() - 1);
    }

    // The key op's instances end the iterations; what comes after the last one is an iteration too. Without a
    // key op the iterations of the profile count, but for reports of Nsight Systems: of them DLProf made one.
    void cut() {
        number_ops(model_);
        Iterations& it = model_.iterations;
        it.key_op = options_.key_op;
        std::vector<int64_t> ends = key_ends(it.key_op);
        // What DLProf took for TensorFlow 1, where nothing was asked for.
        const bool maybe_tensorflow1 = options_.mode == Mode::kAuto || options_.mode == Mode::kTensorFlow1;
        if (it.key_op.empty() && r_.from_nsys && maybe_tensorflow1) ends = key_ends("global_step");
        const std::string source = r_.fact("iteration_source");
        const bool asked = source == "key_op" || source == "range_regex";
        if (ends.empty() && it.key_op.empty() && r_.stored_iterations.size() > 1 &&
            (!r_.from_nsys || asked)) {
            for (const auto& stored : r_.stored_iterations)
                it.list.emplace_back(stored[0], stored[1]);
            it.split = true;
            if (options_.domain) place_in_stored();
            if (r_.origin == Origin::kRecorded) it.key_op = r_.fact("property.dlprof_key_op");
            return;
        }
        it.split = !ends.empty();
        const bool more =
            ends.empty() || std::any_of(model_.instances.begin(), model_.instances.end(),
                                        [&](const Instance& i) { return i.begin >= ends.back(); });
        if (more) ends.push_back(std::max(r_.end, ends.empty() ? r_.end : ends.back() + 1));
        int64_t begin = r_.begin;
        for (const int64_t end : ends) {
            it.list.emplace_back(begin, end);
            begin = end;
        }
        for (Instance& instance : model_.instances) {
            const auto after = std::upper_bound(ends.begin(), ends.end(), instance.begin);
            instance.iteration =
                static_cast<int32_t>(std::min<int64_t>(after - ends.begin(), std::ssize(ends) - 1));
        }
    }

    // Ranges that are no ops by themselves have no iteration in the profile.
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

    std::vector<int64_t> key_ends(const std::string& key_op) const {
        std::vector<int64_t> ends;
        if (key_op.empty()) return ends;
        int32_t key = -1;
        for (size_t i = 0; i < model_.ops.size() && key < 0; ++i)
            if (model_.ops[i].id == key_op) key = static_cast<int32_t>(i);
        const auto path = [](std::string_view name) { return name.substr(name.starts_with('/') ? 1 : 0); };
        for (size_t i = 0; i < model_.ops.size() && key < 0; ++i)
            if (path(model_.ops[i].name) == path(key_op)) key = static_cast<int32_t>(i);
        for (const Instance& instance : model_.instances)
            if (instance.op == key && key >= 0) ends.push_back(instance.end);
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        return ends;
    }

    Status choose_range() {
        Iterations& it = model_.iterations;
        const int64_t last = std::ssize(it.list) - 1;
        it.start = options_.start.value_or(0);
        it.stop = std::min(options_.stop.value_or(last), last);
        if (it.start > it.stop)
            return fail(Error{
                fmt::format("there is no iteration {}: DLProf's count goes from 0 to {}", it.start, last),
                {},
                {},
                "choose the range with --iter-start and --iter-stop, and the op that ends "
                "iterations with --key-op",
                2});
        return {};
    }

    bool in_range(int32_t iteration) const {
        return iteration >= model_.iterations.start && iteration <= model_.iterations.stop;
    }

    void leave_out_others() {
        std::vector<int32_t> place(model_.instances.size(), -1);
        std::vector<Instance> kept;
        for (size_t i = 0; i < model_.instances.size(); ++i) {
            if (!in_range(model_.instances[i].iteration)) continue;
            place[i] = static_cast<int32_t>(kept.size());
            kept.push_back(model_.instances[i]);
        }
        std::vector<Work> work;
        for (Work& w : model_.work) {
            if (place[w.instance] < 0) continue;
            w.iteration = model_.instances[w.instance].iteration;
            w.instance = place[w.instance];
            work.push_back(w);
        }
        model_.instances = std::move(kept);
        model_.work = std::move(work);
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
            if (w.kind == 0 && r_.kernels.at(w.kernel).uses_tc)
                model_.ops[w.op].uses_tc = model_.ops[w.op].eligible = true;
        }
        for (size_t i = 0; i < model_.instances.size(); ++i) {
            if (last[i] == INT64_MIN) continue;
            model_.instances[i].last_end = last[i];
            model_.instances[i].gpu_idle_ns = last[i] - first[i] - model_.instances[i].gpu_ns;
        }
    }

    Model& model_;
    const Recording& r_;
    const Options& options_;
    std::vector<int32_t> call_instance_;
    std::map<std::string, int32_t> pseudo_;
};

}  // namespace

Status find_work(Model& model, const Options& options) {
    return Attribution(model, options).run();
}

}  // namespace opsight::dlprof
