#include "report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/escape.h"

namespace opsight::report {
namespace {

constexpr double kMarginLeft = 62, kMarginBottom = 44, kMarginTop = 26, kMarginRight = 12;

double width_of(std::string_view words) {
    constexpr double kLetter = 6.5;
    return kLetter * static_cast<double>(words.size());
}

// Powers of two keep all their digits as long as they are few: 1024 is not "1.02 k".
std::string tick_text(double value, const ChartAxis& axis) {
    constexpr double kFewDigits = 1e5;
    const bool whole = axis.binary && value < kFewDigits;
    std::string text = axis.prefixes && !whole ? prefixed(value) : fmt::format("{:g}", value);
    while (text.ends_with(' '))
        text.pop_back();
    return text;
}

// Powers of the base within the axis, thinned out to what there is room for.
std::vector<double> ticks(const ChartAxis& axis, size_t most) {
    const double base = axis.binary ? 2 : 10;
    const double span = std::log(axis.to / axis.from) / std::log(base);
    const double step = std::max(1.0, std::ceil(span / static_cast<double>(most)));
    std::vector<double> values;
    for (double power = std::ceil(std::log(axis.from) / std::log(base) - 1e-9);
         std::pow(base, power) <= axis.to * (1 + 1e-9); power += step)
        values.push_back(std::pow(base, power));
    return values;
}

}  // namespace

double decade_below(double value) {
    return std::pow(10, std::floor(std::log10(value)));
}

double decade_above(double value) {
    return std::pow(10, std::ceil(std::log10(value)));
}

std::string prefixed(double value) {
    constexpr std::array<std::string_view, 7> kPrefixes = {" ", " k", " M", " G", " T", " P", " E"};
    size_t power = 0;
    for (; value >= 999.5 && power + 1 < kPrefixes.size(); ++power)
        value /= 1000;
    return fmt::format("{:.3g}{}", value, kPrefixes[power]);
}

SvgChart::SvgChart(double left, double top, double width, double height, ChartAxis x, ChartAxis y)
    : left_(left + kMarginLeft),
      top_(top + kMarginTop),
      width_(width - kMarginLeft - kMarginRight),
      height_(height - kMarginTop - kMarginBottom),
      x_(std::move(x)),
      y_(std::move(y)) {}

double SvgChart::at_x(double value) const {
    return left_ + width_ * std::log(std::clamp(value, x_.from, x_.to) / x_.from) / std::log(x_.to / x_.from);
}

double SvgChart::at_y(double value) const {
    const double part = std::log(std::clamp(value, y_.from, y_.to) / y_.from) / std::log(y_.to / y_.from);
    return top_ + height_ * (1 - part);
}

void SvgChart::line(const std::vector<double>& points, std::string_view style, std::string_view label,
                    bool dashed) {
    std::string places;
    for (size_t i = 0; i + 1 < points.size(); i += 2)
        places += fmt::format("{:.1f},{:.1f} ", at_x(points[i]), at_y(points[i + 1]));
    lines_ += fmt::format("<polyline class=\"line {}{}\" points=\"{}\"><title>{}</title></polyline>\n", style,
                          dashed ? " dashed" : "", places, html_escaped(label));
}

void SvgChart::point(double x, double y, double radius, std::string_view style, std::string_view hover) {
    points_ += fmt::format(
        "<circle class=\"point {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>{}</title></circle>\n",
        style, at_x(x), at_y(y), radius, html_escaped(hover));
}

void SvgChart::text(double x, double y, std::string_view words) {
    const bool right_half = at_x(x) > left_ + width_ / 2;
    label(at_x(x), at_y(y) - 5, right_half, words);
}

void SvgChart::text_behind(double x, double y, std::string_view words) {
    constexpr double kGap = 8;
    if (at_x(x) + kGap + width_of(words) > left_ + width_) return text(x, y, words);
    label(at_x(x) + kGap, at_y(y) + 4, false, words);
}

// At its place, or as near to that as others leave room.
void SvgChart::label(double x, double bottom, bool ends_there, std::string_view words) {
    constexpr double kLine = 13;
    const double left = ends_there ? x - width_of(words) : x, right = left + width_of(words);
    double at = bottom;
    const auto is_taken = [&](double there) {
        return std::any_of(labels_.begin(), labels_.end(), [&](const Label& other) {
            return std::abs(other.bottom - there) < kLine && left < other.right && other.left < right;
        });
    };
    for (int step = 1; is_taken(at) && step < 40; ++step) {
        const double moved = bottom + kLine * (step / 2 + step % 2) * (step % 2 ? 1 : -1);
        if (moved > top_ && moved < top_ + height_) at = moved;
    }
    labels_.push_back({left, right, at});
    words_ += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, at,
                          ends_there ? " text-anchor=\"end\"" : "", html_escaped(words));
}

std::string SvgChart::axes() const {
    std::string out;
    const double bottom = top_ + height_;
    for (double value : ticks(x_, static_cast<size_t>(width_ / 48)))
        out += fmt::format(
            "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/><text class=\"tick\" x=\"{0:.1f}\" "
            "y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
            at_x(value), top_, bottom, bottom + 15, tick_text(value, x_));
    for (double value : ticks(y_, static_cast<size_t>(height_ / 28)))
        out += fmt::format(
            "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/><text class=\"tick\" x=\"{3:.1f}\" "
            "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
            left_, at_y(value), left_ + width_, left_ - 6, at_y(value) + 4, tick_text(value, y_));
    out += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       left_ + width_ / 2, bottom + 34, html_escaped(x_.title));
    out += fmt::format(
        "<text class=\"axis\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\" "
        "text-anchor=\"middle\">{}</text>\n",
        left_ - 50, top_ + height_ / 2, html_escaped(y_.title));
    return out;
}

std::string SvgChart::finish(std::string_view title) const {
    return fmt::format(
        "<g role=\"img\" aria-label=\"{0}\">\n<text class=\"title\" x=\"{1:.1f}\" y=\"{2:.1f}\">{0}</text>\n"
        "{3}{4}{5}{6}</g>\n",
        html_escaped(title), left_, top_ - 10, axes(), lines_, points_, words_);
}

std::string svg_footnote(double top, double width, std::string_view words) {
    constexpr double kLetter = 5.8, kLine = 14;
    const auto most = static_cast<size_t>((width - 28) / kLetter);
    std::string out;
    for (double y = top + kLine; !words.empty(); y += kLine) {
        size_t length = words.size();
        if (length > most) length = std::min(words.rfind(' ', most), words.size());
        out += fmt::format("<text class=\"note\" x=\"14\" y=\"{:.0f}\">{}</text>\n", y,
                           html_escaped(words.substr(0, length)));
        words.remove_prefix(std::min(length + 1, words.size()));
    }
    return out;
}

std::string svg_picture(double width, double height, std::string_view title, std::string_view note,
                        const std::vector<std::string>& charts) {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "font-family=\"system-ui, sans-serif\">\n<title>{2}</title>\n<style>\n"
        "svg {{ background: #fff; --ink: #1c2430; --quiet: #5b6675; --grid: #e3e7ec; --s0: #2563a8; --s1: "
        "#b4531b; "
        "--s2: #2f7d4f; --s3: #8a3fa0; --s4: #8a6d00; --s5: #a12a4b; }}\n"
        "@media (prefers-color-scheme: dark) {{ svg {{ background: #14181e; --ink: #e7ecf2; --quiet: "
        "#a3afbd; --grid: "
        "#2a323c; --s0: #6fb1f2; --s1: #f0a06a; --s2: #77cf9b; --s3: #d39be4; --s4: #e2c75a; --s5: #f08aa6; "
        "}} }}\n"
        "text {{ fill: var(--ink); font-size: 11px; }} .head {{ font-size: 15px; font-weight: 600; }} .title "
        "{{ "
        "font-size: 12px; font-weight: 600; }} .tick, .axis, .note {{ fill: var(--quiet); }} .grid {{ "
        "stroke: "
        "var(--grid); fill: none; }} .line {{ fill: none; stroke-width: 2; }} .dashed {{ stroke-dasharray: 5 "
        "4; }} "
        ".point {{ fill-opacity: .6; }}\n",
        width, height, html_escaped(title));
    for (int i = 0; i < 6; ++i)
        out += fmt::format(
            ".line.s{0} {{ stroke: var(--s{0}); }} .point.s{0} {{ fill: var(--s{0}); stroke: var(--s{0}); "
            "}}\n",
            i);
    out += fmt::format(
        "</style>\n<text class=\"head\" x=\"14\" y=\"24\">{}</text>\n<text class=\"note\" x=\"14\" "
        "y=\"42\">{}</text>\n",
        html_escaped(title), html_escaped(note));
    for (const std::string& chart : charts)
        out += chart;
    return out + "</svg>\n";
}

}  // namespace opsight::report
