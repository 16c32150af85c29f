// SPDX-License-Identifier: Apache-2.0
// support/fields.hpp — the forms over what a certificate asks, compiled once for all tests of it (in fields.cpp).
#pragma once

#include <fwa/verify/certificate.hpp>

#ifndef FWA_FIELDS_INSTANCE
#define FWA_FIELDS_INSTANCE extern template
#endif

namespace fwa::verify {

FWA_FIELDS_INSTANCE reading<prime_field<primes[0]>> solve<prime_field<primes[0]>>(problem<prime_field<primes[0]>> const&, path, index_t);
FWA_FIELDS_INSTANCE reading<prime_field<primes[1]>> solve<prime_field<primes[1]>>(problem<prime_field<primes[1]>> const&, path, index_t);
FWA_FIELDS_INSTANCE reading<degree<1>> solve<degree<1>>(problem<degree<1>> const&, path, index_t);

}  // namespace fwa::verify
