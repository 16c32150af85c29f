(* SPDX-License-Identifier: Apache-2.0 *)
(* What the theorems speak of, as the headers under include/fwa compute it, over any commutative ring.

   Time is counted from 0, as in the code: token t turns the state that t tokens have left into that of t + 1 tokens.
   Features, targets and queries are rows; a state S is (dx, dv) and predicts x S for a feature x.

     residual        Zero inner product, One regression, Gamma residual after the decay           (objective.hpp)
     timing          ReadAfterWrite, ReadBeforeWrite                                              (options.hpp)
     a .* b          entry by entry product of two rows
     dot x y         the number <x, y>
     sequence        what a form is given: rows of pairs (feature, target), oldest first, of which `before` are older than the
                     first token; a query, weight w, decay gamma and window length B_t for each token; rho
                                                                                 (align/pairs.hpp, step/schedule.hpp)
     past s t        end of the rows that token t may see: before + t + 1
     members s t     I_t: the last B_t rows before `past s t`
     factor s t      rho_t as a row: 0, 1 or gamma_t
     residual_of     y_j - rho_t .* (x_j S)
     write s t S     S Diag(gamma_t) + sum over j in I_t of x_j^T (w_t .* residual_j)             (form/recurrent.hpp)
     run s a c S     the state after tokens a, ..., a + c - 1, from S
     output s when a t S   what token a + t reads when S was the state before token a
     carry s a c     gamma_a .* ... .* gamma_{a+c-1}: P(a + c, a)
     left s a c t    what is left, c tokens after a, of the weight of token a + t: w .* P                 M of form/masked.hpp
     unrolled s a c r S    S Diag(carry) + sum of x_j^T (r_{t,j} .* left): the exit formula, r the residuals
     masked_output   the output formula of the masked form, from residuals
     is_masked_solution    r solves the system (I + A) R = Y - rho Diag(P) X S of the masked form
     uniform n a     the row of n entries a: a schedule with one column
     inner A B       sum of the products of entries; squared A = inner A A = |A|^2                                                   *)
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Inductive residual := Zero | One | Gamma.
Inductive timing := ReadAfterWrite | ReadBeforeWrite.

Definition hadamard (R : ringType) n (a b : 'rV[R]_n) : 'rV[R]_n := \row_k (a 0 k * b 0 k).
Notation "a .* b" := (hadamard a b) (at level 40, left associativity) : ring_scope.

Definition dot (R : ringType) n (x y : 'rV[R]_n) : R := (x *m y^T) 0 0.

Definition uniform (R : ringType) n (a : R) : 'rV[R]_n := const_mx a.

Section Definitions.
Variables (R : comRingType) (dx dv : nat).

Record sequence := Sequence {
  feature : nat -> 'rV[R]_dx;
  target : nat -> 'rV[R]_dv;
  before : nat;
  query : nat -> 'rV[R]_dx;
  weight : nat -> 'rV[R]_dv;
  decay : nat -> 'rV[R]_dv;
  window : nat -> nat;
  rho : residual
}.

Definition past s t := (before s + t).+1.
Definition members s t := index_iota (past s t - window s t) (past s t).

Definition factor s t : 'rV[R]_dv :=
  match rho s with Zero => 0 | One => uniform dv 1 | Gamma => decay s t end.

Definition residual_of s t (S : 'M[R]_(dx, dv)) j := target s j - factor s t .* (feature s j *m S).

Definition write s t (S : 'M[R]_(dx, dv)) :=
  S *m diag_mx (decay s t) + \sum_(j <- members s t) (feature s j)^T *m (weight s t .* residual_of s t S j).

Fixpoint run s a c (S : 'M[R]_(dx, dv)) : 'M[R]_(dx, dv) :=
  if c is c'.+1 then write s (a + c') (run s a c' S) else S.

Definition output s when a t S :=
  match when with
  | ReadAfterWrite => query s (a + t) *m run s a t.+1 S
  | ReadBeforeWrite => query s (a + t) *m run s a t S
  end.

Fixpoint carry s a c : 'rV[R]_dv := if c is c'.+1 then decay s (a + c') .* carry s a c' else uniform dv 1.

(* 0 for the tokens t that are not among the c *)
Definition left s a c t : 'rV[R]_dv := if (t < c)%N then weight s (a + t) .* carry s (a + t.+1) (c - t.+1) else 0.

Definition unrolled s a c (r : nat -> nat -> 'rV[R]_dv) (S : 'M[R]_(dx, dv)) :=
  S *m diag_mx (carry s a c) + \sum_(t < c) \sum_(j <- members s (a + t)) (feature s j)^T *m (left s a c t .* r t j).

(* The row token a + t reads: c = t + 1 writes are seen by RAW, c = t by RBW. *)
Definition masked_output s when a t (r : nat -> nat -> 'rV[R]_dv) (S : 'M[R]_(dx, dv)) :=
  let c := if when is ReadAfterWrite then t.+1 else t in
  carry s a c .* (query s (a + t) *m S)
  + \sum_(i < c) \sum_(j <- members s (a + i)) dot (query s (a + t)) (feature s j) *: (left s a c i .* r i j).

Definition is_masked_solution s a c (S : 'M[R]_(dx, dv)) (r : nat -> nat -> 'rV[R]_dv) :=
  forall t j, (t < c)%N -> j \in members s (a + t) ->
  r t j + factor s (a + t)
          .* (\sum_(i < t) \sum_(k <- members s (a + i)) dot (feature s j) (feature s k) *: (left s a t i .* r i k))
  = target s j - factor s (a + t) .* (carry s a t .* (feature s j *m S)).

End Definitions.

(* Rows. *)
Section Rows.
Variables (R : comRingType) (n : nat).
Implicit Types a b c : 'rV[R]_n.

Lemma hadamardE a b k : (a .* b) 0 k = a 0 k * b 0 k. Proof. by rewrite mxE. Qed.
Lemma hadamard_diag a b : a .* b = b *m diag_mx a.
Proof. by rewrite mul_mx_diag; apply/rowP => k; rewrite !mxE mulrC. Qed.
Lemma hadamardC a b : a .* b = b .* a. Proof. by apply/rowP => k; rewrite !mxE mulrC. Qed.
Lemma hadamardA a b c : a .* (b .* c) = a .* b .* c. Proof. by apply/rowP => k; rewrite !mxE mulrA. Qed.
Lemma hadamardCA a b c : a .* (b .* c) = b .* (a .* c). Proof. by apply/rowP => k; rewrite !mxE mulrCA. Qed.
Lemma hadamardDr a b c : a .* (b + c) = a .* b + a .* c. Proof. by apply/rowP => k; rewrite !mxE mulrDr. Qed.
Lemma hadamardBr a b c : a .* (b - c) = a .* b - a .* c. Proof. by apply/rowP => k; rewrite !mxE mulrBr. Qed.
Lemma hadamardNr a b : a .* (- b) = - (a .* b). Proof. by apply/rowP => k; rewrite !mxE mulrN. Qed.
Lemma hadamardZr a (z : R) b : a .* (z *: b) = z *: (a .* b). Proof. by apply/rowP => k; rewrite !mxE mulrCA. Qed.
Lemma hadamard0r a : a .* 0 = 0. Proof. by apply/rowP => k; rewrite !mxE mulr0. Qed.
Lemma hadamard0l a : 0 .* a = 0. Proof. by apply/rowP => k; rewrite !mxE mul0r. Qed.
Lemma hadamard1l a : uniform n 1 .* a = a. Proof. by apply/rowP => k; rewrite !mxE mul1r. Qed.
Lemma hadamard_uniform (z : R) a : uniform n z .* a = z *: a. Proof. by apply/rowP => k; rewrite !mxE. Qed.
Lemma hadamard_sumr I (r : seq I) (P : pred I) (F : I -> 'rV[R]_n) a :
  a .* (\sum_(i <- r | P i) F i) = \sum_(i <- r | P i) (a .* F i).
Proof.
apply: (big_morph (fun b => a .* b)); first exact: hadamardDr.
exact: hadamard0r.
Qed.
Lemma diag_hadamard a b : diag_mx (a .* b) = diag_mx a *m diag_mx b.
Proof. by rewrite mul_mx_diag; apply/matrixP => i j; rewrite !mxE mulrnAl; case: eqP => // ->. Qed.
Lemma diag_uniform (z : R) : diag_mx (uniform n z) = z%:M.
Proof. by apply/matrixP => i j; rewrite !mxE. Qed.
Lemma mul_diagE m (A : 'M[R]_(m, n)) a i k : (A *m diag_mx a) i k = A i k * a 0 k.
Proof. by rewrite mul_mx_diag mxE. Qed.
Lemma mulmx_hadamard m (x : 'cV[R]_m) a b : x *m (a .* b) = (x *m b) *m diag_mx a.
Proof. by rewrite hadamard_diag mulmxA. Qed.

End Rows.

Section Dot.
Variables (R : comRingType) (n : nat).
Implicit Types x y : 'rV[R]_n.

Lemma dotE x y : dot x y = \sum_k x 0 k * y 0 k.
Proof. by rewrite /dot mxE; apply: eq_bigr => k _; rewrite mxE. Qed.
Lemma dotC x y : dot x y = dot y x.
Proof. by rewrite !dotE; apply: eq_bigr => k _; rewrite mulrC. Qed.
Lemma mulmx_dot x y m (r : 'rV[R]_m) : x *m (y^T *m r) = dot x y *: r.
Proof. by rewrite mulmxA [x *m y^T]mx11_scalar mul_scalar_mx. Qed.

End Dot.

Section Inner.
Variable R : comRingType.

Definition inner m n (A B : 'M[R]_(m, n)) := \sum_i \sum_j A i j * B i j.
Definition squared m n (A : 'M[R]_(m, n)) := inner A A.

Section Sizes.
Variables (m n : nat).
Implicit Types A B C : 'M[R]_(m, n).

Lemma innerC A B : inner A B = inner B A.
Proof. by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite mulrC. Qed.
Lemma innerDl A B C : inner (A + B) C = inner A C + inner B C.
Proof. by rewrite -big_split; apply: eq_bigr => i _; rewrite -big_split; apply: eq_bigr => j _; rewrite mxE mulrDl. Qed.
Lemma innerDr A B C : inner C (A + B) = inner C A + inner C B. Proof. by rewrite innerC innerDl !(innerC C). Qed.
Lemma innerZl (a : R) A B : inner (a *: A) B = a * inner A B.
Proof. by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _; rewrite mxE mulrA. Qed.
Lemma innerZr (a : R) A B : inner A (a *: B) = a * inner A B. Proof. by rewrite innerC innerZl innerC. Qed.
Lemma innerNl A B : inner (- A) B = - inner A B. Proof. by rewrite -scaleN1r innerZl mulN1r. Qed.
Lemma innerNr A B : inner A (- B) = - inner A B. Proof. by rewrite innerC innerNl innerC. Qed.
Lemma inner0r A : inner A 0 = 0. Proof. by apply: big1 => i _; apply: big1 => j _; rewrite mxE mulr0. Qed.
Lemma inner_sumr I (r : seq I) (P : pred I) (F : I -> 'M[R]_(m, n)) A :
  inner A (\sum_(i <- r | P i) F i) = \sum_(i <- r | P i) inner A (F i).
Proof. by apply: (big_morph (inner A)) => [B C|]; rewrite ?innerDr ?inner0r. Qed.
Lemma inner_suml I (r : seq I) (P : pred I) (F : I -> 'M[R]_(m, n)) A :
  inner (\sum_(i <- r | P i) F i) A = \sum_(i <- r | P i) inner (F i) A.
Proof. by rewrite innerC inner_sumr; apply: eq_bigr => i _; rewrite innerC. Qed.
Lemma squaredN A : squared (- A) = squared A. Proof. by rewrite /squared innerNl innerNr opprK. Qed.
Lemma squaredZ a A : squared (a *: A) = a ^+ 2 * squared A. Proof. by rewrite /squared innerZl innerZr mulrA. Qed.
Lemma squaredD A B : squared (A + B) = squared A + 2%:R * inner A B + squared B.
Proof. by rewrite /squared innerDl !innerDr [inner B A]innerC mulr_natl mulr2n !addrA. Qed.
End Sizes.

Lemma inner_mulmxl m n p (A : 'M[R]_(m, n)) (B : 'M[R]_(n, p)) (C : 'M[R]_(m, p)) : inner (A *m B) C = inner B (A^T *m C).
Proof.
transitivity (\sum_i \sum_k \sum_j A i k * B k j * C i j).
  apply: eq_bigr => i _; rewrite exchange_big; apply: eq_bigr => j _ /=.
  by rewrite mxE mulr_suml.
rewrite exchange_big; apply: eq_bigr => k _ /=; rewrite exchange_big; apply: eq_bigr => j _ /=.
by rewrite mxE mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulrCA mulrA.
Qed.

Lemma inner_tr m n (A B : 'M[R]_(m, n)) : inner A^T B^T = inner A B.
Proof. by rewrite /inner exchange_big; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite !mxE. Qed.
Lemma inner_mulmxr m n p (A : 'M[R]_(m, n)) (B : 'M[R]_(n, p)) (C : 'M[R]_(m, p)) : inner (A *m B) C = inner A (C *m B^T).
Proof. by rewrite -inner_tr trmx_mul inner_mulmxl -[LHS]inner_tr !trmx_mul !trmxK. Qed.
Lemma dot_inner n (x y : 'rV[R]_n) : dot x y = inner x y. Proof. by rewrite dotE /inner big_ord1. Qed.
Lemma inner_hadamard n (a b c : 'rV[R]_n) : inner (a .* b) c = inner b (a .* c).
Proof. by rewrite /inner !big_ord1; apply: eq_bigr => j _; rewrite !mxE mulrCA mulrA. Qed.

End Inner.
