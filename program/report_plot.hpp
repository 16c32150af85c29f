// SPDX-License-Identifier: Apache-2.0
// report_plot.hpp — two kinds of plots as SVG: lines over an axis, and dots in named rows.
//
// Colours are classes that plot_style() defines for light and dark; every series also has its own marker and dash, so none is told
// apart by colour alone. The view box is narrow (480), so that its text can still be read at the width of a phone.
#pragma once

#include <string>
#include <vector>

namespace fwa::study {

/// NaN leaves a gap.
struct series {
  std::string name;
  std::vector<double> x, y;
};

struct axis {
  std::string label;
  bool log = false;
};

struct line_plot {
  std::string title;
  axis x, y;
  std::vector<series> lines;  ///< at most 8
};

/// One row a name; series[i].x[r] is the dot of row r.
struct dot_plot {
  std::string title;
  axis x;
  std::vector<std::string> rows;
  std::vector<series> dots;   ///< at most 8; y is not used
  std::vector<series> lines;  ///< upright lines at x[0], after the dots' markers
  double most = 1e300;        ///< where a dot is beyond it the axis ends here, and such dots stand on the frame beside their value
};

[[nodiscard]] std::string svg(line_plot const&);
[[nodiscard]] std::string svg(dot_plot const&);

/// The style sheet that plots need; `standalone` puts it inside.
[[nodiscard]] std::string plot_style();
[[nodiscard]] std::string standalone(std::string const& svg);

/// Text that is safe in HTML and SVG.
[[nodiscard]] std::string escaped(std::string const& text);
/// A number for people: few digits, exponents only where they help.
[[nodiscard]] std::string shown(double x, int digits = 3);

}  // namespace fwa::study
