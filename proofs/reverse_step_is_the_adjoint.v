(* SPDX-License-Identifier: Apache-2.0 *)
(* The reverse step is the adjoint of a write, and the sweep over a sequence that of its outputs and exit state: windows, one step a
   token or a column, every rho; eta / B_t and gamma given.

   A derivative is any derivation of the ring: an additive map d with d (a b) = d a b + a d b, taken entry by entry. Polynomials in
   one variable, along every curve of inputs, are an example; dual numbers another.

     d_ A                   the entries of A derived
     bar names              adjoints: S_bar of the state after a token, o_bar of an output
     residual_bar           w .* (x_j S_bar)                                              also the adjoint of the target y_j
     feature_bar            (w .* r_j) S_bar^T - (rho .* residual_bar) S_{t-1}^T
     factor_bar             - sum over j of residual_bar .* (x_j S_{t-1}), the adjoint of the row rho
     decay_bar              column sums of S_{t-1} o S_bar; with rho = gamma the decay acts twice, and factor_bar is added
     weight_bar             sum over j of (x_j S_bar) .* r_j; that of eta is weight_bar / B_t
     state_bar              S_bar Diag(gamma) - sum over j of x_j^T (rho .* residual_bar)
     token_terms            <adjoint, derivative> of the features, targets, weight and decay that one token reads
     sweep                  the reverse sweep's pairing of all adjoints with all derivatives                                     *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Fwa Require Import definitions forms_agree.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Derivation.
Variables (R : comRingType) (d : {additive R -> R}).
Hypothesis leibniz : forall a b, d (a * b) = d a * b + a * d b.

Notation "'d_' A" := (map_mx d A) (at level 9, A at level 9).

Lemma d_add m n (A B : 'M[R]_(m, n)) : d_ (A + B) = d_ A + d_ B. Proof. by apply/matrixP => i j; rewrite !mxE raddfD. Qed.
Lemma d_sub m n (A B : 'M[R]_(m, n)) : d_ (A - B) = d_ A - d_ B. Proof. by apply/matrixP => i j; rewrite !mxE raddfB. Qed.
Lemma d_zero m n : d_ (0 : 'M[R]_(m, n)) = 0. Proof. by apply/matrixP => i j; rewrite !mxE raddf0. Qed.
Lemma d_sum m n I (r : seq I) (F : I -> 'M[R]_(m, n)) : d_ (\sum_(i <- r) F i) = \sum_(i <- r) d_ (F i).
Proof. by apply: (big_morph (fun A => d_ A)); [exact: d_add|exact: d_zero]. Qed.
Lemma d_mul m n p (A : 'M[R]_(m, n)) (B : 'M[R]_(n, p)) : d_ (A *m B) = d_ A *m B + A *m d_ B.
Proof.
apply/matrixP => i j; rewrite !mxE raddf_sum -big_split; apply: eq_bigr => k _.
by rewrite /= leibniz !mxE.
Qed.
Lemma d_had n (a b : 'rV[R]_n) : d_ (a .* b) = d_ a .* b + a .* d_ b.
Proof. by apply/rowP => k; rewrite !mxE leibniz. Qed.
Lemma d_diag n (a : 'rV[R]_n) : d_ (diag_mx a) = diag_mx (d_ a).
Proof. by apply/matrixP => i j; rewrite !mxE raddfMn. Qed.
Lemma d_tr m n (A : 'M[R]_(m, n)) : d_ A^T = (d_ A)^T. Proof. by apply/matrixP => i j; rewrite !mxE. Qed.
Lemma d_one : d 1 = 0.
Proof. by have := leibniz 1 1; rewrite !mulr1 mul1r => /eqP; rewrite -subr_eq0 opprD addNKr oppr_eq0 => /eqP. Qed.

Section Token.
Variables (dx dv : nat) (s : sequence R dx dv).
Implicit Types (S S_bar : 'M[R]_(dx, dv)).

Definition residual_bar t S_bar j := weight s t .* (feature s j *m S_bar).
Definition feature_bar t S S_bar j :=
  (weight s t .* residual_of s t S j) *m S_bar^T - (factor s t .* residual_bar t S_bar j) *m S^T.
Definition factor_bar t S S_bar : 'rV[R]_dv := - \sum_(j <- members s t) residual_bar t S_bar j .* (feature s j *m S).
Definition decay_bar t S S_bar : 'rV[R]_dv :=
  (\row_k \sum_i S i k * S_bar i k) + (if rho s is Gamma then factor_bar t S S_bar else 0).
Definition weight_bar t S S_bar := \sum_(j <- members s t) (feature s j *m S_bar) .* residual_of s t S j.
Definition state_bar t S_bar :=
  S_bar *m diag_mx (decay s t) - \sum_(j <- members s t) (feature s j)^T *m (factor s t .* residual_bar t S_bar j).

Definition token_terms t S S_bar :=
  \sum_(j <- members s t) (inner (feature_bar t S S_bar j) (d_ (feature s j)) + inner (residual_bar t S_bar j) (d_ (target s j)))
  + inner (weight_bar t S S_bar) (d_ (weight s t)) + inner (decay_bar t S S_bar) (d_ (decay s t)).

Lemma d_factor t : d_ (factor s t) = if rho s is Gamma then d_ (decay s t) else 0.
Proof.
rewrite /factor; case: (rho s) => //; first exact: d_zero.
by apply/rowP => k; rewrite !mxE d_one.
Qed.

Lemma inner_decay S S_bar (g : 'rV[R]_dv) : inner S_bar (S *m diag_mx g) = inner (\row_k \sum_i S i k * S_bar i k) g.
Proof.
rewrite /inner big_ord1 exchange_big; apply: eq_bigr => k _; rewrite mxE mulr_suml; apply: eq_bigr => i _.
by rewrite mul_diagE mulrA [S_bar i k * _]mulrC.
Qed.

Lemma inner_outer S_bar (x : 'rV[R]_dx) (r : 'rV[R]_dv) : inner S_bar (x^T *m r) = inner (x *m S_bar) r.
Proof. by rewrite innerC inner_mulmxl trmxK innerC. Qed.

Lemma reverse_pair t S S_bar j :
  inner S_bar (d_ ((feature s j)^T *m (weight s t .* residual_of s t S j)))
  = inner (feature_bar t S S_bar j) (d_ (feature s j)) + inner (residual_bar t S_bar j) (d_ (target s j))
    + inner ((feature s j *m S_bar) .* residual_of s t S j) (d_ (weight s t))
    - inner (residual_bar t S_bar j .* (feature s j *m S)) (d_ (factor s t))
    - inner ((feature s j)^T *m (factor s t .* residual_bar t S_bar j)) (d_ S).
Proof.
set x := feature s j; set w := weight s t; set f := factor s t; set r := residual_of s t S j; set y := target s j.
set g := x *m S_bar; set rb := w .* g.
have dr : d_ r = d_ y - (d_ f .* (x *m S) + (f .* (d_ x *m S) + f .* (x *m d_ S))).
  by rewrite /r /residual_of d_sub d_had d_mul hadamardDr.
have E1 : inner (d_ x *m S_bar) (w .* r) = inner ((w .* r) *m S_bar^T) (d_ x) by rewrite inner_mulmxr innerC.
have E2 : inner g (d_ w .* r) = inner (g .* r) (d_ w) by rewrite [g .* r]hadamardC inner_hadamard [d_ w .* r]hadamardC.
have F A : inner rb (f .* A) = inner (f .* rb) A by rewrite inner_hadamard.
have K : inner rb (d_ f .* (x *m S)) = inner (rb .* (x *m S)) (d_ f).
  by rewrite [rb .* _]hadamardC inner_hadamard [d_ f .* _]hadamardC.
have G : inner (f .* rb) (d_ x *m S) = inner ((f .* rb) *m S^T) (d_ x) by rewrite innerC inner_mulmxr innerC.
have H : inner (f .* rb) (x *m d_ S) = inner (x^T *m (f .* rb)) (d_ S) by rewrite innerC -inner_outer innerC.
have E3 : inner g (w .* d_ r) = inner rb (d_ y) - inner (rb .* (x *m S)) (d_ f) - inner ((f .* rb) *m S^T) (d_ x)
    - inner (x^T *m (f .* rb)) (d_ S).
  by rewrite -inner_hadamard -/rb dr !opprD !addrA !innerDr !innerNr !F G H K.
rewrite d_mul innerDr d_tr !inner_outer d_had innerDr -/g E1 E2 E3 /feature_bar /residual_bar -/x -/w -/f -/r -/g -/rb innerDl innerNl.
by ring.
Qed.

Lemma inner_factor t S S_bar : inner (if rho s is Gamma then factor_bar t S S_bar else 0) (d_ (decay s t))
  = - \sum_(j <- members s t) inner (residual_bar t S_bar j .* (feature s j *m S)) (d_ (factor s t)).
Proof.
rewrite d_factor; case: (rho s); last by rewrite /factor_bar innerNl inner_suml.
  by rewrite big1 ?oppr0 ?[inner 0 _]innerC ?inner0r // => j _; rewrite inner0r.
by rewrite big1 ?oppr0 ?[inner 0 _]innerC ?inner0r // => j _; rewrite inner0r.
Qed.

Lemma collect (A G P C F E : R) : A + G + (P + C - F - E) = A - E + (P + C + (G - F)). Proof. by ring. Qed.

(** If false: one reverse step, as its formulas have it, would not be the derivative of one write; with rho = gamma the decay's adjoint
    would lack what the residual owes it. Test: none, the library has no derivatives. *)
Theorem reverse_step t S S_bar :
  inner S_bar (d_ (write s t S)) = inner (state_bar t S_bar) (d_ S) + token_terms t S S_bar.
Proof.
rewrite /write d_add d_mul d_diag !innerDr (inner_decay S) d_sum inner_sumr.
have -> : inner S_bar (d_ S *m diag_mx (decay s t)) = inner (S_bar *m diag_mx (decay s t)) (d_ S).
  by rewrite innerC inner_mulmxr tr_diag_mx innerC.
under eq_bigr do rewrite reverse_pair.
rewrite !sumrB big_split /= /token_terms /weight_bar /state_bar /decay_bar [inner (_ + _) (d_ (decay s t))]innerDl inner_factor.
rewrite innerDl innerNl !inner_suml.
exact: collect.
Qed.

Fixpoint sweep when c S0 S_bar (o_bar : nat -> 'rV[R]_dv) : R :=
  if c is t.+1 then
    let S := run s 0 t S0 in
    match when with
    | ReadAfterWrite =>
        let S_bar' := S_bar + (query s t)^T *m o_bar t in
        inner (o_bar t *m (run s 0 t.+1 S0)^T) (d_ (query s t)) + token_terms t S S_bar'
        + sweep when t S0 (state_bar t S_bar') o_bar
    | ReadBeforeWrite =>
        inner (o_bar t *m S^T) (d_ (query s t)) + token_terms t S S_bar
        + sweep when t S0 (state_bar t S_bar + (query s t)^T *m o_bar t) o_bar
    end
  else inner S_bar (d_ S0).

Lemma finish (h A C X T : R) : h + (A + C) + (X + T) = A + T + (h + (X + C)). Proof. by ring. Qed.
Lemma assemble (h A C D X T : R) : D + C = X + T -> h + (A + C) + D = A + T + (h + X).
Proof. by move=> e; transitivity (h + A + (D + C)); [ring|rewrite e; ring]. Qed.

(** If false: the reverse sweep over a sequence would not give the derivative of its outputs and its exit state.
    Test: none, the library has no derivatives. *)
Theorem reverse_sweep when c S0 S_bar (o_bar : nat -> 'rV[R]_dv) :
  \sum_(t < c) inner (o_bar t) (d_ (output s when 0 t S0)) + inner S_bar (d_ (run s 0 c S0)) = sweep when c S0 S_bar o_bar.
Proof.
have read t (A : 'M[R]_(dx, dv)) : inner (o_bar t) (d_ (query s t *m A))
    = inner (o_bar t *m A^T) (d_ (query s t)) + inner ((query s t)^T *m o_bar t) (d_ A).
  rewrite d_mul innerDr; congr (_ + _); first by rewrite innerC inner_mulmxr innerC.
  by rewrite innerC -inner_outer innerC.
elim: c S_bar => [|t IH] S_bar; first by rewrite big_ord0 add0r.
have E := reverse_step t (run s 0 t S0); have next : run s 0 t.+1 S0 = write s t (run s 0 t S0) by [].
pose F i := inner (o_bar i) (d_ (output s when 0 i S0)).
have -> : \sum_(i < t.+1) inner (o_bar i) (d_ (output s when 0 i S0)) = \sum_(i < t) F i + F t by rewrite big_ord_recr.
have {}IH Sb : sweep when t S0 Sb o_bar = \sum_(i < t) F i + inner Sb (d_ (run s 0 t S0)) by rewrite -IH.
move: (\sum_(i < t) F i) IH => head IH; rewrite /F {F}.
case: when IH => IH; rewrite [sweep _ _ _ _ _]/= IH [output _ _ _ _ _]/= !add0n ?next read.
- have EW := E (S_bar + (query s t)^T *m o_bar t); rewrite innerDl in EW.
  exact: assemble EW.
- by rewrite E [inner (state_bar t S_bar + _) _]innerDl; exact: finish.
Qed.

End Token.
End Derivation.
