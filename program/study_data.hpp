// SPDX-License-Identifier: Apache-2.0
// study_data.hpp — real sequences as keys and values.
//
//   text     token t is character c_t:  k_t = features of the contexts c_t; c_{t−1}c_t; …; of p characters,  v_t = one-hot of c_t
//   signal   token t is sample s_t:     k_t = (1, s_t, s_{t−1}, …, s_{t−p+1}),                                v_t = s_t
//
//   k (T, dx)   v (T, dv)   k_t is known once token t is known, so k_t and a state of tokens ≤ t may predict v_{t+1}
//
// A context of n characters has a block of dx/p signs ±1/√dx drawn by a hash of its characters: equal contexts have equal blocks,
// others are nearly orthogonal, ‖k_t‖ = 1. Samples are centred and scaled by the mean and deviation of the prefix.
#pragma once

#include <fwa/matrix.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fwa::study {

struct dataset {
  std::string name, source;
  bool text = false;
  mat<double> k, v;
  std::vector<index_t> symbol;       ///< text: the column of v that token t sets
  std::vector<std::string> columns;  ///< what a value column is
  index_t prefix = 0;                ///< tokens that settings are chosen on; scores are taken on those after it
};

/// Most tokens that are read of any source.
inline constexpr index_t longest = 40000;

[[nodiscard]] dataset text_data(std::string name, std::string source, std::string_view text);
/// @param samples (T, columns)
[[nodiscard]] dataset signal_data(std::string name, std::string source, mat<double> const& samples);

/// @param what text, sunspots, co2, ecg, or a file: .csv or .npy as a signal, anything else as text   @param most tokens, ≥ 64
/// @throws contract_error
[[nodiscard]] dataset load(std::string const& what, index_t most);

/// Samples (T, columns) of files.
[[nodiscard]] mat<double> read_ecg(std::string const& path);  // an .npz of 16-bit numbers
[[nodiscard]] mat<double> read_csv(std::string const& path);
[[nodiscard]] mat<double> read_npy_samples(std::string const& path);

}  // namespace fwa::study
