(* SPDX-License-Identifier: Apache-2.0 *)
(* The sweep of form/span.hpp is the recurrence: all writes of a block lie in the span of the features that it sees, and a
   prediction is formed once and then kept up to date while a window holds its pair. (Scaling features by powers of two is left out: it
   is exact.)

     oldest t          first row of the window of token t; known c: rows before it have a kept prediction; written: w .* (y - rho .* p)
     lo                oldest pair that the block's windows hold; pairs of the block itself begin at before + a
     sweep c           W and p after c tokens of the block that begins at token a with state S
     predict c p j     p_j = S_{t-1}^T x_j at token a + c: as kept for pairs that an earlier token of the block has held, else from W     *)
From mathcomp Require Import all_ssreflect all_algebra zify.
From Fwa Require Import definitions forms_agree.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Span.
Variables (R : comRingType) (dx dv : nat) (s : sequence R dx dv) (a lo : nat) (S : 'M[R]_(dx, dv)).

Definition oldest t := (past s t - window s t)%N.

(* Windows as window_length makes them: their first pair never goes back; lo is not after it. *)
Hypothesis windows_advance : forall t, (oldest t <= oldest t.+1)%N.
Hypothesis lo_is_oldest : (lo <= oldest a)%N.
Hypothesis lo_is_not_later : (lo <= before s + a)%N.

Definition known c := if c is c'.+1 then past s (a + c') else 0%N.

Definition predict c (W p : nat -> 'rV[R]_dv) j : 'rV[R]_dv :=
  if (j < known c)%N then p j
  else carry s a c .* (feature s j *m S) + \sum_(lo <= i < before s + (a + c)) dot (feature s j) (feature s i) *: W i.

Definition written c W p j := weight s (a + c) .* (target s j - factor s (a + c) .* predict c W p j).

Fixpoint sweep c : (nat -> 'rV[R]_dv) * (nat -> 'rV[R]_dv) :=
  if c is c'.+1 then
    let: (W, p) := sweep c' in
    (fun j => decay s (a + c') .* W j + (if j \in members s (a + c') then written c' W p j else 0),
     fun j => if j \in members s (a + c')
              then decay s (a + c') .* predict c' W p j
                   + \sum_(i <- members s (a + c')) dot (feature s j) (feature s i) *: written c' W p i
              else p j)
  else (fun=> 0, fun=> 0).

Lemma predict_kept c W p j : (j < known c)%N -> predict c W p j = p j. Proof. by rewrite /predict => ->. Qed.
Lemma predict_fresh c W p j : (known c <= j)%N -> predict c W p j
  = carry s a c .* (feature s j *m S) + \sum_(lo <= i < before s + (a + c)) dot (feature s j) (feature s i) *: W i.
Proof. by rewrite /predict ltnNge => ->. Qed.

Lemma oldest_from c : (lo <= oldest (a + c))%N.
Proof. by elim: c => [|c IH]; rewrite ?addn0 // addnS (leq_trans IH). Qed.

(** If false: S_t = P(t,0) S_0 + X_J^T W_t would fail for some t, or a kept prediction would be stale where it is used.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem sweep_is_recurrent c :
  let: (W, p) := sweep c in
  [/\ run s a c S = S *m diag_mx (carry s a c) + \sum_(lo <= i < before s + (a + c)) (feature s i)^T *m W i,
      forall i, (before s + (a + c) <= i)%N -> W i = 0
    & forall j, j \in members s (a + c) -> predict c W p j = feature s j *m run s a c S].
Proof.
elim: c => [|c]; last case E: (sweep c) => [W p] [IHS IHW IHp].
  split=> //=.
    by rewrite diag_uniform mulmx1 big1 ?addr0 // => i _; rewrite mulmx0.
  move=> j _; rewrite /predict /= hadamard1l big1 ?addr0 // => i _; by rewrite scaler0.
rewrite /= E; set t := (a + c)%N.
have res i : i \in members s t -> written c W p i = weight s t .* residual_of s t (run s a c S) i.
  by move=> im; rewrite /written IHp.
have range : (before s + (a + c.+1) = (before s + t).+1)%N by rewrite /t; lia.
have lo_le : (lo <= before s + t)%N by rewrite /t; lia.
have state : write s t (run s a c S) = S *m diag_mx (decay s t .* carry s a c)
    + \sum_(lo <= i < before s + (a + c.+1))
        (feature s i)^T *m (decay s t .* W i + (if i \in members s t then written c W p i else 0)).
  rewrite range; under [X in _ = _ + X]eq_bigr do rewrite mulmxDr.
  rewrite big_split /= addrA; congr (_ + _).
    rewrite big_nat_recr //= IHW // hadamard0r mulmx0 addr0 IHS mulmxDl -mulmxA -diag_hadamard [carry s a c .* _]hadamardC.
    by congr (_ + _); rewrite mulmx_suml; apply: eq_bigr => i _; rewrite mulmx_hadamard.
  rewrite /members -/(oldest t) (big_nat_widenl _ lo) ?oldest_from // big_mkcond /= [LHS]big_nat [RHS]big_nat.
  apply: eq_bigr => i /andP[li ib]; rewrite mem_index_iota -/(oldest t) /past ib andbT.
  case: leqP => oi; last by rewrite mulmx0.
  by rewrite res // mem_index_iota -/(oldest t) /past ib andbT.
split=> //.
  move=> i; rewrite range => le; rewrite IHW ?(ltnW le) // hadamard0r add0r.
  by rewrite mem_index_iota /past ltnNge le andbF.
move=> j jm; case: (ltnP j (known c.+1)) => jt; last first.
  rewrite predict_fresh // state mulmxDr mulmxA -hadamard_diag; congr (_ + _).
  by rewrite mulmx_sumr; apply: eq_bigr => i _; rewrite mulmx_dot.
have jt' : j \in members s t.
  move: jm; rewrite !mem_index_iota -/(oldest t) addnS -/t -/(oldest t.+1) => /andP[le _].
  by rewrite (leq_trans (windows_advance t) le); move: jt; rewrite /known.
rewrite predict_kept // jt' IHp // /write mulmxDr mulmxA -hadamard_diag; congr (_ + _).
rewrite mulmx_sumr; apply: eq_big_seq => i im; by rewrite mulmx_dot res.
Qed.

(** If false: an output of the linear-cost form, read after or before write, would differ from the recurrent one.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem sweep_reads when t : let c := if when is ReadAfterWrite then t.+1 else t in
  output s when a t S = carry s a c .* (query s (a + t) *m S)
    + \sum_(lo <= i < before s + (a + c)) dot (query s (a + t)) (feature s i) *: (sweep c).1 i.
Proof.
move=> c; have -> : output s when a t S = query s (a + t) *m run s a c S by rewrite /c; case: (when).
have := sweep_is_recurrent c; case: (sweep c) => W p [-> _ _] /=.
rewrite mulmxDr mulmxA -hadamard_diag; congr (_ + _).
by rewrite mulmx_sumr; apply: eq_bigr => i _; rewrite mulmx_dot.
Qed.

End Span.
