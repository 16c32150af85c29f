(* SPDX-License-Identifier: Apache-2.0 *)
(* Lemma 3.1 for the objectives of objective.hpp: a write is one gradient step, and goes down by the stated amount.

     loss rho S X Y l     (1/2n) |X S - Y|^2 + (l/2) |S|^2  or  -(1/n) <X S, Y> + (l/2) |S|^2     X (n, dx), Y (n, dv): one window
     gradient             X^T (X S - Y) / n + l S  or  -X^T Y / n + l S
     smooth f G L         f (S') <= f (S) + <G (S), S' - S> + (L/2) |S' - S|^2 for all S, S'
                          (smooth_functions.v derives it from a Lipschitz gradient)
     descent_amount       eta (2 - eta L) / 2 |grad|^2;  smoothness: mu + l, and l for the inner product
     window_rows          the rows of the window of token t as a matrix
     bounds_energy mu X   |X V|^2 <= n mu |V|^2 for every V: mu is at least the largest eigenvalue of X^T X / n
     One column of Y and S is the loss of a per-column rule.                                                                   *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Fwa Require Import definitions forms_agree chunk_size_is_free gain.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Cauchy.
Variable R : realFieldType.

Lemma squared_ge0 m n (A : 'M[R]_(m, n)) : 0 <= squared A.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; rewrite -expr2 sqr_ge0. Qed.

(* Cauchy and Schwarz, without a root. *)
Lemma cauchy m n (A B : 'M[R]_(m, n)) : inner A B ^+ 2 <= squared A * squared B.
Proof.
set a := squared A; set b := squared B; set c := inner A B.
have H x y : 0 <= x ^+ 2 * a - 2%:R * (x * y * c) + y ^+ 2 * b.
  have := squared_ge0 (x *: A - y *: B); rewrite squaredD squaredN !squaredZ innerNr innerZl innerZr -/a -/b -/c.
  by rewrite mulrN (mulrA x y c).
have [b0|nz] := eqVneq b 0.
  have := H (2%:R * c) (a + 1); rewrite b0 mulr0 addr0 mulr0.
  have -> : (2%:R * c) ^+ 2 * a - 2%:R * (2%:R * c * (a + 1) * c) = - (4%:R * c ^+ 2) by ring.
  rewrite oppr_ge0 pmulr_rle0 ?ltr0n // => le; exact: le.
have bp : 0 < b by rewrite lt_neqAle eq_sym nz squared_ge0.
have := H b c; have -> : b ^+ 2 * a - 2%:R * (b * c * c) + c ^+ 2 * b = b * (a * b - c ^+ 2) by ring.
by rewrite pmulr_rge0 // subr_ge0.
Qed.

End Cauchy.

Section Lemma31.
Variables (R : realFieldType) (m n : nat) (f : 'M[R]_(m, n) -> R) (G : 'M[R]_(m, n) -> 'M[R]_(m, n)) (L : R).

Definition smooth := forall S S', f S' <= f S + inner (G S) (S' - S) + L / 2%:R * squared (S' - S).
Definition descent_amount (eta g2 : R) := eta * (2%:R - eta * L) / 2%:R * g2.

(** If false: a gradient step of a smooth function could go down by less than eta (2 - eta L) / 2 |grad|^2, or climb.
    Test: exact/descent_test.cpp. *)
Theorem lemma_3_1 eta S : smooth -> 0 < eta -> eta * L < 2%:R ->
  f (S - eta *: G S) <= f S - descent_amount eta (squared (G S)) /\ 0 <= descent_amount eta (squared (G S)).
Proof.
move=> sm e0 eL; split; last first.
  by rewrite mulr_ge0 ?squared_ge0 // divr_ge0 ?ler0n // mulr_ge0 ?ltW // subr_gt0.
have V : S - eta *: G S - S = - (eta *: G S) by rewrite addrAC subrr add0r.
apply: le_trans (sm S _) _; rewrite V innerNr innerZr squaredN squaredZ -/(squared (G S)).
rewrite /descent_amount; set g := squared _.
have -> : f S - eta * g + L / 2%:R * (eta ^+ 2 * g) = f S - eta * (2%:R - eta * L) / 2%:R * g by field.
exact: lexx.
Qed.

End Lemma31.

Section Objectives.
Variable R : realFieldType.

Section OneWindow.
Variables (B dx dv : nat) (X : 'M[R]_(B, dx)) (Y : 'M[R]_(B, dv)) (lambda : R).
Implicit Types S V : 'M[R]_(dx, dv).

Definition takes_back (k : residual) : R := if k is Zero then 0 else 1.

Definition loss k S :=
  (if k is Zero then - inner (X *m S) Y / B%:R else 2%:R^-1 * squared (X *m S - Y) / B%:R) + 2%:R^-1 * lambda * squared S.
Definition gradient k S := B%:R^-1 *: (X^T *m (takes_back k *: (X *m S) - Y)) + lambda *: S.

Definition bounds_energy mu := forall V, squared (X *m V) <= B%:R * mu * squared V.

Definition smoothness k mu := if k is Zero then lambda else mu + lambda.

(** If false: gradient would not be the gradient of loss: the difference is this first-order term and a square, exactly.
    Test: tests/objective_test.cpp. *)
Theorem loss_expansion k S V :
  loss k (S + V) = loss k S + inner (gradient k S) V
    + 2%:R^-1 * ((if k is Zero then 0 else squared (X *m V) / B%:R) + lambda * squared V).
Proof.
rewrite /loss /gradient innerDl !innerZl [squared (S + V)]squaredD [inner (X^T *m _) V]inner_mulmxl trmxK; move: (B%:R^-1) => nu.
case: k; rewrite /takes_back ?scale0r ?scale1r ?sub0r mulmxDr.
- rewrite innerDl innerNl [inner Y _]innerC; set p := inner S V; set r := inner (X *m V) Y; by field.
- rewrite addrAC squaredD; set p := inner S V; set r := inner (_ - _) _; set z := squared (X *m V); by field.
- rewrite addrAC squaredD; set p := inner S V; set r := inner (_ - _) _; set z := squared (X *m V); by field.
Qed.

(** If false: the objectives would not be smooth with L = mu + lambda, and L = lambda for the inner product.
    Test: exact/descent_test.cpp. *)
Theorem loss_is_smooth k mu : (0 < B)%N -> bounds_energy mu -> smooth (loss k) (gradient k) (smoothness k mu).
Proof.
move=> Bp bound S S'; rewrite -{1}(subrK S S') addrC loss_expansion ler_add2l; set V := S' - S.
rewrite mulrAC [in X in _ <= X]mulrC ler_wpmul2l ?invr_ge0 ?ler0n //.
rewrite /smoothness; have Bp' : 0 < B%:R :> R by rewrite ltr0n.
have quad : squared (X *m V) / B%:R <= mu * squared V by rewrite ler_pdivr_mulr // [X in _ <= X]mulrC mulrA.
by case: k; rewrite ?add0r // mulrDl ler_add2r.
Qed.

End OneWindow.

(** If false: the mean of |x|^2 over a window, and so |x|^2 itself for one pair, could be below the largest eigenvalue.
    Test: exact/descent_test.cpp. *)
Theorem mean_energy_bounds n dx (X : 'M[R]_(n, dx)) dv : (0 < n)%N ->
  @bounds_energy n dx dv X (mean_energy [seq row i X | i <- enum 'I_n]).
Proof.
move=> np V; rewrite /mean_energy size_map size_enum_ord big_map big_enum /= mulrA mulfV ?mul1r ?pnatr_eq0 -?lt0n //.
have -> : squared (X *m V) = \sum_i \sum_k inner (row i X) (col k V)^T ^+ 2.
  rewrite /squared {1}/inner; apply: eq_bigr => i _; apply: eq_bigr => k _; rewrite -expr2 mxE /inner big_ord1.
  by congr (_ ^+ 2); apply: eq_bigr => l _; rewrite !mxE.
have -> : squared V = \sum_k squared (col k V)^T.
  rewrite /squared {1}/inner exchange_big; apply: eq_bigr => k _; rewrite /inner big_ord1.
  by apply: eq_bigr => l _; rewrite !mxE.
rewrite mulr_suml; apply: ler_sum => i _; rewrite mulr_sumr; apply: ler_sum => k _.
by rewrite dot_inner; exact: cauchy.
Qed.

Lemma smooth_enough B dx dv (X : 'M[R]_(B, dx)) (Y : 'M[R]_(B, dv)) lambda k E eta : k <> Gamma -> (0 < B)%N ->
  0 <= E -> 0 < eta -> eta * (E + lambda) < 2%:R -> (k = One -> bounds_energy dv X E) ->
  smooth (loss X Y lambda k) (gradient X Y lambda k) (smoothness lambda k E) /\ eta * smoothness lambda k E < 2%:R.
Proof.
move=> falcon Bp E0 e0 eE bound; case: k falcon bound => // _ bound; last by split=> //; apply: loss_is_smooth => //; apply: bound.
split; last by apply: le_lt_trans eE; rewrite /smoothness ler_pmul2l // ler_addr.
by have := @loss_is_smooth _ _ _ X Y lambda Zero _ Bp (@mean_energy_bounds _ _ X dv Bp); rewrite /smoothness.
Qed.

End Objectives.

(* The write of the code is the gradient step. *)
Section Writes.
Variables (R : realFieldType) (dx dv : nat).
Variables (x : nat -> 'rV[R]_dx) (y : nat -> 'rV[R]_dv) (b : nat) (q : nat -> 'rV[R]_dx) (eta g : nat -> R) (length : nat -> nat).
Variable k : residual.
Hypothesis falcon : k <> Gamma.
Let s := one_step x y b q (fun t => weight_of (eta t) (length t)) g length k.
Variable t : nat.
Hypothesis available : (length t <= b + t.+1)%N.

Definition window_rows n (z : nat -> 'rV[R]_n) : 'M[R]_(length t, n) := \matrix_(i < length t) z (b + t.+1 - length t + i)%N.
Let X := window_rows x.
Let Y := window_rows y.

Lemma write_in_matrices S :
  write s t S = g t *: S + weight_of (eta t) (length t) *: (X^T *m (Y - takes_back R k *: (X *m S))).
Proof.
rewrite /write /= diag_uniform mul_mx_scalar; congr (_ + _).
have E j : weight s t .* residual_of s t S j = weight_of (eta t) (length t) *: (y j - takes_back R k *: (x j *m S)).
  rewrite hadamard_uniform; congr (_ *: (_ - _)).
  by rewrite /factor /=; case: k falcon => // _; rewrite ?hadamard0l ?hadamard1l ?scale0r ?scale1r.
under eq_bigr do rewrite E -scalemxAr.
rewrite -scaler_sumr; congr (_ *: _); rewrite /members /past /= -addnS.
rewrite -{1}[(_ - length t)%N]add0n big_addn subKn // big_mkord.
apply/matrixP => i j; rewrite summxE mxE; apply: eq_bigr => l _; rewrite !mxE big_ord1 !mxE addnC.
by congr (_ * (_ - _ * _)); apply: eq_bigr => m _; rewrite !mxE.
Qed.

(** If false: a write would not be S - eta grad(S) of the window's loss. Test: exact/descent_test.cpp. *)
Theorem write_is_a_gradient_step lambda S : g t = raw_carry (eta t) lambda ->
  write s t S = S - eta t *: gradient X Y lambda k S.
Proof.
move=> gt; rewrite write_in_matrices gt /raw_carry /gradient scalerBl scale1r scalerDr !scalerA opprD.
rewrite -addrA; congr (_ + _); rewrite addrC; congr (_ + _).
by rewrite /weight_of -[RHS]scalerN -mulmxN opprB.
Qed.

(** If false: for some gain below 2 a Falcon step could raise its token's loss, or lower it less than Lemma 3.1 says.
    Test: exact/descent_test.cpp. *)
Theorem falcon_descends beta E lambda epsilon S :
  legal beta E lambda epsilon -> 0 < beta -> (0 < length t)%N -> (k = One -> bounds_energy dv X E) ->
  let D := denominator E lambda epsilon in 0 < D -> eta t = step_size beta D -> g t = raw_carry (eta t) lambda ->
  loss X Y lambda k (write s t S)
  <= loss X Y lambda k S - descent_amount (smoothness lambda k E) (eta t) (squared (gradient X Y lambda k S)).
Proof.
move=> ok b0 lp bound D D0 et gt; rewrite (write_is_a_gradient_step _ gt).
have e0 : 0 < eta t by rewrite et /step_size gt_eqF // divr_gt0.
have EL := eta_times_smoothness ok; rewrite -/D -et in EL.
have E0 : 0 <= E by case: ok.
have [sm eL] := smooth_enough Y falcon lp E0 e0 EL bound.
by case: (lemma_3_1 S sm e0 eL).
Qed.

End Writes.

(* Per column: the loss of column k, with the step of column k. *)
Section PerColumn.
Variables (R : realFieldType) (dx dv : nat) (s : sequence R dx dv) (eta : nat -> 'rV[R]_dv).

Lemma column_write k t S : col k (write s t S) = write (column k s) t (col k S).
Proof. by have := columns_are_independent s t 1 S k; rewrite /= addn0. Qed.

(** If false: a per-column rule could raise the loss of a column. Test: exact/descent_test.cpp. *)
Theorem column_descends k t S beta E lambda epsilon :
  rho s <> Gamma -> (window s t <= before s + t.+1)%N -> (0 < window s t)%N ->
  weight s t 0 k = weight_of (eta t 0 k) (window s t) -> decay s t 0 k = raw_carry (eta t 0 k) lambda ->
  legal beta E lambda epsilon -> 0 < beta ->
  let X := window_rows (before s) (window s) t (feature s) in
  let Y := window_rows (before s) (window s) t (fun j => uniform 1 (target s j 0 k)) in
  (rho s = One -> bounds_energy 1 X E) ->
  let D := denominator E lambda epsilon in 0 < D -> eta t 0 k = step_size beta D ->
  loss X Y lambda (rho s) (col k (write s t S))
  <= loss X Y lambda (rho s) (col k S)
     - descent_amount (smoothness lambda (rho s) E) (eta t 0 k) (squared (gradient X Y lambda (rho s) (col k S))).
Proof.
move=> falcon available lp wt gt ok b0 X Y bound D D0 et; rewrite column_write.
have := @falcon_descends R dx 1 (feature s) (fun j => uniform 1 (target s j 0 k)) (before s) (query s) (fun r => eta r 0 k)
  (fun r => decay s r 0 k) (window s) (rho s) falcon t available beta E lambda epsilon (col k S) ok b0 lp bound D0 et gt.
have -> // : write (one_step (feature s) (fun j => uniform 1 (target s j 0 k)) (before s) (query s)
   (fun r => weight_of (eta r 0 k) (window s r)) (fun r => decay s r 0 k) (window s) (rho s)) t (col k S) = write (column k s) t (col k S).
by rewrite /write /=; congr (_ + _); apply: eq_bigr => j _; rewrite /= wt.
Qed.

End PerColumn.
