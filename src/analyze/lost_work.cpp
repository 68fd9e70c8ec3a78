#include "analyze/lost_work.h"

#include <fmt/format.h>

#include <vector>

#include "analyze/capture_times.h"
#include "analyze/text.h"

namespace opsight {
namespace {

enum class Call : uint8_t { kUnseen, kOther, kLaunch };

Call call_of(std::string_view name) {
    for (const std::string_view prefix : {"cudaLaunch", "cuLaunch", "cudaGraphLaunch", "cuGraphLaunch",
                                          "hipLaunch", "hipModuleLaunch", "hipExtLaunch", "hipGraphLaunch"})
        if (name.starts_with(prefix)) return text::contains(name, "Host") ? Call::kOther : Call::kLaunch;
    return Call::kOther;
}

bool is_api(HostKind kind) {
    return kind == HostKind::kRuntimeApi || kind == HostKind::kDriverApi;
}

class LostWork {
  public:
    LostWork(Profile& profile, const Analysis& analysis)
        : p_(profile), a_(analysis), classes_(profile.strings.size(), Call::kUnseen) {}

    void run() {
        mark_launched();
        const std::vector<Intervals> captures = find_capture_times(p_);
        for (size_t row = 0; row < p_.host.size(); ++row) {
            if (!is_api(p_.host.kind[row]) || class_of(p_.host.name[row]) != Call::kLaunch) continue;
            const size_t rank = p_.tracks[p_.host.track[row].index()].rank.index();
            if (is_lost(row) && !capture_at(captures[rank], p_.host.begin[row])) ++lost_[rank];
        }
        for (size_t rank = 0; rank < lost_.size(); ++rank)
            if (lost_[rank] > 0)
                p_.diagnostics.add(Diag::kLostDeviceWork,
                                   {p_.ranks[rank].source, -1, -1, fmt::format("{} launches", lost_[rank])},
                                   lost_[rank]);
    }

  private:
    // The calls that launched something, and those around them: a runtime call launches by one of the driver.
    void mark_launched() {
        launched_.resize(p_.host.size());
        lost_.resize(p_.ranks.size());
        for (const HostSpanId launch : a_.launch)
            for (HostSpanId at = launch;
                 at.valid() && is_api(p_.host.kind[at.index()]) && !launched_[at.index()];
                 at = a_.parent[at.index()])
                launched_[at.index()] = true;
    }

    bool is_lost(size_t row) const {
        const HostSpanId around = a_.parent[row];
        const bool outermost = !around.valid() || !is_api(p_.host.kind[around.index()]);
        const int32_t result = p_.api_result[p_.host.detail[row]];
        return outermost && !launched_[row] && result <= 0;
    }

    Call class_of(StringId name) {
        Call& known = classes_[name.index()];
        if (known == Call::kUnseen) known = call_of(p_.strings.view(name));
        return known;
    }

    Profile& p_;
    const Analysis& a_;
    std::vector<Call> classes_;  // by StringId
    std::vector<bool> launched_;
    std::vector<int64_t> lost_;  // by rank
};

}  // namespace

void count_lost_work(Profile& profile, const Analysis& analysis) {
    LostWork(profile, analysis).run();
}

}  // namespace opsight
