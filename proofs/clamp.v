(* SPDX-License-Identifier: Apache-2.0 *)
(* A clamped step is the gradient step of the same objective with the effective ridge; that one goes down, the original may rise. *)
From mathcomp Require Import all_ssreflect all_algebra.
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

(** If false: a clamped step would be the gradient step of no ridge. *)
Theorem clamped_step_is_a_surrogate_step S : write s t S = S - eta t *: gradient X Y surrogate k S.
Proof.
apply: write_is_a_gradient_step => //; rewrite /raw_carry /surrogate /effective_ridge gt_eqF ?eta_positive //.
by rewrite mulrC divfK ?gt_eqF ?eta_positive // subKr.
Qed.

(** If false: a clamped step could raise the loss of its surrogate. *)
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
Let one : 'M[rat]_1 := uniform 1 1.
Let beta : rat := 19%:R / 10%:R.
Let eta : rat := step_size beta (denominator 1 3%:R 0).
Let floor : rat := 1 / 1000%:R.
Let s := one_step (fun=> one) (fun=> one) 0 (fun=> one) (fun=> weight_of eta 1) (fun=> clamped (raw_carry eta 3%:R) floor) (fun=> 1%N) One.

Lemma loss_of_one lambda (z : rat) :
  loss one one lambda One (uniform 1 z) = 2%:R^-1 * ((z - 1) * (z - 1)) / 1%:R + 2%:R^-1 * lambda * (z * z).
Proof. by rewrite /loss /squared /inner !big_ord1 !mxE big_ord1 !mxE mul1r. Qed.

(** If false: the loss that was asked for could not rise under the clamp. It goes from 0.375 to more than 0.3977. *)
Theorem original_loss_may_rise :
  loss one one 3%:R One (uniform 1 (1 / 4%:R)) = 3%:R / 8%:R /\
  3977%:R / 10000%:R < loss one one 3%:R One (write s 0 (uniform 1 (1 / 4%:R))).
Proof.
have -> : write s 0 (uniform 1 (1 / 4%:R)) = uniform 1 (1426%:R / 4000%:R).
  apply/matrixP => i j; rewrite !ord1 /write /members /past /index_iota /= big_cons big_nil
    !(mxE, big_ord1); by apply/eqP; vm_compute.
by rewrite !loss_of_one; split; [apply/eqP; vm_compute | vm_compute].
Qed.

End Witness.
