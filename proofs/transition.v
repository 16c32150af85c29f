(* SPDX-License-Identifier: Apache-2.0 *)
(* The transition gamma I - eta x^T x of the regression: its eigenvectors, its norm, the entries of the masked form's inverse.
     transition gamma eta x        what a write without target does to a state, from the left
     system c                      I + A of the masked form for one column, windows of one: A_{t,j} = P(t, j+1) w_j <x_t, x_j>
   An entry of the inverse is bounded twice: squared, for any weights with w |x|^2 <= beta, and with roots under the gain law.  *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Fwa Require Import definitions forms_agree chunk_size_is_free gain descent reductions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Transition.
Variables (R : realFieldType) (n : nat).
Implicit Types (x : 'rV[R]_n) (gamma eta : R).

Definition transition gamma eta x : 'M[R]_n := gamma%:M - eta *: (x^T *m x).

(** If false: the transition would not scale its own feature by gamma - eta |x|^2. Test: exact/clamp_test.cpp. *)
Theorem along_the_feature gamma eta x : transition gamma eta x *m x^T = (gamma - eta * dot x x) *: x^T.
Proof.
by rewrite mulmxBl mul_scalar_mx -scalemxAl -mulmxA [x *m x^T]mx11_scalar mul_mx_scalar scalerA scalerBl.
Qed.

(** If false: what is orthogonal to the feature would be changed by more than the decay. Test: exact/clamp_test.cpp. *)
Theorem across_the_feature gamma eta x m (V : 'M[R]_(n, m)) : x *m V = 0 -> transition gamma eta x *m V = gamma *: V.
Proof. by move=> z; rewrite mulmxBl mul_scalar_mx -scalemxAl -mulmxA z mulmx0 scaler0 subr0. Qed.

(** If false: with epsilon = 0 and the clamp at rest the error along x would not shrink by the factor 1 - beta.
    Test: exact/clamp_test.cpp. *)
Theorem gain_is_the_shrinkage (beta E lambda : R) : let D := denominator E lambda 0 in D != 0 ->
  raw_carry (step_size beta D) lambda - step_size beta D * E = 1 - beta.
Proof.
move=> D nz; rewrite /raw_carry /step_size (negbTE nz) -addrA -opprD -mulrDr [lambda + E]addrC.
by rewrite -[E + lambda]addr0 -/(denominator E lambda 0) -/D divfK.
Qed.

Lemma squared_transition gamma eta x m (V : 'M[R]_(n, m)) :
  squared (transition gamma eta x *m V)
  = gamma ^+ 2 * squared V - 2%:R * (gamma * eta) * squared (x *m V) + eta ^+ 2 * dot x x * squared (x *m V).
Proof.
have -> : transition gamma eta x *m V = gamma *: V - eta *: (x^T *m (x *m V)).
  by rewrite mulmxBl mul_scalar_mx -scalemxAl mulmxA.
rewrite squaredD squaredN !squaredZ innerNr innerZl innerZr.
have -> : inner V (x^T *m (x *m V)) = squared (x *m V) by rewrite -inner_mulmxl.
have -> : squared (x^T *m (x *m V)) = dot x x * squared (x *m V).
  by rewrite {1}/squared inner_mulmxl trmxK mulmx_dot innerZr.
by ring.
Qed.

Lemma feature_bounds x m (V : 'M[R]_(n, m)) : squared (x *m V) <= dot x x * squared V.
Proof.
have := @mean_energy_bounds R 1 n x m isT V; rewrite /mean_energy size_map size_enum_ord big_map big_enum /= big_ord1.
rewrite invr1 !mul1r; have -> // : row 0 x = x.
by apply/rowP => j; rewrite mxE.
Qed.

(** If false: with both eigenvalues in [-1, 1] a state could still grow. Test: exact/clamp_test.cpp. *)
Theorem non_expansive gamma eta x m (V : 'M[R]_(n, m)) : gamma ^+ 2 <= 1 -> (gamma - eta * dot x x) ^+ 2 <= 1 ->
  squared (transition gamma eta x *m V) <= squared V.
Proof.
move=> g1 e1; rewrite squared_transition; have := feature_bounds x V; have := squared_ge0 (x *m V); have := squared_ge0 V.
have : 0 <= dot x x by rewrite dot_inner; exact: squared_ge0.
move: (dot x x) (squared V) (squared (x *m V)) e1 => E a p e1 E0 a0 p0 le.
have [z|nz] := eqVneq E 0.
  have -> : p = 0 by apply/eqP; rewrite eq_le p0 andbT -(mul0r a) -z.
  by rewrite !mulr0 subr0 addr0 ler_pimull.
have Ep : 0 < E by rewrite lt_neqAle eq_sym nz.
rewrite -(ler_pmul2l Ep).
have -> : E * (gamma ^+ 2 * a - 2%:R * (gamma * eta) * p + eta ^+ 2 * E * p)
  = gamma ^+ 2 * (E * a - p) + (gamma - eta * E) ^+ 2 * p by ring.
rewrite -[X in _ <= X](subrK p); apply: ler_add; last by rewrite ler_pimull.
by rewrite ler_pimull // subr_ge0.
Qed.

Lemma square_le1 (a : R) : -1 <= a -> a <= 1 -> a ^+ 2 <= 1.
Proof. by move=> lo hi; rewrite -subr_ge0 -[X in X - _](expr1n _ 2) subr_sqr mulr_ge0 // ?subr_ge0 // addrC -ler_subl_addr sub0r. Qed.

(** If false: an unclamped step of any legal gain could make a state grow. Test: exact/clamp_test.cpp. *)
Theorem unclamped_does_not_expand beta lambda epsilon eta x m (V : 'M[R]_(n, m)) :
  legal beta (dot x x) lambda epsilon -> eta = step_size beta (denominator (dot x x) lambda epsilon) ->
  squared (transition (raw_carry eta lambda) eta x *m V) <= squared V.
Proof.
move=> ok ->; set h := step_size _ _; have /andP[lo hi] := raw_carry_range ok; apply: non_expansive; first by rewrite square_le1 // ltW.
apply: square_le1; last by rewrite (le_trans _ hi) // ler_subl_addr ler_addl eta_E_ge0.
have EL := eta_times_smoothness ok; rewrite -/h mulrDr in EL.
rewrite /raw_carry ler_subr_addl ler_subr_addl addrA ler_subl_addr.
by rewrite addrC ltW.
Qed.

(** If false: a clamped step of any legal gain could make a state grow. Test: exact/clamp_test.cpp. *)
Theorem clamped_does_not_expand beta lambda epsilon floor eta x m (V : 'M[R]_(n, m)) :
  legal beta (dot x x) lambda epsilon -> 0 < floor < 1 -> eta = step_size beta (denominator (dot x x) lambda epsilon) ->
  squared (transition (clamped (raw_carry eta lambda) floor) eta x *m V) <= squared V.
Proof.
move=> ok fl ->; set h := step_size _ _; have /andP[lo hi] := clamped_range ok fl.
have EL := eta_times_smoothness ok; rewrite -/h mulrDr in EL.
apply: non_expansive; first by rewrite square_le1 // ltW // (lt_trans _ lo) // ltrN10.
apply: square_le1; last by rewrite (le_trans _ hi) // ler_subl_addr ler_addl eta_E_ge0.
rewrite ler_subr_addl; apply: le_trans (clamped_ge _ _ _ _ floor).
rewrite /raw_carry ler_subr_addl addrA ler_subl_addr.
by rewrite addrC ltW.
Qed.

End Transition.

Section Inverse.
Variables (R : realFieldType) (dx : nat).
Variables (x : nat -> 'rV[R]_dx) (b : nat) (q : nat -> 'rV[R]_dx) (w g : nat -> R).
Let s y := one_step x (y : nat -> 'rV[R]_1) b q w g (fun=> 1%N) One.
Let xt t := x (b + t)%N.
Variable beta : nat -> R.
Hypothesis w_ge0 : forall t, 0 <= w t.
Hypothesis gain : forall t, w t * dot (xt t) (xt t) <= beta t.
Hypothesis contracts : forall t (V : 'cV[R]_dx), squared (transition (g t) (w t) (xt t) *m V) <= squared V.

Definition system c : 'M[R]_c :=
  \matrix_(t, j) ((t == j)%:R + if (j < t)%N then left (s (fun=> 0)) 0 t j 0 0 * dot (xt t) (xt j) else 0).

(* Target 1 at token j, none elsewhere. *)
Let impulse (j : nat) : nat -> 'rV[R]_1 := fun i => uniform 1 (i == b + j)%N%:R.

Lemma impulse_write j t (S : 'cV[R]_dx) :
  write (s (impulse j)) t S = transition (g t) (w t) (xt t) *m S + (w t * (t == j)%:R) *: (xt t)^T.
Proof.
rewrite window_of_one // /one_pair /factor /= diag_uniform hadamard1l hadamard_uniform mul_mx_scalar -/(xt t).
rewrite /transition mulmxBl mul_scalar_mx -addrA; congr (_ + _).
rewrite scalerBr mulmxBr addrC -scalemxAl -mulmxA -scalemxAr; congr (_ + _).
rewrite -scalemxAr -scalerA; congr (_ *: _).
by rewrite /impulse eqn_add2l; apply/colP => i; rewrite !mxE big_ord1 !mxE mulrC.
Qed.

Lemma impulse_before j t : (t <= j)%N -> run (s (impulse j)) 0 t 0 = 0.
Proof.
elim: t => //= t IH tj; rewrite IH ?(ltnW tj) // add0n impulse_write mulmx0 add0r.
by rewrite ltn_eqF // mulr0 scale0r.
Qed.

Lemma impulse_bound j t : squared (run (s (impulse j)) 0 t 0) <= w j ^+ 2 * dot (xt j) (xt j).
Proof.
have pos : 0 <= w j ^+ 2 * dot (xt j) (xt j).
  by rewrite mulr_ge0 ?sqr_ge0 // dot_inner; exact: squared_ge0.
elim: t => [|t IH] /=; first by rewrite /squared inner0r.
rewrite add0n impulse_write; have [->|ne] := eqVneq t j.
  rewrite impulse_before // mulmx0 add0r mulr1 squaredZ; have -> // : squared (xt j)^T = dot (xt j) (xt j).
  by rewrite /squared inner_tr dot_inner.
by rewrite mulr0 scale0r addr0; apply: le_trans IH; exact: contracts.
Qed.

Lemma system_unit c : system c \in unitmx.
Proof.
rewrite unitmxE det_trig.
  by rewrite big1 ?unitr1 // => i _; rewrite mxE eqxx ltnn addr0.
apply/is_trig_mxP => i j lt; rewrite mxE ltnNge (ltnW lt) /= addr0.
by case: eqP lt => // ->; rewrite ltnn.
Qed.

Lemma left_any y c u : left (s y) 0 c u = left (s (fun=> 0)) 0 c u.
Proof.
have E a n : carry (s y) a n = carry (s (fun=> 0)) a n by elim: n => //= n ->.
by rewrite /left E.
Qed.

Lemma inverse_entry c (i j : 'I_c) :
  invmx (system c) i j = residuals (s (impulse j)) 0 0 i (b + i) 0 0.
Proof.
pose r (t : 'I_c) := residuals (s (impulse j)) 0 0 t (b + t) 0 0.
suff E : system c *m (\col_t r t) = delta_mx j 0.
  have := congr1 (fun v : 'cV[R]_c => (invmx (system c) *m v) i 0) E; rewrite mulKmx ?system_unit // mxE => e; rewrite -[RHS]/(r i) e.
  rewrite mxE (bigD1 j) //= big1 ?addr0 => [|u ne]; first by rewrite !mxE !eqxx mulr1.
  by rewrite mxE (negbTE ne) mulr0.
apply/colP => t; rewrite mxE [RHS]mxE eqxx andbT.
have in_t u : (b + u)%N \in members (s (impulse j)) (0 + u) by rewrite members_one // mem_seq1 add0n.
have := @residuals_solve_the_system _ _ _ (s (impulse j)) 0 c 0 t (b + t)%N (ltn_ord t) (in_t t).
rewrite /factor /= !hadamard1l mulmx0 hadamard0r subr0 => /rowP/(_ 0); rewrite mxE [RHS]mxE eqn_add2l => <-.
under eq_bigr => u _ do rewrite [system _ _ _]mxE mulrDl.
rewrite big_split /= (bigD1 t) //= eqxx mul1r mxE big1 ?addr0 => [|u ne]; last by rewrite eq_sym (negbTE ne) mul0r.
congr (_ + _); rewrite summxE (bigID (fun u : 'I_c => (u < t)%N)) /= [X in _ + X]big1 ?addr0 => [|u]; last first.
  by move/negbTE => ->; rewrite mul0r.
pose F u := dot (xt t) (xt u) * (left (s (fun=> 0)) 0 t u 0 0 * residuals (s (impulse j)) 0 0 u (b + u) 0 0).
transitivity (\sum_(u < c | (u < t)%N) F u).
  by apply: eq_bigr => u ut; rewrite ut mxE /F mulrCA mulrA.
rewrite -(big_ord_widen_cond c xpredT F) ?(ltnW (ltn_ord t)) //.
by apply: eq_bigr => u _; rewrite members_one // big_seq1 add0n mxE hadamardE left_any.
Qed.

(** If false: (I + A)^-1 could grow beyond sqrt(beta_i beta_j) when scaled by sqrt(w_i / w_j), as it does for unnormalised keys.
    Squared, so without roots or divisions. Test: exact/clamp_test.cpp. *)
Theorem inverse_entries_are_bounded c (i j : 'I_c) : i != j ->
  w i * invmx (system c) i j ^+ 2 <= w j * (beta i * beta j).
Proof.
move=> ne; rewrite inverse_entry /residuals /residual_of /factor /= hadamard1l ?add0n.
set S := run _ _ _ _; rewrite !mxE eqn_add2l.
have -> : (nat_of_ord i == j) = false by apply/negbTE.
rewrite sub0r sqrrN.
have -> : (\sum_l x (b + i) 0 l * S l 0) ^+ 2 = squared (xt i *m S).
  by rewrite /squared /inner !big_ord1 mxE expr2.
have E0 t : 0 <= dot (xt t) (xt t) by rewrite dot_inner; exact: squared_ge0.
apply: le_trans (_ : w i * (dot (xt i) (xt i) * (w j ^+ 2 * dot (xt j) (xt j))) <= _).
  rewrite ler_wpmul2l //; apply: le_trans (feature_bounds _ _) _.
  by rewrite ler_wpmul2l // impulse_bound.
have -> : w i * (dot (xt i) (xt i) * (w j ^+ 2 * dot (xt j) (xt j)))
  = w j * ((w i * dot (xt i) (xt i)) * (w j * dot (xt j) (xt j))) by ring.
rewrite ler_wpmul2l // ler_pmul ?mulr_ge0 //.
Qed.

End Inverse.

(* The same under the gain law, with the roots: one token has beta, lambda and its own decay, clamped or not. *)
Section ScaledInverse.
Variables (R : rcfType) (dx : nat).
Variables (x : nat -> 'rV[R]_dx) (b : nat) (q : nat -> 'rV[R]_dx) (beta lambda g : nat -> R) (epsilon floor : R).
Let E t := dot (x (b + t)%N) (x (b + t)%N).
Let eta t := step_size (beta t) (denominator (E t) (lambda t) epsilon).
Hypothesis ok : forall t, legal (beta t) (E t) (lambda t) epsilon.
Hypothesis floor_range : 0 < floor < 1.
Hypothesis decay_law : forall t, g t = raw_carry (eta t) (lambda t) \/ g t = clamped (raw_carry (eta t) (lambda t)) floor.

(** If false: under the gain law an entry of (I + A)^-1, scaled by sqrt(eta_i / eta_j), could exceed sqrt(beta_i beta_j), or that 2, and
    the masked form would lose digits that the recurrence keeps. Test: exact/clamp_test.cpp. *)
Theorem scaled_inverse_entries_are_bounded c (i j : 'I_c) : i != j ->
  `|Num.sqrt (eta i / eta j) * invmx (system x b q eta g c) i j| <= Num.sqrt (beta i * beta j) < 2%:R.
Proof.
move=> ne.
have beta0 t : 0 <= beta t by case: (ok t) => /andP[].
have beta2 t : beta t < 2%:R by case: (ok t) => /andP[].
have eta0 t : 0 <= eta t by exact: eta_ge0 (ok t).
have gain t : eta t * dot (x (b + t)%N) (x (b + t)%N) <= beta t.
  apply: le_trans (eta_D (ok t)); apply: ler_wpmul2l; first exact: eta0.
  by case: (ok t) => _ _ l0 e0; rewrite /denominator -addrA ler_addl addr_ge0.
have contracts t (V : 'cV[R]_dx) : squared (transition (g t) (eta t) (x (b + t)%N) *m V) <= squared V.
  case: (decay_law t) => ->; first exact: unclamped_does_not_expand (ok t) _.
  exact: clamped_does_not_expand (ok t) floor_range _.
have bound := inverse_entries_are_bounded q eta0 gain contracts ne.
move: bound; set e := invmx _ _ _ => bound; apply/andP; split; last first.
  have -> : 2%:R = Num.sqrt (2%:R ^+ 2) :> R by rewrite sqrtr_sqr ger0_norm ?ler0n.
  by rewrite ltr_sqrt ?exprn_gt0 ?ltr0n // expr2 ltr_pmul.
rewrite -(ler_pexpn2r (ltn0Sn 1)) ?nnegrE ?normr_ge0 ?sqrtr_ge0 //.
rewrite real_normK ?num_real // exprMn !sqr_sqrtr ?mulr_ge0 ?invr_ge0 //.
have [z|nz] := eqVneq (eta j) 0; first by rewrite z invr0 mulr0 mul0r mulr_ge0.
have p : 0 < eta j by rewrite lt_neqAle eq_sym nz eta0.
by rewrite mulrAC ler_pdivr_mulr // [X in _ <= X]mulrC.
Qed.

End ScaledInverse.
