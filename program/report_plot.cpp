// SPDX-License-Identifier: Apache-2.0
#include "report_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace fwa::study {
namespace {

constexpr double width = 480, right = 20, top = 34;

std::string coordinate(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

/// From numbers to a stretch of the drawing, with ticks. It begins on a tick and ends on one, but at the greatest number where that is
/// asked for, or where the next power of ten is far.
class scale {
 public:
  scale(std::vector<double> const& values, bool log, double from, double to, int most_ticks, bool exact_end = false)
      : log_(log), from_(from), to_(to) {
    bool any = false;
    for (double v : values)
      if (std::isfinite(v) && (!log || v > 0)) {
        double const x = log ? std::log10(v) : v;
        low_ = any ? std::min(low_, x) : x;
        high_ = any ? std::max(high_, x) : x;
        any = true;
      }
    if (!any) high_ = 1;
    if (high_ - low_ < 1e-9 * std::max(1.0, std::abs(high_))) {
      low_ -= 0.5;
      high_ += 0.5;
    }
    double step = log ? std::ceil((high_ - low_) / most_ticks) : nice((high_ - low_) / most_ticks);
    if (log) step = std::max(step, 1.0);
    low_ = std::floor(low_ / step + 1e-9) * step;
    double const end = std::ceil(high_ / step - 1e-9) * step;
    bool const far = log && end - high_ > step / 2 && high_ - low_ >= step;
    if (!exact_end && !far) high_ = end;
    for (int i = 0; low_ + i * step <= high_ + 1e-9 * step; ++i) ticks_.push_back(low_ + i * step);
    if (exact_end && high_ - ticks_.back() > 0.4 * step) ticks_.push_back(high_);
  }

  [[nodiscard]] double operator()(double v) const { return along(log_ ? std::log10(v) : v); }
  [[nodiscard]] double along(double x) const { return from_ + (to_ - from_) * (x - low_) / (high_ - low_); }
  [[nodiscard]] std::vector<double> const& ticks() const { return ticks_; }
  [[nodiscard]] std::string tick_text(double tick) const {
    if (!log_) return shown(std::abs(tick) < 1e-12 ? 0 : tick, 4);
    if (tick >= -3 && tick <= 4) return shown(std::pow(10, tick), 4);
    return "10<tspan dy=\"-5\" font-size=\"10\">" + std::to_string(static_cast<int>(tick)) + "</tspan>";
  }
  [[nodiscard]] bool shows(double v) const { return std::isfinite(v) && (!log_ || v > 0); }

 private:
  static double nice(double step) {
    double const power = std::pow(10, std::floor(std::log10(step)));
    for (double m : {1.0, 2.0, 5.0})
      if (step <= m * power) return m * power;
    return 10 * power;
  }

  bool log_;
  double from_, to_, low_ = 0, high_ = 0;
  std::vector<double> ticks_;
};

/// Eight markers, no two alike.
std::string marker(std::size_t kind, double x, double y, double r = 4.2) {
  std::string const c = "class=\"m s" + std::to_string(kind % 8) + (kind % 8 >= 4 ? " hollow\"" : "\"");
  auto at = [&](double dx, double dy) { return coordinate(x + r * dx) + ',' + coordinate(y + r * dy) + ' '; };
  switch (kind % 4) {
    case 0:
      return "<circle " + c + " cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y) + "\" r=\"" + coordinate(r) + "\"/>";
    case 1:
      return "<polygon " + c + " points=\"" + at(-.9, -.9) + at(.9, -.9) + at(.9, .9) + at(-.9, .9) + "\"/>";
    case 2:
      return "<polygon " + c + " points=\"" + at(0, -1.2) + at(1.1, .85) + at(-1.1, .85) + "\"/>";
    default:
      return "<polygon " + c + " points=\"" + at(0, -1.25) + at(1.25, 0) + at(0, 1.25) + at(-1.25, 0) + "\"/>";
  }
}

struct sample {
  bool line, dot;
};

/// Samples with names, as many a line as fit; returns where it ends.
double legend(std::ostream& out, std::vector<std::string> const& names, std::size_t first_kind, sample s, double y) {
  constexpr double begin = 10;
  double const length = s.line ? 28 : 10;
  double x = begin;
  for (std::size_t i = 0; i < names.size(); ++i) {
    double const w = length + 18 + 7.4 * double(names[i].size());
    if (x > begin && x + w > width) {
      x = begin;
      y += 20;
    }
    std::size_t const kind = first_kind + i;
    if (s.line)
      out << "<line class=\"l s" << kind % 8 << " d" << kind % 8 << "\" x1=\"" << x << "\" x2=\"" << x + length << "\" y1=\"" << y - 4
          << "\" y2=\"" << y - 4 << "\"/>";
    if (s.dot) out << marker(kind, x + length / 2, y - 4);
    out << "<text x=\"" << x + length + 5 << "\" y=\"" << y << "\">" << escaped(names[i]) << "</text>";
    x += w;
  }
  return y + 20;
}

std::vector<std::string> names_of(std::vector<series> const& all) {
  std::vector<std::string> out;
  for (series const& s : all) out.push_back(s.name);
  return out;
}

std::string framed(std::string const& title, double height, std::string const& body) {
  std::ostringstream out;
  out << "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height
      << "\" role=\"img\" aria-label=\"" << escaped(title) << "\"><text class=\"title\" x=\"10\" y=\"20\">" << escaped(title) << "</text>"
      << body << "</svg>";
  return out.str();
}

void upright_grid(std::ostream& out, scale const& sx, axis const& x, double left, double bottom) {
  for (double tick : sx.ticks()) {
    double const at = sx.along(tick);
    out << "<line class=\"grid\" x1=\"" << coordinate(at) << "\" x2=\"" << coordinate(at) << "\" y1=\"" << top << "\" y2=\"" << bottom
        << "\"/><text x=\"" << coordinate(at) << "\" y=\"" << bottom + 17 << "\" text-anchor=\"middle\">" << sx.tick_text(tick)
        << "</text>";
  }
  out << "<text x=\"" << (left + width - right) / 2 << "\" y=\"" << bottom + 36 << "\" text-anchor=\"middle\">" << escaped(x.label)
      << "</text>";
}

}  // namespace

std::string svg(line_plot const& p) {
  constexpr double left = 62, bottom = 250;
  std::vector<double> xs, ys;
  for (series const& s : p.lines) {
    xs.insert(xs.end(), s.x.begin(), s.x.end());
    ys.insert(ys.end(), s.y.begin(), s.y.end());
  }
  scale const sx(xs, p.x.log, left, width - right, 5), sy(ys, p.y.log, bottom, top, 6);
  std::ostringstream out;
  upright_grid(out, sx, p.x, left, bottom);
  for (double tick : sy.ticks())
    out << "<line class=\"grid\" x1=\"" << left << "\" x2=\"" << width - right << "\" y1=\"" << coordinate(sy.along(tick)) << "\" y2=\""
        << coordinate(sy.along(tick)) << "\"/><text x=\"" << left - 6 << "\" y=\"" << coordinate(sy.along(tick) + 4)
        << "\" text-anchor=\"end\">" << sy.tick_text(tick) << "</text>";
  out << "<text transform=\"translate(14 " << (top + bottom) / 2 << ") rotate(-90)\" text-anchor=\"middle\">" << escaped(p.y.label)
      << "</text>";
  for (std::size_t i = 0; i < p.lines.size(); ++i) {
    series const& s = p.lines[i];
    std::string path, marks;
    bool pen = false;
    std::size_t const every = std::max<std::size_t>(1, s.x.size() / 8);
    for (std::size_t n = 0; n < s.x.size(); ++n) {
      if (!sx.shows(s.x[n]) || !sy.shows(s.y[n])) {
        pen = false;
        continue;
      }
      path += (pen ? " L" : " M") + coordinate(sx(s.x[n])) + ' ' + coordinate(sy(s.y[n]));
      pen = true;
      if (n % every == (i * every / 4) % every) marks += marker(i, sx(s.x[n]), sy(s.y[n]), 3.6);
    }
    out << "<path class=\"l s" << i % 8 << " d" << i % 8 << "\" d=\"" << path << "\"/>" << marks;
  }
  double const end = legend(out, names_of(p.lines), 0, {.line = true, .dot = true}, bottom + 60);
  return framed(p.title, end, out.str());
}

std::string svg(dot_plot const& p) {
  constexpr double left = 138;
  double const count = std::max(1.0, double(p.dots.size()));
  struct row_place {
    double middle, apart;  // dots of a row stand a little below each other
  };
  std::vector<row_place> places;
  std::vector<double> xs;
  double bottom = top;
  bool any_beyond = false;
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    bool beyond = false;
    for (series const& s : p.dots) {
      xs.push_back(std::min(s.x[r], p.most));
      beyond = beyond || s.x[r] > p.most;
    }
    any_beyond = any_beyond || beyond;
    double const apart = beyond ? 14 : std::min(5.0, 16 / count), height = beyond ? 14 * count + 6 : 26;  // each value a line
    places.push_back({bottom + height / 2, apart});
    bottom += height;
  }
  for (series const& s : p.lines) xs.push_back(std::min(s.x.front(), p.most));
  scale const sx(xs, p.x.log, left + 8, width - right - 8, 5, any_beyond);
  std::ostringstream out;
  upright_grid(out, sx, p.x, left, bottom);
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    double const y = places[r].middle;
    out << "<line class=\"grid\" x1=\"" << left << "\" x2=\"" << width - right << "\" y1=\"" << y << "\" y2=\"" << y << "\"/><text x=\""
        << left - 8 << "\" y=\"" << y + 4 << "\" text-anchor=\"end\">" << escaped(p.rows[r]) << "</text>";
  }
  for (std::size_t i = 0; i < p.lines.size(); ++i)
    if (double const x = std::min(p.lines[i].x.front(), p.most); sx.shows(x))
      out << "<line class=\"l s" << (p.dots.size() + i) % 8 << " d" << (p.dots.size() + i) % 8 << "\" x1=\"" << coordinate(sx(x))
          << "\" x2=\"" << coordinate(sx(x)) << "\" y1=\"" << top << "\" y2=\"" << bottom << "\"/>";
  if (any_beyond)
    out << "<line class=\"frame\" x1=\"" << coordinate(sx(p.most)) << "\" x2=\"" << coordinate(sx(p.most)) << "\" y1=\"" << top
        << "\" y2=\"" << bottom << "\"/>";
  for (std::size_t r = 0; r < p.rows.size(); ++r)
    for (std::size_t i = p.dots.size(); i-- > 0;) {
      double const value = p.dots[i].x[r], y = places[r].middle + places[r].apart * (double(i) - (count - 1) / 2);
      if (!sx.shows(value)) continue;
      double const x = sx(std::min(value, p.most));
      out << marker(i, x, y);
      if (value > p.most)
        out << "<text class=\"value\" x=\"" << coordinate(x - 8) << "\" y=\"" << y + 4 << "\" text-anchor=\"end\">" << shown(value, 4)
            << " →</text>";
    }
  double end = legend(out, names_of(p.dots), 0, {.line = false, .dot = true}, bottom + 62);
  if (!p.lines.empty()) end = legend(out, names_of(p.lines), p.dots.size(), {.line = true, .dot = false}, end);
  return framed(p.title, end, out.str());
}

std::string plot_style() {
  return ":root{color-scheme:light dark;--ink:#1c2430;--faint:#dfe4ea;--paper:#fff;"
         "--s0:#0060a8;--s1:#c04a00;--s2:#00795a;--s3:#a0358f;--s4:#7a5b00;--s5:#5a6472;--s6:#8c1d40;--s7:#3c3f99}"
         "@media (prefers-color-scheme:dark){:root{--ink:#e4e9f0;--faint:#333d4a;--paper:#12171e;"
         "--s0:#6db6ff;--s1:#ff9a5c;--s2:#4fd0a5;--s3:#f08fd8;--s4:#e3c04b;--s5:#a9b3bf;--s6:#ff8fa8;--s7:#b3b0ff}}"
         ".plot{font:13px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}.plot text{fill:var(--ink)}.plot "
         ".title{font-weight:600;font-size:14px}"
         ".plot .value{font-size:12px;stroke:var(--paper);stroke-width:3px;paint-order:stroke}"
         ".plot .grid{stroke:var(--faint);stroke-width:1}.plot .frame{stroke:var(--ink);stroke-width:1}.plot .l{fill:none;stroke-width:1.8}"
         ".plot .s0{--c:var(--s0)}.plot .s1{--c:var(--s1)}.plot .s2{--c:var(--s2)}.plot .s3{--c:var(--s3)}.plot .s4{--c:var(--s4)}.plot "
         ".s5{--c:var(--s5)}"
         ".plot .s6{--c:var(--s6)}.plot .s7{--c:var(--s7)}"
         ".plot .l{stroke:var(--c)}.plot .m{fill:var(--c);stroke:var(--paper);stroke-width:.8}.plot "
         ".hollow{fill:var(--paper);stroke:var(--c);stroke-width:1.6}"
         ".plot .d1{stroke-dasharray:7 3}.plot .d2{stroke-dasharray:2 3}.plot .d3{stroke-dasharray:9 3 2 3}.plot .d5{stroke-dasharray:5 "
         "5}.plot .d6{stroke-dasharray:12 4}"
         ".plot .d7{stroke-dasharray:3 2}";
}

std::string standalone(std::string const& svg) {
  std::size_t const body = svg.find('>') + 1;
  return svg.substr(0, body) + "<style>" + plot_style() + "</style><rect width=\"100%\" height=\"100%\" style=\"fill:var(--paper)\"/>" +
         svg.substr(body) + '\n';
}

std::string escaped(std::string const& text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string shown(double x, int digits) {
  char text[40];
  if (!std::isfinite(x)) return "–";
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  double const size = std::abs(x);
  if (size >= 1000 && size < 1e7) std::snprintf(text, sizeof text, "%.0f", x);
  return text;
}

}  // namespace fwa::study
