#include "report/estimate_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/svg_chart.h"
#include "report/units.h"

namespace opsight::report {
namespace {

constexpr size_t kStyles = 6, kNamed = 5;

std::string flops_text(double rate) {
    return prefixed(rate) + "FLOP/s";
}

struct Roof {
    double peak = 0;  // FLOP per second
    std::string name;
};

// The ceilings that layers of this estimate can run under: products in their formats, and all else.
std::vector<Roof> roofs(const query::EstimateAnswer& answer) {
    const hardware::Device& device = *answer.settings.device;
    std::map<std::string, double> found;
    for (const cost::LayerCost& layer : answer.estimate.layers) {
        if (layer.flops() <= 0) continue;
        const bool product = layer.kind == cost::WorkKind::kMatrix;
        const cost::HighestPeak peak =
            product ? cost::product_peak(device, layer.precision, answer.settings.sparse)
                    : cost::vector_peak(device, layer.precision);
        found[fmt::format("{} in {}", product ? "products" : "other ops", name_of(peak.precision))] =
            peak.rate * answer.settings.derate;
    }
    std::vector<Roof> out;
    for (const auto& [name, peak] : found)
        if (peak > 0) out.push_back({peak, name});
    std::stable_sort(out.begin(), out.end(), [](const Roof& a, const Roof& b) { return a.peak > b.peak; });
    return out;
}

double power_of_ten_below(double value) {
    return std::pow(10, std::floor(std::log10(value)));
}
double power_of_ten_above(double value) {
    return std::pow(10, std::ceil(std::log10(value)));
}

std::vector<const cost::LayerCost*> plotted(const cost::Estimate& estimate) {
    std::vector<const cost::LayerCost*> layers;
    for (const cost::LayerCost& layer : estimate.layers)
        if (layer.flops() > 0 && layer.bytes() > 0 && layer.bound_s > 0) layers.push_back(&layer);
    std::stable_sort(layers.begin(), layers.end(),
                     [](const auto* a, const auto* b) { return a->bound_s > b->bound_s; });
    return layers;
}

std::string roofline(const query::EstimateAnswer& answer, double width, double height) {
    const hardware::Device& device = *answer.settings.device;
    const double bandwidth = device.bandwidth * answer.settings.derate;
    const std::vector<const cost::LayerCost*> layers = plotted(answer.estimate);
    const std::vector<Roof> ceilings = roofs(answer);
    const double top = ceilings.empty() ? 1e12 : ceilings.front().peak;
    double low = bandwidth > 0 ? top / bandwidth : 1, high = low, least = top;
    for (const cost::LayerCost* layer : layers) {
        const double intensity = layer->intensity();
        low = std::min(low, intensity);
        high = std::max(high, intensity);
        least = std::min(least, layer->flops() / layer->bound_s);
    }
    const ChartAxis x{.title = "arithmetic intensity (FLOP/B)",
                      .from = power_of_ten_below(low / 1.5),
                      .to = power_of_ten_above(high * 1.5)};
    const ChartAxis y{.title = "bound (FLOP/s)",
                      .from = power_of_ten_below(least / 1.5),
                      .to = power_of_ten_above(top * 1.2),
                      .prefixes = true};
    SvgChart chart(8, 52, width, height, x, y);
    for (size_t i = 0; i < ceilings.size(); ++i) {
        const Roof& roof = ceilings[i];
        const double ridge = bandwidth > 0 ? roof.peak / bandwidth : x.from;
        const std::string label = fmt::format("{}: {}", roof.name, flops_text(roof.peak));
        chart.line({std::clamp(ridge, x.from, x.to), roof.peak, x.to, roof.peak}, "s2", label, i > 0);
        chart.text(x.to, roof.peak, label);
    }
    if (bandwidth > 0) {
        const std::string label = fmt::format("memory: {}B/s", prefixed(bandwidth));
        const double from = std::max(x.from, y.from / bandwidth);
        chart.line({from, from * bandwidth, top / bandwidth, top}, "s4", label);
    }
    for (size_t i = 0; i < layers.size(); ++i) {
        const cost::LayerCost& layer = *layers[i];
        const double share = layer.bound_s / answer.estimate.serial_s;
        const double intensity = layer.intensity(), rate = layer.flops() / layer.bound_s;
        chart.point(intensity, rate, std::clamp(40 * std::sqrt(share), 2.0, 16.0),
                    layer.kind == cost::WorkKind::kMatrix ? "s0" : "s1",
                    fmt::format("{} ({}): {} at least, {:.1f}% of all; {:.3g} FLOP/B, {}; limited by {}",
                                layer.name, layer.op_type, human(query::Unit::kNs, layer.bound_s * 1e9),
                                100 * share, intensity, flops_text(rate), name_of(layer.limiter)));
    }
    return chart.finish(
        "Layers under the roofline (blue: products; brown: other ops; size: share of the bound)");
}

std::string series_name(const query::EstimateAnswer& answer) {
    return fmt::format("{}, {}", answer.settings.device->key, query::format_text(answer.settings));
}

std::string throughput(const std::vector<query::EstimateAnswer>& answers, double left, double width,
                       double height) {
    double most_batch = 2, least_batch = 1e9, most = 0, least = 1e300;
    std::map<std::string, std::vector<double>> series;
    std::vector<std::string> order;
    for (const query::EstimateAnswer& answer : answers) {
        const double rate = answer.estimate.throughput();
        if (!(rate > 0)) continue;
        const std::string name = series_name(answer);
        if (!series.contains(name)) order.push_back(name);
        std::vector<double>& points = series[name];
        points.push_back(answer.estimate.batch);
        points.push_back(rate);
        most_batch = std::max(most_batch, answer.estimate.batch);
        least_batch = std::min(least_batch, answer.estimate.batch);
        most = std::max(most, rate);
        least = std::min(least, rate);
    }
    if (series.empty()) return {};
    const ChartAxis x{
        .title = "batch", .from = std::min(least_batch, most_batch / 2), .to = most_batch, .binary = true};
    const ChartAxis y{.title = "at most (samples/s)",
                      .from = power_of_ten_below(least / 1.1),
                      .to = power_of_ten_above(most * 1.1),
                      .prefixes = true};
    SvgChart chart(left, 52, width, height, x, y);
    for (size_t i = 0; i < order.size(); ++i) {
        const std::vector<double>& points = series[order[i]];
        const std::string style = fmt::format("s{}", i % kStyles);
        chart.line(points, style, order[i], i >= kStyles);
        for (size_t p = 0; p + 1 < points.size(); p += 2)
            chart.point(
                points[p], points[p + 1], 3, style,
                fmt::format("{}, batch {:g}: at most {:.4g} samples/s", order[i], points[p], points[p + 1]));
        if (i < kNamed) chart.text(points[points.size() - 2], points.back(), order[i]);
    }
    return chart.finish("Throughput against the batch");
}

}  // namespace

std::vector<double> picture_batches(const ModelGraph& graph) {
    std::set<double> batches = {static_cast<double>(graph.own_batch)};
    for (double batch = 1; batch <= 512; batch *= 2)
        batches.insert(batch);
    return {batches.begin(), batches.end()};
}

std::string render_estimate_picture(const ModelGraph& graph, const query::EstimateAnswer& answer,
                                    const std::vector<query::EstimateAnswer>& batches) {
    constexpr double kWidth = 1120, kHeight = 500, kSplit = 660;
    const cost::Estimate& estimate = answer.estimate;
    size_t others = 0;
    double other_s = 0;
    for (const cost::LayerCost& layer : estimate.layers)
        if (layer.bound_s > 0 && layer.flops() <= 0) {
            ++others;
            other_s += layer.bound_s;
        }
    const std::string title = fmt::format("{} on {}", graph.name, answer.settings.device->name);
    const std::string bound = estimate.total.bound_s > 0
                                  ? "at least " + human(query::Unit::kNs, estimate.total.bound_s * 1e9)
                                  : std::string("what it takes is not known");
    std::string note = fmt::format("batch {:g}, {}: {}; bounds, nothing is measured", estimate.batch,
                                   query::format_text(answer.settings), bound);
    if (others > 0)
        note += fmt::format(". {} layers only move data ({}) and are not drawn", others,
                            human(query::Unit::kNs, other_s * 1e9));
    return svg_picture(kWidth, kHeight, title, note,
                       {roofline(answer, kSplit, kHeight - 60),
                        throughput(batches, kSplit + 16, kWidth - kSplit - 24, kHeight - 60)});
}

}  // namespace opsight::report
