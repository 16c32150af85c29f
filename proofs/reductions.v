(* SPDX-License-Identifier: Apache-2.0 *)
(* Rules that are other rules: 3 is 1 and 3A is 1A with a window of one, 2 is 1 and 2A is 1A with one step for all columns, gated
   DeltaNet both ways; steps that do nothing, NLMS, the Hebbian write.

     one_pair s t S     S Diag(gamma) + x^T (w .* (y - rho .* (x S))), x and y the pair of token t itself                          *)
From mathcomp Require Import all_ssreflect all_algebra.
From Fwa Require Import definitions forms_agree chunk_size_is_free gain.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Reductions.
Variables (R : fieldType) (dx dv : nat).
Implicit Types (s : sequence R dx dv) (S : 'M[R]_(dx, dv)).

(* The single write of rules 1, 2, 1A, 2A, of the pair of token t itself. *)
Definition one_pair s t S :=
  S *m diag_mx (decay s t)
  + (feature s (before s + t))^T *m (weight s t .* (target s (before s + t) - factor s t .* (feature s (before s + t) *m S))).

Lemma members_one s t : window s t = 1%N -> members s t = [:: before s + t]%N.
Proof. by rewrite /members /past => ->; rewrite subn1 /= /index_iota subSnn. Qed.

(** If false: Falcon-3 with B = 1 would not be Falcon-1, or 3A not 1A, or falcon-23 not Falcon-2. Test: properties/reductions_test.cpp. *)
Theorem window_of_one s t S : window s t = 1%N -> write s t S = one_pair s t S.
Proof. by move=> one; rewrite /write members_one // big_seq1. Qed.

(** If false: the weight eta / B_t of a window of one would not be eta. Test: tests/step/schedule_test.cpp. *)
Theorem weight_of_one (eta : R) : weight_of eta 1 = eta.
Proof. by rewrite /weight_of invr1 mulr1. Qed.

(** If false: the energies of the two windowed rules would not be |x|^2 for one pair: the mean, and the 1 x 1 Gram matrix's only
    eigenvalue. Test: tests/step/energy_test.cpp. *)
Theorem energy_of_one (x : 'rV[R]_dx) :
  mean_energy [:: x] = dot x x /\ forall mu, eigenvalue (x *m x^T) mu = (mu == dot x x).
Proof.
split; first by rewrite /mean_energy big_seq1 /= invr1 mul1r.
move=> mu; rewrite [x *m x^T]mx11_scalar -/(dot x x); apply/eigenvalueP/eqP => [[v e nz]|->].
  have v0 : v 0 0 != 0 by apply: contraNneq nz => z; apply/eqP/rowP => j; rewrite ord1 z mxE.
  by move: e; rewrite mul_mx_scalar => /rowP/(_ 0); rewrite !mxE => /(mulIf v0).
exists 1%:M; first by rewrite mul_mx_scalar.
by apply/eqP => /matrixP/(_ 0 0); rewrite !mxE eqxx; apply/eqP; exact: oner_neq0.
Qed.

(** If false: Falcon-2 with one gain for all columns would not be Falcon-1's one number a token, or 2A not 1A's.
    Test: properties/reductions_test.cpp. *)
Theorem equal_columns x y b q (w g : nat -> R) B k t S : let s := one_step x y b q w g B k in
  write s t S = g t *: S + w t *: \sum_(j <- members s t) (x j)^T *m (y j - factor s t .* (x j *m S)).
Proof.
move=> s; rewrite /write /= diag_uniform mul_mx_scalar; congr (_ + _); rewrite scaler_sumr; apply: eq_bigr => j _.
by rewrite hadamard_uniform scalemxAr.
Qed.

(** If false: gated DeltaNet, g (I - b x^T x) S + b x^T y, would not be the equation with rho = gamma = g and weight b.
    Test: tests/rule/neighbours_test.cpp. *)
Theorem gated_delta_is_rho_gamma x y b0 q (w g : nat -> R) t S :
  let s := one_step x y b0 q w g (fun=> 1%N) Gamma in let xt := x (b0 + t)%N in
  write s t S = g t *: ((1%:M - w t *: (xt^T *m xt)) *m S) + w t *: (xt^T *m y (b0 + t)%N).
Proof.
move=> s xt; rewrite window_of_one // /one_pair /factor /= diag_uniform mul_mx_scalar !hadamard_uniform -/xt.
rewrite -scalemxAr mulmxBr scalerBr mulmxBl mul1mx scalerBr -addrA; congr (_ + _).
by rewrite [RHS]addrC -scalemxAr -scalemxAl -mulmxA !scalerA [w t * _]mulrC.
Qed.

(** If false: gated DeltaNet would not be the delta rule with step g b and targets y / g, g not 0. Test: properties/reductions_test.cpp. *)
Theorem gated_delta_is_delta x y b0 q (w g : nat -> R) t S : g t != 0 ->
  write (one_step x y b0 q w g (fun=> 1%N) Gamma) t S
  = write (one_step x (fun j => (g t)^-1 *: y j) b0 q (fun r => g r * w r) g (fun=> 1%N) One) t S.
Proof.
move=> nz; rewrite !window_of_one // /one_pair /factor /=; congr (_ + _ *m _).
apply/rowP => k; rewrite !mxE mul1r [g t * w t]mulrC -mulrA; congr (_ * _).
by rewrite mulrBr mulrA mulfV // mul1r.
Qed.

(** If false: Falcon-1 would not be gated DeltaNet with b = eta / gamma and values gamma y, gamma not 0.
    Test: tests/rule/neighbours_test.cpp. *)
Theorem delta_is_gated_delta x y b0 q (w g : nat -> R) t S : g t != 0 ->
  write (one_step x y b0 q w g (fun=> 1%N) One) t S
  = write (one_step x (fun j => g t *: y j) b0 q (fun r => w r / g r) g (fun=> 1%N) Gamma) t S.
Proof.
move=> nz; rewrite !window_of_one // /one_pair /factor /=; congr (_ + _ *m _).
by apply/rowP => k; rewrite !mxE mul1r -mulrBr mulrA divfK.
Qed.

(** If false: a token with eta = 0 and gamma = 1, as a sentinel and D = 0 have, would change the state.
    Test: tests/form/recurrent_test.cpp. *)
Theorem nothing_written s t S : weight s t = 0 -> decay s t = uniform dv 1 -> write s t S = S.
Proof.
move=> w0 g1; rewrite /write w0 g1 diag_uniform mulmx1 big1 ?addr0 // => j _.
by rewrite hadamard0l mulmx0.
Qed.

(** If false: eta = 0 would do more than decay. Test: properties/reductions_test.cpp. *)
Theorem only_decay s t S : weight s t = 0 -> write s t S = S *m diag_mx (decay s t).
Proof. by move=> w0; rewrite /write w0 big1 ?addr0 // => j _; rewrite hadamard0l mulmx0. Qed.

(** If false: beta = 0 or D = 0 would write or decay. Test: properties/reductions_test.cpp. *)
Theorem zero_gain_is_no_step (lambda D : R) : step_size 0 D = 0 /\ raw_carry (step_size 0 D) lambda = 1.
Proof.
have e : step_size 0 D = 0 :> R by rewrite /step_size mul0r; case: ifP.
by rewrite /raw_carry e mul0r subr0.
Qed.

(** If false: D = 0 would write or decay. Test: tests/step/gain_test.cpp. *)
Theorem zero_denominator_is_no_op (beta lambda : R) : step_size beta 0 = 0 /\ raw_carry (step_size beta 0) lambda = 1.
Proof. by rewrite /raw_carry /step_size eqxx mul0r subr0. Qed.

(** If false: normalised LMS with beta = 1, no ridge and no epsilon, would leave a residual. Test: properties/reductions_test.cpp. *)
Theorem nlms_leaves_no_residual x y b0 q (g : nat -> R) t S :
  let xt := x (b0 + t)%N in let E := dot xt xt in E != 0 ->
  let s := one_step x y b0 q (fun=> step_size 1 (denominator E 0 0)) (fun=> raw_carry (step_size 1 (denominator E 0 0)) 0)
                    (fun=> 1%N) One in
  xt *m write s t S = y (b0 + t)%N.
Proof.
move=> xt E nz s; rewrite window_of_one // /one_pair /factor /=.
rewrite /raw_carry mulr0 subr0 diag_uniform mulmx1 mulmxDr mulmx_dot hadamard_uniform hadamard1l -/xt.
by rewrite scalerA /step_size /denominator !addr0 (negbTE nz) mul1r -/E mulfV // scale1r addrC subrK.
Qed.

(** If false: Falcon-1A without ridge would not be the Hebbian write S + eta x^T y. Test: properties/reductions_test.cpp. *)
Theorem hebbian_write x y b0 q (w : nat -> R) t S :
  write (one_step x y b0 q w (fun=> raw_carry (w t) 0) (fun=> 1%N) Zero) t S
  = S + w t *: ((x (b0 + t)%N)^T *m y (b0 + t)%N).
Proof.
rewrite window_of_one // /one_pair /factor /= /raw_carry mulr0 subr0 diag_uniform mulmx1.
by rewrite hadamard0l subr0 hadamard_uniform scalemxAr.
Qed.

End Reductions.
