(* SPDX-License-Identifier: Apache-2.0 *)
(* The theorems with the most hypotheses do not hold for want of a case: here all hypotheses of each hold together.

     one        the feature, target and query of every token: the number 1
     s, clamped_s   a regression with windows of one pair; beta = E = lambda = 1, epsilon = 0, and beta = 1.9, lambda = 3 with floor 1/1000
   smooth_functions.v has its own case at its end.                                                                               *)
From mathcomp Require Import all_ssreflect all_algebra ring zify.
From Fwa Require Import definitions forms_agree chunk_size_is_free gain reductions descent clamp transition continuation
  windows_at_linear_cost stationary_window largest_eigenvalue.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Ordered.
Variable R : realFieldType.
Let one : 'M[R]_1 := uniform 1 1.
Let eta : R := step_size 1 (denominator 1 1 0).
Let s := one_step (fun=> one) (fun=> one) 0 (fun=> one) (fun=> weight_of eta 1) (fun=> raw_carry eta 1) (fun=> 1%N) One.

Lemma legal_one : legal (1 : R) 1 1 0.
Proof. by split; rewrite ?ler01 ?lexx // ltr1n. Qed.

Lemma denominator_one : 0 < denominator (1 : R) 1 0.
Proof. by rewrite /denominator addr0 addr_gt0 ?ltr01. Qed.

Lemma one_bounds dv : bounds_energy dv (window_rows 0 (fun=> 1%N) 0 (fun=> one)) 1.
Proof.
move=> V; have -> : window_rows 0 (fun=> 1%N) 0 (fun=> one) = 1%:M.
  by apply/matrixP => i j; rewrite !ord1 !mxE.
by rewrite mul1mx !mul1r.
Qed.

(** If false: falcon_descends and column_descends could be true of no step at all: beta = E = lambda = 1, epsilon = 0. Test: none. *)
Theorem descent_is_not_vacuous (S : 'M[R]_1) :
  loss one one 1 One (write s 0 S)
  <= loss one one 1 One S - descent_amount (smoothness 1 One 1) eta (squared (gradient one one 1 One S)).
Proof.
have E : window_rows 0 (fun=> 1%N) 0 (fun=> one) = one by apply/matrixP => i j; rewrite !mxE.
have falcon : One <> Gamma by [].
have := @falcon_descends R 1 1 (fun=> one) (fun=> one) 0 (fun=> one) (fun=> eta) (fun=> raw_carry eta 1) (fun=> 1%N) One falcon 0 isT
  1 1 1 0 S legal_one ltr01 isT (fun=> @one_bounds 1) denominator_one erefl erefl.
by rewrite E.
Qed.

Let gain : R := 19%:R / 10%:R.
Let far : R := step_size gain (denominator 1 3%:R 0).
Let floor : R := 1 / 1000%:R.
Let clamped_s := one_step (fun=> one) (fun=> one) 0 (fun=> one) (fun=> weight_of far 1) (fun=> clamped (raw_carry far 3%:R) floor)
  (fun=> 1%N) One.

Lemma legal_far : legal gain 1 3%:R 0.
Proof.
split; rewrite ?ler01 ?ler0n ?lexx // /gain divr_ge0 ?ler0n //=.
by rewrite ltr_pdivr_mulr ?ltr0n // -natrM ltr_nat.
Qed.

(** If false: surrogate_descends could be true of no clamped step: here the floor acts. Test: exact/clamp_test.cpp. *)
Theorem surrogate_is_not_vacuous (S : 'M[R]_1) : clamp_acts (raw_carry far 3%:R) floor /\
  let ridge := effective_ridge far (clamped (raw_carry far 3%:R) floor) in
  loss one one ridge One (write clamped_s 0 S)
  <= loss one one ridge One S - descent_amount (smoothness ridge One 1) far (squared (gradient one one ridge One S)).
Proof.
have fp : 0 < floor by rewrite divr_gt0 ?ltr01 ?ltr0n.
have acts : raw_carry far 3%:R < floor.
  apply: lt_trans fp; rewrite /raw_carry /far /gain (eta_value R).
  have -> : 1 - 19%:R / 40%:R * 3%:R = - (17%:R / 40%:R) :> R by field.
  by rewrite oppr_lt0 divr_gt0 ?ltr0n.
split; first by rewrite /clamp_acts lt_gtF.
have E : window_rows 0 (fun=> 1%N) 0 (fun=> one) = one by apply/matrixP => i j; rewrite !mxE.
have falcon : One <> Gamma by [].
have fl : 0 < floor < 1 by rewrite fp /floor ltr_pdivr_mulr ?ltr0n // mul1r ltr1n.
have gp : 0 < gain by rewrite divr_gt0 ?ltr0n.
have Dp : 0 < denominator (1 : R) 3%:R 0 by rewrite /denominator addr0 addr_gt0 ?ltr01 ?ltr0n.
have := @surrogate_descends R 1 1 (fun=> one) (fun=> one) 0 (fun=> one) (fun=> far) (fun=> clamped (raw_carry far 3%:R) floor) (fun=> 1%N)
  One falcon 0 isT gain 1 3%:R 0 floor legal_far gp fl Dp erefl erefl S isT (fun=> @one_bounds 1).
by rewrite E.
Qed.

End Ordered.

Section Closed.
Variable R : rcfType.
Let one : 'M[R]_1 := uniform 1 1.
Let eta : R := step_size 1 (denominator 1 1 0).

Lemma dot_one : dot one one = 1.
Proof. by rewrite dotE big_ord1 !mxE mulr1. Qed.

(** If false: the bound of the scaled inverse could be one of no sequence: beta = E = lambda = 1. Test: exact/clamp_test.cpp. *)
Theorem scaled_inverse_is_not_vacuous c (i j : 'I_c) : i != j ->
  `|invmx (system (fun=> one) 0 (fun=> one) (fun=> eta) (fun=> raw_carry eta 1) c) i j| <= 1.
Proof.
move=> ne; have half : 0 < (1 / 2%:R : R) < 1 by rewrite divr_gt0 ?ltr01 ?ltr0n //= ltr_pdivr_mulr ?ltr0n // mul1r ltr1n.
have := @scaled_inverse_entries_are_bounded R 1 (fun=> one) 0 (fun=> one) (fun=> 1) (fun=> 1) (fun=> raw_carry eta 1) 0 (1 / 2%:R).
rewrite /= dot_one => /(_ (fun=> legal_one R) half (fun=> or_introl erefl) c i j ne) /andP[le _].
move: le; rewrite divff ?sqrtr1 ?mul1r ?mulr1 ?sqrtr1 //.
by rewrite gt_eqF // /step_size gt_eqF ?divr_gt0 ?ltr01 ?denominator_one.
Qed.

(** If false: computed_energy_descends could leave no gain room: after two halvings it is 5 / 2 < 4. Test: none. *)
Theorem computed_energy_is_not_vacuous (S : 'M[R]_1) :
  let s := one_step (fun=> one) (fun=> one) 0 (fun=> one) (fun=> weight_of eta 1) (fun=> raw_carry eta 1) (fun=> 1%N) One in
  exists2 L, 0 < L
  & loss one one 1 One (write s 0 S) <= loss one one 1 One S - descent_amount L eta (squared (gradient one one 1 One S)).
Proof.
move=> s; have E : window_rows 0 (fun=> 1%N) 0 (fun=> one) = one by apply/matrixP => i j; rewrite !mxE.
have := @computed_energy_descends R 1 1 (fun=> one) (fun=> one) 0 (fun=> one) (fun=> eta) (fun=> raw_carry eta 1) (fun=> 1%N) 0 isT
  2 1 1 0 S.
rewrite E (energy_of_one_pair 2 one) dot_one; have -> : squared one = 1 by rewrite /squared -dot_inner dot_one.
rewrite invr1 !mulr1 => /(_ (legal_one R) ltr01 isT (denominator_one R)) H.
exists (smoothness 1 One (1 + 2%:R / 2%:R ^+ 2)); last first.
  have small : 2%:R / 2%:R ^+ 2 < 1 + 1 :> R by rewrite ltr_pdivr_mulr ?exprn_gt0 ?ltr0n // -natrX -mulr2n -natrM ltr_nat.
  by apply: H => //; rewrite mul1r [X in _ < X]mulr_natl mulr2n ltr_add2l /denominator addr0.
by rewrite /smoothness !addr_gt0 ?ltr01 // divr_gt0 ?exprn_gt0 ?ltr0n.
Qed.

End Closed.

(** If false: the windows of some aligned sequence would not advance, and sweep_is_recurrent would say nothing of it; its lo may be 0.
    Test: properties/continuation_test.cpp. *)
Theorem aligned_windows_advance (R : comRingType) dx dv B shifted k (e : boundary R dx dv) i t :
  let s := aligned B shifted k e i in (oldest s t <= oldest s t.+1)%N.
Proof. by rewrite /= /oldest /past /= /length; lia. Qed.

(** If false: stationary_mask could be true of no pair: of windows min(B, t + 1) all that hold pair i >= B - 1 are full.
    Test: properties/stationary_window_test.cpp. *)
Theorem interior_windows_are_full B i : (B <= i.+1)%N ->
  (forall t, (minn B t.+1 <= B)%N) /\ forall t, (i <= t < i + B)%N -> minn B t.+1 = B.
Proof. by move=> le; split=> [t|t /andP[it _]]; lia. Qed.
