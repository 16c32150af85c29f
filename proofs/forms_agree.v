(* SPDX-License-Identifier: Apache-2.0 *)
(* The masked form is the recurrence: its system has one solution, the residuals; its outputs and its exit state are those of the
   recurrence. For one step a token or one a column, any windows, any rho, any block of tokens [a, a + c).

     residuals s a S t j   y_j - rho .* (x_j S'), S' the recurrence's state before token a + t from S
     mask s a c j          sum over the windows that hold pair j of what is left of their weights after c tokens: M of the inner product *)
From mathcomp Require Import all_ssreflect all_algebra.
From Fwa Require Import definitions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Forms.
Variables (R : comRingType) (dx dv : nat) (s : sequence R dx dv).
Implicit Types (S : 'M[R]_(dx, dv)) (r : nat -> nat -> 'rV[R]_dv).

(* The residuals of the recurrence that starts at token a with S. *)
Definition residuals a S t j := residual_of s (a + t) (run s a t S) j.

Lemma left_last a c : left s a c.+1 c = weight s (a + c).
Proof. by rewrite /left ltnSn subnn /= hadamardC hadamard1l. Qed.

Lemma left_step a c t : (t < c)%N -> left s a c.+1 t = decay s (a + c) .* left s a c t.
Proof.
move=> tc; rewrite /left ltnS (ltnW tc) tc subSn //=.
by rewrite -addnA subnKC // hadamardCA.
Qed.

Lemma unrolled_step a c r S :
  unrolled s a c.+1 r S = unrolled s a c r S *m diag_mx (decay s (a + c))
    + \sum_(j <- members s (a + c)) (feature s j)^T *m (weight s (a + c) .* r c j).
Proof.
rewrite /unrolled big_ord_recr /= addrA left_last; congr (_ + _).
rewrite mulmxDl -mulmxA -diag_hadamard [_ .* decay _ _]hadamardC; congr (_ + _).
rewrite mulmx_suml; apply: eq_bigr => t _; rewrite mulmx_suml; apply: eq_bigr => j _.
by rewrite left_step // -hadamardA mulmx_hadamard.
Qed.

Lemma read_unrolled a c r S (x : 'rV[R]_dx) :
  x *m unrolled s a c r S = carry s a c .* (x *m S)
    + \sum_(t < c) \sum_(j <- members s (a + t)) dot x (feature s j) *: (left s a c t .* r t j).
Proof.
rewrite mulmxDr mulmxA -hadamard_diag; congr (_ + _).
rewrite mulmx_sumr; apply: eq_bigr => t _; rewrite mulmx_sumr; apply: eq_bigr => j _.
by rewrite mulmx_dot.
Qed.

(** If false: an exit state formed from the right residuals would not be the state of the recurrence.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem exit_from_residuals a c r S :
  (forall t j, (t < c)%N -> j \in members s (a + t) -> r t j = residuals a S t j) -> run s a c S = unrolled s a c r S.
Proof.
elim: c => [|c IH] E; first by rewrite /unrolled big_ord0 addr0 /= diag_uniform mulmx1.
rewrite unrolled_step -IH => [|t j tc]; last by apply: E; rewrite ltnS ltnW.
by rewrite /= /write; congr (_ + _); apply: eq_big_seq => j jm; rewrite E.
Qed.

(** If false: the masked form would solve a system that the recurrence does not satisfy. Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem residuals_solve_the_system a c S : is_masked_solution s a c S (residuals a S).
Proof.
move=> t j tc jm; rewrite {1}/residuals /residual_of (@exit_from_residuals a t (residuals a S)) //.
by rewrite read_unrolled hadamardDr opprD addrA subrK.
Qed.

(** If false: the system could have another solution, and forward substitution could return it.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem the_system_has_one_solution a c S r : is_masked_solution s a c S r ->
  forall t j, (t < c)%N -> j \in members s (a + t) -> r t j = residuals a S t j.
Proof.
move=> sol; elim/ltn_ind => t IH j tc jm.
have E : run s a t S = unrolled s a t r S.
  by apply: exit_from_residuals => i k it; apply: IH => //; apply: ltn_trans tc.
move/(canRL (addrK _)): (sol t j tc jm) => ->.
by rewrite /residuals /residual_of E read_unrolled hadamardDr opprD addrA.
Qed.

(** If false: the state that the masked form leaves would differ from the recurrent one. Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem masked_exit a c S r : is_masked_solution s a c S r -> run s a c S = unrolled s a c r S.
Proof. by move/the_system_has_one_solution => E; apply: exit_from_residuals. Qed.

(** If false: an output of the masked form, read after or before write, would differ from the recurrent one.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem masked_reads when a c S r t : is_masked_solution s a c S r -> (t < c)%N ->
  output s when a t S = masked_output s when a t r S.
Proof.
move/the_system_has_one_solution => E tc.
case: when; rewrite /output /masked_output -read_unrolled; congr (_ *m _); apply: exit_from_residuals => i j it; apply: E.
  by rewrite (leq_trans it).
exact: ltn_trans tc.
Qed.

(* Inner product: a pair that several windows hold is one unknown, with the sum of its weights. *)
Definition mask a c j : 'rV[R]_dv := \sum_(t < c | j \in members s (a + t)) left s a c t.

Lemma members_below t n (F : nat -> 'M[R]_(dx, dv)) : (past s t <= n)%N ->
  \sum_(j <- members s t) F j = \sum_(0 <= j < n | j \in members s t) F j.
Proof.
move=> le; rewrite /members (big_nat_widen _ _ _ _ _ le) (big_nat_widenl _ 0) //.
by apply: eq_bigl => j; rewrite mem_index_iota /= andbC.
Qed.

(** If false: the one mask of an inner product rule, M = P Diag(eta) A, would not describe what its windows write.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem inner_product_exit a c S n : rho s = Zero -> (past s (a + c) <= n.+1)%N ->
  run s a c S = S *m diag_mx (carry s a c) + \sum_(0 <= j < n) (feature s j)^T *m (mask a c j .* target s j).
Proof.
move=> zero le; rewrite (@exit_from_residuals a c (residuals a S)) // /unrolled; congr (_ + _).
transitivity (\sum_(t < c) \sum_(0 <= j < n | j \in members s (a + t)) (feature s j)^T *m (left s a c t .* target s j)).
  apply: eq_bigr => t _; rewrite -members_below; last first.
    by move: le; rewrite /past !ltnS; apply: leq_trans; rewrite -addnS -addnS leq_add2l leq_add2l ltn_ord.
  by apply: eq_bigr => j _; rewrite /residuals /residual_of /factor zero hadamard0l subr0.
rewrite (exchange_big_dep xpredT) //=; apply: eq_bigr => j _.
rewrite -mulmx_sumr; congr (_ *m _).
by apply/rowP => k; rewrite !mxE !summxE big_distrl; apply: eq_bigr => t _; rewrite !mxE.
Qed.

(** If false: O = Diag(P) Q S_0 + (Q X^T o M) Y would not be what an inner product rule outputs.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem inner_product_reads when a t S n : rho s = Zero ->
  let c := if when is ReadAfterWrite then t.+1 else t in (past s (a + c) <= n.+1)%N ->
  output s when a t S = carry s a c .* (query s (a + t) *m S)
    + \sum_(0 <= j < n) dot (query s (a + t)) (feature s j) *: (mask a c j .* target s j).
Proof.
move=> zero c le; have -> : output s when a t S = query s (a + t) *m run s a c S by rewrite /c; case: (when).
rewrite (inner_product_exit _ zero le) mulmxDr mulmxA -hadamard_diag; congr (_ + _).
by rewrite mulmx_sumr; apply: eq_bigr => j _; rewrite mulmx_dot.
Qed.

End Forms.
