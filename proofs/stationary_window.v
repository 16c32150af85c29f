(* SPDX-License-Identifier: Apache-2.0 *)
(* Falcon-3A: the mask as a product of three matrices, its closed form where windows are full, and what a pair injects.

     decay_matrix       P: (t, r) is gamma_{r+1} ... gamma_t for r <= t, else 0; of one column
     membership         A: (r, j) is 1 / B_r where j is in I_r, else 0                                                             *)
From mathcomp Require Import all_ssreflect all_algebra zify.
From Fwa Require Import definitions forms_agree chunk_size_is_free.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Mask.
Variables (R : fieldType) (dx dv : nat) (s : sequence R dx dv) (eta : nat -> 'rV[R]_dv).
Hypothesis weight_is : forall t, weight s t = (window s t)%:R^-1 *: eta t.

Definition decay_matrix T k : 'M[R]_T := \matrix_(t, r) if (r <= t)%N then carry s r.+1 (t - r) 0 k else 0.
Definition membership T n : 'M[R]_(T, n) := \matrix_(r, j) if nat_of_ord j \in members s r then (window s r)%:R^-1 else 0.

(** If false: M = P Diag(eta) A would not be the mask that inner_product_reads multiplies Q X^T by.
    Test: properties/stationary_window_test.cpp. *)
Theorem mask_is_a_product T n k :
  \matrix_(t < T, j < n) mask s 0 t.+1 j 0 k
  = decay_matrix T k *m diag_mx (\row_(r < T) eta r 0 k) *m membership T n.
Proof.
apply/matrixP => t j; rewrite mul_mx_diag !mxE summxE.
rewrite (big_ord_widen_cond T (fun r => nat_of_ord j \in members s (0 + r)) (fun r => left s 0 t.+1 r 0 k)) //.
rewrite big_mkcond; apply: eq_bigr => r _; rewrite !mxE.
rewrite /= ltnS !add0n andbC /left ltnS subSS; case: leqP => rt /=; last by rewrite !mul0r.
case: ifP => jm; last by rewrite mulr0.
by rewrite hadamardE weight_is mxE [LHS]mulrC -[RHS]mulrA [eta _ _ _ * _]mulrC.
Qed.

End Mask.

Section Stationary.
Variables (R : fieldType) (dx dv : nat).
Variables (x : nat -> 'rV[R]_dx) (y : nat -> 'rV[R]_dv) (b : nat) (q : nat -> 'rV[R]_dx) (eta g : R) (B : nat) (length : nat -> nat).
Let s := one_step x y b q (fun t => eta / (length t)%:R) (fun=> g) length Zero.

Lemma carry_power a c : carry s a c = uniform dv (g ^+ c).
Proof. by elim: c => //= c ->; rewrite hadamard_uniform; apply/rowP => k; rewrite !mxE exprS. Qed.

(* The pair that token i was the first to write, where every window that may hold it is full. *)
Variable i : nat.
Hypothesis at_most : forall t, (length t <= B)%N.
Hypothesis full : forall t, (i <= t < i + B)%N -> length t = B.

Lemma holds t : ((b + i)%N \in members s t) = (i <= t < i + B)%N && (0 < B)%N.
Proof.
rewrite mem_index_iota /past /=; have := at_most t; have := @full t.
by case: (boolP (i <= t < i + B)%N) => [inside /(_ isT) -> _|outside _ le]; lia.
Qed.

(** If false: M_{t,j} = (eta / B) sum of gamma^u over u = max(0, t - j - B + 1), ..., t - j would not be the stationary mask.
    Test: properties/stationary_window_test.cpp. *)
Theorem stationary_mask t : (i <= t)%N ->
  mask s 0 t.+1 (b + i)%N = uniform dv (eta / B%:R * \sum_(t.+1 - (i + B) <= u < (t - i).+1) g ^+ u).
Proof.
move=> it; apply/rowP => k; rewrite /mask summxE !mxE.
case: (posnP B) => [B0|Bp].
  rewrite B0 invr0 mulr0 mul0r big1 // => r; rewrite add0n holds B0 andbF //.
have -> : (t - i).+1 = (t.+1 - i)%N by rewrite subSn.
rewrite (reindex_inj rev_ord_inj) /= (big_nat_widen _ _ t.+1) ?leq_subr // (big_nat_widenl _ 0) // big_mkord mulr_sumr.
apply: eq_big => [u|u]; rewrite add0n holds Bp andbT subSS.
  by have := ltn_ord u; lia.
move=> /andP[lo hi]; have ut : (u <= t)%N by rewrite -ltnS.
rewrite /left add0n carry_power /= full ?lo // ltnS leq_subr !mxE; congr (_ * _ ^+ _).
by rewrite subSS subKn.
Qed.

End Stationary.

Section Injection.
Variables (R : fieldType) (dx dv : nat).
Variables (x : nat -> 'rV[R]_dx) (y : nat -> 'rV[R]_dv) (b : nat) (q : nat -> 'rV[R]_dx) (eta : R) (B : nat) (length : nat -> nat).
Let s := one_step x y b q (fun t => eta / (length t)%:R) (fun=> 1) length Zero.

(** If false: without ridge, with one eta, what a pair of the interior adds in all would depend on B.
    Test: properties/stationary_window_test.cpp. *)
Theorem interior_injection i t : (forall t, (length t <= B)%N) -> (forall t, (i <= t < i + B)%N -> length t = B) ->
  B%:R != 0 :> R -> (i + B <= t.+1)%N -> mask s 0 t.+1 (b + i)%N = uniform dv eta.
Proof.
move=> at_most full nz late.
have it : (i <= t)%N.
  by rewrite -ltnS (leq_trans _ late) // -[X in (X < _)%N]addn0 ltn_add2l lt0n; apply: contraNneq nz => ->.
rewrite (@stationary_mask _ _ _ x y b q eta 1 B length i at_most full t it); congr uniform.
under eq_bigr do rewrite expr1n.
rewrite sumr_const_nat (_ : ((t - i).+1 - (t.+1 - (i + B)))%N = B); last by lia.
by rewrite -mulrA mulVf // mulr1.
Qed.

End Injection.

(** If false: the same would hold at a fresh sequence's first pair. With B = 2 and eta = 1 it adds 1 + 1/2.
    Test: properties/stationary_window_test.cpp. *)
Theorem first_pair_injects_more :
  let s := one_step (fun=> uniform 1 1 : 'rV[rat]_1) (fun=> uniform 1 1) 0%N (fun=> uniform 1 1)
                    (fun t => 1 / (minn 2 t.+1)%:R) (fun=> 1) (fun t => minn 2 t.+1) Zero in
  mask s 0 3 0%N = uniform 1 (3%:R / 2%:R).
Proof.
move=> s; apply/rowP => k; rewrite ord1 /mask big_mkcond !big_ord_recr big_ord0 /= !mxE.
by apply/eqP; vm_compute.
Qed.
