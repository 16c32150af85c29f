(* SPDX-License-Identifier: Apache-2.0 *)
(* A clamped step is the gradient step of the same objective with the effective ridge; that one goes down, the original may rise.

     surrogate          effective_ridge of the clamped step: lambda^ = (1 - gamma) / eta; losses, gradients, smoothness as in descent.v,
                        clamped, legal, step_size as in gain.v                                                                     *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Fwa Require Import definitions forms_agree chunk_size_is_free gain descent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Surrogate.
Variables (R : realFieldType) (dx dv : nat).
Variables (x : nat -> 'rV[R]_dx) (y : nat -> 'rV[R]_dv) (b : nat) (q : nat -> 'rV[R]_dx) (eta g : nat -> R) (length : nat -> nat).
Variable k : residual.
Hypothesis falcon : k <> Gamma.
Let s := one_step x y b q (fun t => weight_of (eta t) (length t)) g length k.
Variable t : nat.
Hypothesis available : (length t <= b + t.+1)%N.
Let X := window_rows b length t x.
Let Y := window_rows b length t y.
Variables (beta E lambda epsilon floor : R).
Hypothesis ok : legal beta E lambda epsilon.
Hypothesis beta_positive : 0 < beta.
Hypothesis floor_range : 0 < floor < 1.
Let D := denominator E lambda epsilon.
Hypothesis D_positive : 0 < D.
Hypothesis eta_is : eta t = step_size beta D.
Hypothesis g_is : g t = clamped (raw_carry (eta t) lambda) floor.
Let surrogate := effective_ridge (eta t) (g t).

Lemma eta_positive : 0 < eta t.
Proof. by rewrite eta_is /step_size gt_eqF // divr_gt0. Qed.

(** If false: a clamped step would be the gradient step of no ridge. Test: exact/clamp_test.cpp. *)
Theorem clamped_step_is_a_surrogate_step S : write s t S = S - eta t *: gradient X Y surrogate k S.
Proof.
apply: write_is_a_gradient_step => //; rewrite /raw_carry /surrogate /effective_ridge gt_eqF ?eta_positive //.
by rewrite mulrC divfK ?gt_eqF ?eta_positive // subKr.
Qed.

(** If false: a clamped step could raise the loss of its surrogate. Test: exact/clamp_test.cpp. *)
Theorem surrogate_descends S : (0 < length t)%N -> (k = One -> bounds_energy dv X E) ->
  loss X Y surrogate k (write s t S)
  <= loss X Y surrogate k S - descent_amount (smoothness surrogate k E) (eta t) (squared (gradient X Y surrogate k S)).
Proof.
move=> lp bound; rewrite clamped_step_is_a_surrogate_step.
have EL := eta_times_surrogate_smoothness ok floor_range; rewrite -/D -eta_is -g_is -/surrogate in EL.
have E0 : 0 <= E by case: ok.
have [sm eL] := smooth_enough Y falcon lp E0 eta_positive EL bound.
by case: (lemma_3_1 S sm eta_positive eL).
Qed.

End Surrogate.

(* E = y = 1, lambda = 3, beta = 1.9, floor = 1/1000, s = 1/4. *)
Section Witness.
Variable R : realFieldType.
Let one : 'M[R]_1 := uniform 1 1.
Let beta : R := 19%:R / 10%:R.
Let eta : R := step_size beta (denominator 1 3%:R 0).
Let floor : R := 1 / 1000%:R.
Let s (w g : R) := one_step (fun=> one) (fun=> one) 0 (fun=> one) (fun=> w) (fun=> g) (fun=> 1%N) One.

Lemma loss_of_one lambda (z : R) :
  loss one one lambda One (uniform 1 z) = 2%:R^-1 * ((z - 1) * (z - 1)) / 1%:R + 2%:R^-1 * lambda * (z * z).
Proof. by rewrite /loss /squared /inner !big_ord1 !mxE big_ord1 !mxE mul1r. Qed.

Lemma write_of_one (w g z : R) : write (s w g) 0 (uniform 1 z) = uniform 1 (z * g + w * (1 - z)).
Proof.
apply/matrixP => i j; rewrite !ord1 /write /members /past /index_iota /= big_cons big_nil !(mxE, big_ord1).
by rewrite !mul1r mulr1n addr0.
Qed.

Lemma eta_value : eta = 19%:R / 40%:R.
Proof.
rewrite /eta /step_size /denominator addr0 gt_eqF; last by rewrite addr_gt0 ?ltr01 ?ltr0n.
by rewrite /beta; field.
Qed.

Lemma floor_positive : 0 < floor.
Proof. by rewrite /floor divr_gt0 ?ltr01 ?ltr0n. Qed.

Lemma clamped_low (raw low : R) : raw < low -> clamped raw low = low.
Proof. by move=> lt; rewrite /clamped /clamp_acts lt_gtF. Qed.

Lemma floor_acts : clamped (raw_carry eta 3%:R) floor = floor.
Proof.
apply: clamped_low; apply: lt_trans floor_positive; rewrite /raw_carry eta_value.
have -> : 1 - 19%:R / 40%:R * 3%:R = - (17%:R / 40%:R) :> R by field.
by rewrite oppr_lt0 divr_gt0 ?ltr0n.
Qed.

(** If false: the loss that was asked for could not rise under the clamp. From 0.375 it goes to 0.3976... Test: exact/clamp_test.cpp. *)
Theorem original_loss_may_rise :
  let before := loss one one 3%:R One (uniform 1 (1 / 4%:R)) in
  let after := loss one one 3%:R One (write (s (weight_of eta 1) (clamped (raw_carry eta 3%:R) floor)) 0 (uniform 1 (1 / 4%:R))) in
  before = 3%:R / 8%:R /\ before < after.
Proof.
have above z : loss one one 3%:R One (uniform 1 z) = 3%:R / 8%:R + 2%:R * (z - 1 / 4%:R) ^+ 2 by rewrite loss_of_one; field.
rewrite write_of_one !above floor_acts /weight_of invr1 mulr1 eta_value subrr expr0n mulr0 addr0; split; first by [].
rewrite ltr_addl mulr_gt0 ?ltr0n // exprn_gt0 //.
have -> : 1 / 4%:R * floor + 19%:R / 40%:R * (1 - 1 / 4%:R) - 1 / 4%:R = floor / 4%:R + 17%:R / 160%:R by field.
by apply: addr_gt0; apply: divr_gt0; rewrite ?floor_positive ?ltr0n.
Qed.

End Witness.
