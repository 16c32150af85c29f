// SPDX-License-Identifier: Apache-2.0
// fwa.hpp — fast weight attention: the core; number/, reference/, batch/ and form/paper/ are included by name.
//
// "Fast Weight Attention for Continual Learning", arXiv 2608.27763, PDF dated March 9, 2026, revised May 25, 2026
// (sha256 8e7fec61…2dcee). Equation numbers in the headers are those of that revision.
#pragma once

#include "contract.hpp"  // what is said when input breaks a rule
#include "matrix.hpp"    // time-major matrices
#include "options.hpp"   // every choice besides the rule
#include "scalar.hpp"    // what a number must be able to do

#include "align/feature.hpp"  // φ
#include "align/pairs.hpp"    // which key a value is written under

#include "objective.hpp"  // both losses, their gradients, the descent lemma

#include "step/eigenvalue.hpp"  // λ_max
#include "step/energy.hpp"      // E_t
#include "step/gain.hpp"        // η and γ
#include "step/schedule.hpp"    // all that a form may know of time

#include "rule/falcon.hpp"      // the eight corners
#include "rule/neighbours.hpp"  // published rules nearby
#include "rule/rule.hpp"        // a point of the equation

#include "form/chunked.hpp"     // chunk by chunk
#include "form/masked.hpp"      // one masked system
#include "form/memory.hpp"      // what continues a sequence
#include "form/read.hpp"        // the read with a denominator
#include "form/recurrent.hpp"   // the definition
#include "form/scan.hpp"        // … with an associative scan
#include "form/span.hpp"        // windows at linear cost, all columns at once
#include "form/triangular.hpp"  // (I + A) R = F

#include "attend.hpp"  // the front door
#include "check.hpp"   // which rules, options and memories go together
#include "reader.hpp"  // one head that reads, many tokens or one at a time
