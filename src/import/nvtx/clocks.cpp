#include "import/nvtx/clocks.h"

#include <algorithm>
#include <cmath>

namespace opsight::importer::nvtx {
namespace {

constexpr int kMostRelated = 4;          // clocks that are related by way of others
constexpr uint64_t kFirstOwn = 1 << 24;  // below it NVTX names the clocks
constexpr int64_t kShortestNs = 1'000'000;
constexpr double kMostNs = 3.2e17;  // ten years
constexpr int kMostSettles = 1000;

}  // namespace

void Clocks::define_point(uint64_t first, uint64_t second, const wire::NvtxTimePoint& point) {
    const bool sloped = std::isfinite(point.slope) && point.slope > 0;
    relations_[first].points.push_back({second, point.first, point.second, sloped ? point.slope : 0});
    relations_[second].points.push_back({first, point.second, point.first, sloped ? 1 / point.slope : 0});
}

uint64_t Clocks::of_scope(uint64_t scope) const {
    if (scope == 0) return 0;
    for (const auto& [id, domain] : domains_)
        if (domain.scope == scope) return id;
    return 0;
}

// ns per tick, as the program or NVTX says.
double Clocks::told_rate(uint64_t clock) const {
    if (clock < kFirstOwn) return clock >= 12 && clock <= 19 ? 1 : 0;  // clocks that clock_gettime reads
    const auto domain = domains_.find(clock);
    if (domain == domains_.end()) return 0;
    if (domain->second.resolution > 0) return 1e9 / static_cast<double>(domain->second.resolution);
    return told_rate(std::min(domain->second.type, kFirstOwn - 1));
}

void Clocks::settle(uint64_t clock, Relation& relation, int depth) {
    if (relation.settling) return;
    relation.settling = true;
    double sloped = 0;
    for (const Point& point : relation.points) {
        int64_t ns = 0, later = 0;
        if (!find(point.other, point.there, ns, depth + 1)) continue;
        relation.anchors.push_back({point.here, ns});
        constexpr int64_t kStep = 1'000'000;
        if (point.slope > 0 && point.there < INT64_MAX - kStep &&
            find(point.other, point.there + kStep, later, depth + 1))
            sloped = point.slope * static_cast<double>(later - ns) / static_cast<double>(kStep);
    }
    relation.settling = false;
    // By way of a clock that is being settled itself nothing is found; asked for alone it may be.
    relation.settled = depth == 0 || !relation.anchors.empty() || ++settles_ > kMostSettles;
    std::vector<Anchor>& anchors = relation.anchors;
    std::sort(anchors.begin(), anchors.end(), [](const Anchor& a, const Anchor& b) { return a.at < b.at; });
    const auto backwards = [](const Anchor& a, const Anchor& b) { return b.at <= a.at || b.ns <= a.ns; };
    anchors.erase(std::unique(anchors.begin(), anchors.end(), backwards), anchors.end());
    relation.rate = sloped > 0 ? sloped : told_rate(clock);
    if (anchors.size() < 2) return;
    const Anchor &first = anchors.front(), &last = anchors.back();
    // Moments that are close together tell less about the rate than the program does.
    if (relation.rate > 0 && last.ns - first.ns < kShortestNs) {
        anchors.resize(1);
        return;
    }
    relation.rate = (static_cast<double>(last.ns) - static_cast<double>(first.ns)) /
                    (static_cast<double>(last.at) - static_cast<double>(first.at));
}

bool Clocks::find(uint64_t clock, int64_t value, int64_t& ns, int depth) {
    if (known_ && known_(clock, value, ns)) return true;
    if (depth >= kMostRelated) return false;
    const auto relation = relations_.find(clock);
    if (relation != relations_.end()) {
        if (!relation->second.settled) settle(clock, relation->second, depth);
        const std::vector<Anchor>& anchors = relation->second.anchors;
        if (!anchors.empty() && relation->second.rate > 0) {
            auto after = std::upper_bound(anchors.begin(), anchors.end(), value,
                                          [](int64_t at, const Anchor& anchor) { return at < anchor.at; });
            double rate = relation->second.rate;
            if (after != anchors.begin()) {
                const auto before = after - 1;
                if (after != anchors.end())
                    rate = static_cast<double>(after->ns - before->ns) /
                           (static_cast<double>(after->at) - static_cast<double>(before->at));
                after = before;
            }
            const double distance = (static_cast<double>(value) - static_cast<double>(after->at)) * rate;
            if (!(std::abs(distance) < kMostNs)) return false;
            ns = after->ns + std::llround(distance);
            return true;
        }
    }
    const auto domain = domains_.find(clock);
    if (domain == domains_.end() || domain->second.type == 0 || domain->second.type == clock) return false;
    const double rate = domain->second.type >= 12 ? told_rate(clock) : 1;
    const double scaled = static_cast<double>(value) * rate;
    if (!(std::abs(scaled) < kMostNs * 100)) return false;
    return find(domain->second.type, rate == 1 ? value : std::llround(scaled), ns, depth + 1);
}

}  // namespace opsight::importer::nvtx
