// SPDX-License-Identifier: Apache-2.0
// support/instances.hpp — the library over the common scalars, compiled once for all tests and examples (in instances.cpp).
#pragma once

#include <fwa/attend.hpp>
#include <fwa/reference/naive.hpp>

#include <vector>

#ifndef FWA_TEST_INSTANCE
#define FWA_TEST_INSTANCE extern template
#endif

namespace fwa {

FWA_TEST_INSTANCE class planner<double>;
FWA_TEST_INSTANCE class planner<float>;
FWA_TEST_INSTANCE class reader<double>;
FWA_TEST_INSTANCE class reader<float>;
FWA_TEST_INSTANCE outcome<double> attend<double>(rule const&, tokens<double> const&, options const&, memory<double> const&);
FWA_TEST_INSTANCE outcome<float> attend<float>(rule const&, tokens<float> const&, options const&, memory<float> const&);
FWA_TEST_INSTANCE plan<double> make_plan<double>(residual, pairs<double> const&, drive<double> const&, options const&);
FWA_TEST_INSTANCE reading<double> recurrent<double>(view<double>, pairs<double> const&, schedule<double> const&, timing, mat<double>);
FWA_TEST_INSTANCE reading<double> masked<double>(view<double>, pairs<double> const&, schedule<double> const&, timing, mat<double>);
FWA_TEST_INSTANCE reading<double> chunked<double>(view<double>, pairs<double> const&, schedule<double> const&, timing, index_t,
                                                  mat<double>);
FWA_TEST_INSTANCE reading<double> chunked_by_scan<double>(view<double>, pairs<double> const&, schedule<double> const&, timing, index_t,
                                                          mat<double>);
FWA_TEST_INSTANCE std::vector<outcome<double>> attend_packed<double>(rule const&, tokens<double> const&, std::span<index_t const>,
                                                                     options const&, std::span<memory<double> const>);

namespace reference {
FWA_TEST_INSTANCE account<double> naive<double>(rule const&, mat<double> const&, mat<double> const&, mat<double> const&, mat<double> const&,
                                                mat<double> const&, options const&, fwa::memory<double> const&);
}

}  // namespace fwa
