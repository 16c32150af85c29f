(* SPDX-License-Identifier: Apache-2.0 *)
(* From a gain, a ridge and an energy to a step size and a carry, as step/gain.hpp, step/energy.hpp and step/schedule.hpp have it.

     denominator E lambda epsilon     D = E + lambda + epsilon
     step_size beta D                 eta = beta / D, 0 where D = 0
     raw_carry eta lambda             1 - eta lambda
     stable_carry                     (E + (1 - beta) lambda + epsilon) / D, 1 where D = 0: the same number for beta <= 1
     clamp_acts raw floor             not (floor < raw): a tie counts
     clamped raw floor                the floor where it acts, else raw
     effective_ridge                  lambda^ = (1 - gamma) / eta; 0 where eta = 0
     weight_of eta B                  eta / B, the weight of one pair in a window of B
     mean_energy xs                   the mean of |x|^2 over a window                                                         *)
From mathcomp Require Import all_ssreflect all_algebra.
From Fwa Require Import definitions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Step.
Variable R : fieldType.
Implicit Types beta E lambda epsilon D eta : R.

Definition denominator E lambda epsilon := E + lambda + epsilon.
Definition step_size beta D := if D == 0 then 0 else beta / D.
Definition raw_carry eta lambda := 1 - eta * lambda.
Definition stable_carry beta E lambda epsilon :=
  let D := denominator E lambda epsilon in if D == 0 then 1 else (E + (1 - beta) * lambda + epsilon) / D.
Definition weight_of eta (B : nat) := eta / B%:R.
Definition mean_energy n (xs : seq 'rV[R]_n) := (size xs)%:R^-1 * \sum_(x <- xs) dot x x.

(** If false: the carry without cancellation would be another number than 1 - eta lambda. Test: exact/clamp_test.cpp. *)
Theorem two_carries_agree beta E lambda epsilon :
  stable_carry beta E lambda epsilon = raw_carry (step_size beta (denominator E lambda epsilon)) lambda.
Proof.
rewrite /stable_carry /raw_carry /step_size; set D := denominator _ _ _; case: eqP => [_|/eqP nz]; first by rewrite mul0r subr0.
have -> : E + (1 - beta) * lambda + epsilon = D - beta * lambda by rewrite mulrBl mul1r addrA addrAC.
by rewrite mulrBl mulfV // mulrAC.
Qed.

End Step.

Section Clamp.
Variable R : realFieldType.
Implicit Types beta E lambda epsilon D eta raw floor gamma : R.

Definition clamp_acts raw floor := ~~ (floor < raw).
Definition clamped raw floor := if clamp_acts raw floor then floor else raw.
Definition effective_ridge eta gamma : R := if eta == 0 then 0 else (1 - gamma) / eta.

(* What the reader accepts. *)
Definition legal beta E lambda epsilon := [/\ 0 <= beta < 2%:R, 0 <= E, 0 <= lambda & 0 <= epsilon].

Variables (beta E lambda epsilon : R).
Hypothesis ok : legal beta E lambda epsilon.
Let D := denominator E lambda epsilon.
Let eta := step_size beta D.

Lemma denominator_ge0 : 0 <= D.
Proof. by case: ok => _ *; rewrite !addr_ge0. Qed.

Lemma eta_ge0 : 0 <= eta.
Proof.
rewrite /eta /step_size; case: ifP => // _; case: ok => /andP[b0 _] _ _ _.
by rewrite divr_ge0 // denominator_ge0.
Qed.

Lemma eta_D : eta * D <= beta.
Proof.
rewrite /eta /step_size; case: eqP => [->|/eqP nz]; last by rewrite divfK.
by rewrite mulr0; case: ok => /andP[].
Qed.

(** If false: eta L could reach 2 and a step of the regression could climb. Test: exact/descent_test.cpp. *)
Theorem eta_times_smoothness : eta * (E + lambda) < 2%:R.
Proof.
case: ok => /andP[_ b2] E0 l0 e0; apply: le_lt_trans b2; apply: le_trans eta_D.
by apply: ler_wpmul2l; [exact: eta_ge0|rewrite /D /denominator ler_addl].
Qed.

Lemma eta_lambda_ge0 : 0 <= eta * lambda.
Proof. by case: ok => _ _ l0 _; rewrite mulr_ge0 // eta_ge0. Qed.

Lemma eta_E_ge0 : 0 <= eta * E.
Proof. by case: ok => _ E0 _ _; rewrite mulr_ge0 // eta_ge0. Qed.

(** If false: the unclamped decay could leave (-1, 1]. Test: exact/clamp_test.cpp. *)
Theorem raw_carry_range : -1 < raw_carry eta lambda <= 1.
Proof.
rewrite /raw_carry ler_subl_addr ler_addl eta_lambda_ge0 andbT ltr_subr_addl ltr_subl_addr.
by apply: le_lt_trans eta_times_smoothness; rewrite mulrDr ler_addr eta_E_ge0.
Qed.

Variable floor : R.
Hypothesis floor_range : 0 < floor < 1.
Let gamma := clamped (raw_carry eta lambda) floor.

(** If false: the floor would not be max(1 - eta lambda, floor), or a tie would not count. Test: exact/clamp_test.cpp. *)
Theorem clamped_is_max : gamma = Num.max (raw_carry eta lambda) floor /\ clamp_acts floor floor.
Proof. by rewrite /gamma /clamped /clamp_acts ltxx if_neg; split=> //; rewrite maxC /Num.max /Order.max; case: ltP. Qed.

(** If false: a clamped decay could vanish, or exceed 1. Test: exact/clamp_test.cpp. *)
Theorem clamped_range : 0 < gamma <= 1.
Proof.
case/andP: floor_range => f0 f1; rewrite /gamma /clamped /clamp_acts -leNgt.
case: (leP (raw_carry eta lambda) floor) => [_|lt]; first by rewrite f0 ltW.
by rewrite (lt_trans f0 lt); case/andP: raw_carry_range.
Qed.

Lemma clamped_ge : raw_carry eta lambda <= gamma.
Proof. by rewrite /gamma /clamped /clamp_acts -leNgt; case: (leP (raw_carry eta lambda) floor). Qed.

(** If false: the ridge that a clamped step applies could be negative, or larger than the one that was asked for.
    Test: exact/clamp_test.cpp. *)
Theorem effective_ridge_range : 0 <= effective_ridge eta gamma <= lambda.
Proof.
have l0 : 0 <= lambda by case: ok.
rewrite /effective_ridge; case: eqP => [_|/eqP nz]; first by rewrite lexx.
have ep : 0 < eta by rewrite lt_neqAle eq_sym nz eta_ge0.
rewrite divr_ge0 ?eta_ge0 ?subr_ge0 //=; last by case/andP: clamped_range.
rewrite ler_pdivr_mulr // ler_subl_addr -ler_subl_addl mulrC.
exact: clamped_ge.
Qed.

(** If false: without the clamp the effective ridge would not be the ridge. Test: exact/clamp_test.cpp. *)
Theorem effective_ridge_unclamped : eta != 0 -> ~~ clamp_acts (raw_carry eta lambda) floor -> effective_ridge eta gamma = lambda.
Proof.
rewrite /effective_ridge /gamma /clamped => nz /negbTE ->; rewrite (negbTE nz) /raw_carry subKr.
by rewrite mulrAC mulfV // mul1r.
Qed.

(** If false: the surrogate of a clamped step would not be smooth enough for it: eta < 2 / L^ with L^ = E + lambda^.
    Test: exact/clamp_test.cpp. *)
Theorem eta_times_surrogate_smoothness : eta * (E + effective_ridge eta gamma) < 2%:R.
Proof.
apply: le_lt_trans eta_times_smoothness; apply: ler_wpmul2l; first exact: eta_ge0.
by rewrite ler_add2l; case/andP: effective_ridge_range.
Qed.

End Clamp.
