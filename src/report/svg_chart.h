// A chart with two axes as SVG text: axes with round ticks, lines, points that name themselves on hover.
// Colours follow the reader's light or dark theme.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsight::report {

struct ChartAxis {
    std::string title;
    double from = 1, to = 10;  // of a logarithmic axis, both above 0
    bool binary = false;       // ticks at powers of two instead of ten
    bool prefixes = false;     // ticks as "10 G"
};

// The powers of ten around a value above 0, for the ends of an axis.
double decade_below(double value);
double decade_above(double value);

// "989 T", with room for a unit behind it: three digits.
std::string prefixed(double value);

class SvgChart {
  public:
    // `left`, `top`: where the chart begins in the picture; sizes with its labels, in pixels.
    SvgChart(double left, double top, double width, double height, ChartAxis x, ChartAxis y);

    // `points`: x and y in turn. `style`: "s0" to "s5", a colour of the series.
    void line(const std::vector<double>& points, std::string_view style, std::string_view label,
              bool dashed = false);
    void point(double x, double y, double radius, std::string_view style, std::string_view hover);
    // Above the place.
    void text(double x, double y, std::string_view words);
    // Behind the place, as at the end of a line, where the chart has room for it; else above.
    void text_behind(double x, double y, std::string_view words);
    std::string finish(std::string_view title) const;

  private:
    double at_x(double value) const;
    double at_y(double value) const;
    std::string axes() const;
    void label(double x, double bottom, bool ends_there, std::string_view words);

    struct Label {
        double left, right, bottom;
    };

    double left_, top_, width_, height_;
    std::vector<Label> labels_;
    ChartAxis x_, y_;
    std::string lines_, points_, words_;
};

// Words below the charts of a picture, in lines that fit its width; `top`: where the first one begins.
std::string svg_footnote(double top, double width, std::string_view words);
inline constexpr double kFootnote = 40;  // the room for two lines

// The charts, one picture of this size. `note`: a line below the title.
std::string svg_picture(double width, double height, std::string_view title, std::string_view note,
                        const std::vector<std::string>& charts);

}  // namespace opsight::report
