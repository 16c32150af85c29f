(* SPDX-License-Identifier: Apache-2.0 *)
(* Chunks of any sizes give what the recurrence gives; the maps of chunks compose, in any order of a scan.

     chunked_state, chunked_outputs   chunk by chunk, the masked form from the entry state and its exit formula (form/chunked.hpp)
     column k s           the sequence of value column k alone
     one_step x y b q w g B k         a sequence with one step a token: every row of weights and decays is uniform
     dense_map            M and b of S -> M S + b; apply, after (its composition), id             (form/scan.hpp, as what follows)
     diagonal_map         g and b of S -> S Diag(g) + b; apply, after, id
     scan_rounds k f i    what place i holds after k rounds, in each of which a map takes the one 2^round places before it
     composite f a n      f_{a+n} o ... o f_a                                                                                      *)
From mathcomp Require Import all_ssreflect all_algebra zify.
From Fwa Require Import definitions forms_agree.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Chunks.
Variables (R : comRingType) (dx dv : nat) (s : sequence R dx dv).
Implicit Types (S : 'M[R]_(dx, dv)).

(** If false: cutting a sequence between two tokens would change its state. Test: properties/chunk_size_is_free_test.cpp. *)
Theorem run_cut a b c S : run s a (b + c) S = run s (a + b) c (run s a b S).
Proof. by elim: c => [|c IH]; rewrite ?addn0 // addnS /= IH addnA. Qed.

Lemma output_cut when a b t S : output s when a (b + t) S = output s when (a + b) t (run s a b S).
Proof. by case: when; rewrite /output -?addnS run_cut addnA. Qed.

(* Chunk by chunk (form/chunked.hpp): the masked form from the chunk's entry state, its exit formula between chunks.
   `solve` is any function that solves the systems; cs are the sizes of the chunks.                                          *)
Variable solve : nat -> nat -> 'M[R]_(dx, dv) -> nat -> nat -> 'rV[R]_dv.

Fixpoint chunked_state a cs S :=
  if cs is c :: cs' then chunked_state (a + c)%N cs' (unrolled s a c (solve a c S) S) else S.

Fixpoint chunked_outputs when a cs S : seq 'rV[R]_dv :=
  if cs is c :: cs' then
    [seq masked_output s when a t (solve a c S) S | t <- iota 0 c]
    ++ chunked_outputs when (a + c)%N cs' (unrolled s a c (solve a c S) S)
  else [::].

Hypothesis solve_solves : forall a c S, is_masked_solution s a c S (solve a c S).

(** If false: for some partition, per column or not, with windows or not, the chunk form would leave another state.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem chunked_state_is_recurrent a cs S : chunked_state a cs S = run s a (sumn cs) S.
Proof. by elim: cs a S => //= c cs IH a S; rewrite IH run_cut -(masked_exit (@solve_solves a c S)). Qed.

(** If false: for some partition an output of the chunk form would differ from the recurrent one.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem chunked_outputs_are_recurrent when a cs S :
  chunked_outputs when a cs S = [seq output s when a t S | t <- iota 0 (sumn cs)].
Proof.
elim: cs a S => //= c cs IH a S; rewrite iotaD map_cat -(masked_exit (@solve_solves a c S)) IH; congr (_ ++ _).
  apply/eq_in_map => t; rewrite mem_iota /= => tc; symmetry.
  exact: masked_reads (@solve_solves a c S) tc.
by rewrite add0n -{3}[c]addn0 iotaDl -map_comp; apply: eq_map => t /=; rewrite output_cut.
Qed.

End Chunks.

(* A sequence of one value column, that of column k. *)
Definition column (R : comRingType) dx dv (k : 'I_dv) (s : sequence R dx dv) : sequence R dx 1 :=
  Sequence (feature s) (fun j => uniform 1 (target s j 0 k)) (before s) (query s) (fun t => uniform 1 (weight s t 0 k))
           (fun t => uniform 1 (decay s t 0 k)) (window s) (rho s).

(* A sequence with one step a token: w and g are columns of numbers. *)
Definition one_step (R : comRingType) dx dv (x : nat -> 'rV[R]_dx) (y : nat -> 'rV[R]_dv) b q (w g : nat -> R) B k :=
  Sequence x y b q (fun t => uniform dv (w t)) (fun t => uniform dv (g t)) B k.

Section Columns.
Variables (R : comRingType) (dx dv : nat) (s : sequence R dx dv).

(** If false: value columns would mix, and columns with steps of their own could not be solved column by column.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem columns_are_independent a c (S : 'M[R]_(dx, dv)) k : col k (run s a c S) = run (column k s) a c (col k S).
Proof.
elim: c => //= c <-; set S' := run s a c S; rewrite /write linearD /=; congr (_ + _).
  by apply/colP => i; rewrite mxE !mul_diagE !mxE.
rewrite linear_sum /=; apply: eq_bigr => j _; apply/colP => i; rewrite !mxE !big_ord1 !mxE.
have -> : factor (column k s) (a + c) 0 0 = factor s (a + c) 0 k by rewrite /factor /=; case: (rho s); rewrite !mxE.
by congr (_ * (_ * (_ - _ * _))); apply: eq_bigr => l _; rewrite !mxE.
Qed.

End Columns.

(* S -> M S + b, and its composition (form/scan.hpp). *)
Section DenseMaps.
Variables (R : comRingType) (dx dv : nat).

Record dense_map := Dense { dense_M : 'M[R]_dx; dense_b : 'M[R]_(dx, dv) }.
Definition dense_apply f S := dense_M f *m S + dense_b f.
Definition dense_after f e := Dense (dense_M f *m dense_M e) (dense_M f *m dense_b e + dense_b f).
Definition dense_id := Dense 1%:M 0.

(** If false: the composed map of two chunks would not take an entry state through both. Test: properties/chunk_size_is_free_test.cpp. *)
Theorem dense_after_composes f e S : dense_apply (dense_after f e) S = dense_apply f (dense_apply e S).
Proof. by rewrite /dense_apply /= mulmxDr mulmxA addrA. Qed.

(** If false: the scan's result would depend on how it brackets the chunks. Test: properties/chunk_size_is_free_test.cpp. *)
Theorem dense_after_is_associative f e d : dense_after f (dense_after e d) = dense_after (dense_after f e) d.
Proof. by rewrite /dense_after /= !mulmxA mulmxDr mulmxA addrA. Qed.

(** If false: an empty chunk would not be neutral in a scan. Test: none. *)
Theorem dense_id_is_neutral f : dense_after dense_id f = f /\ dense_after f dense_id = f.
Proof. by case: f => M b; rewrite /dense_after /= !mul1mx !mulmx1 mulmx0 addr0 add0r. Qed.

End DenseMaps.

(* S -> S Diag(g) + b. *)
Section DiagonalMaps.
Variables (R : comRingType) (dx dv : nat).

Record diagonal_map := Diagonal { diagonal_g : 'rV[R]_dv; diagonal_b : 'M[R]_(dx, dv) }.
Definition diagonal_apply f S := S *m diag_mx (diagonal_g f) + diagonal_b f.
Definition diagonal_after f e := Diagonal (diagonal_g f .* diagonal_g e) (diagonal_apply f (diagonal_b e)).
Definition diagonal_id := Diagonal (uniform dv 1) (0 : 'M[R]_(dx, dv)).

(** If false: the composed map of two inner product chunks would not take an entry state through both.
    Test: properties/chunk_size_is_free_test.cpp. *)
Theorem diagonal_after_composes f e S : diagonal_apply (diagonal_after f e) S = diagonal_apply f (diagonal_apply e S).
Proof. by rewrite /diagonal_apply /= mulmxDl -mulmxA -diag_hadamard [diagonal_g e .* _]hadamardC addrA. Qed.

(** If false: the scan of an inner product rule would depend on how it brackets the chunks. Test: properties/chunk_size_is_free_test.cpp. *)
Theorem diagonal_after_is_associative f e d :
  diagonal_after f (diagonal_after e d) = diagonal_after (diagonal_after f e) d.
Proof. by rewrite /diagonal_after /= hadamardA -diagonal_after_composes. Qed.

(** If false: an empty chunk would not be neutral in the scan of an inner product rule. Test: none. *)
Theorem diagonal_id_is_neutral f : diagonal_after diagonal_id f = f /\ diagonal_after f diagonal_id = f.
Proof.
by case: f => g b; rewrite /diagonal_after /diagonal_apply /= mul0mx add0r diag_uniform mulmx1 addr0 [g .* _]hadamardC hadamard1l.
Qed.

End DiagonalMaps.

Section ChunkMaps.
Variables (R : comRingType) (dx dv : nat).

(** If false: an inner product chunk would not be S -> S Diag(g) + b, with b what it does to 0.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem inner_product_chunk_is_diagonal (s : sequence R dx dv) a c S : rho s = Zero ->
  run s a c S = diagonal_apply (Diagonal (carry s a c) (run s a c 0)) S.
Proof.
move=> zero; rewrite /diagonal_apply /=; elim: c => [|c IH] /=; first by rewrite diag_uniform mulmx1 addr0.
rewrite {1}IH /write /residual_of /factor zero mulmxDl -mulmxA -diag_hadamard [carry _ _ _ .* _]hadamardC -addrA.
by congr (_ + (_ + _)); apply: eq_bigr => j _; rewrite !hadamard0l.
Qed.

Variables (x : nat -> 'rV[R]_dx) (y : nat -> 'rV[R]_dv) (b : nat) (q : nat -> 'rV[R]_dx) (w g : nat -> R) (B : nat -> nat).

(** If false: a regression chunk would not be S -> M S + b, with M what it does to I when targets are 0, b what it does to 0.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem regression_chunk_is_dense k a c S :
  let s := one_step x y b q w g B k in
  let silent := one_step x (fun=> 0 : 'rV[R]_dx) b q w g B k in
  run s a c S = dense_apply (Dense (run silent a c 1%:M) (run s a c 0)) S.
Proof.
move=> s silent; rewrite /dense_apply /=; elim: c => [|c IH] /=; first by rewrite mul1mx addr0.
rewrite {1}IH; set M := run silent a c _; set S0 := run s a c 0; rewrite /write /= !diag_uniform !mul_mx_scalar.
rewrite scalerDr mulmxDl -scalemxAl -!addrA; congr (_ + _).
rewrite [RHS]addrCA; congr (_ + _).
rewrite mulmx_suml -big_split /=; apply: eq_bigr => j _.
have E n (z : 'rV[R]_n) (s' : sequence R dx n) : s' = one_step x (target s') b q w g B k ->
  factor s' (a + c) .* z = (if k is Zero then 0 else if k is One then 1 else g (a + c)) *: z.
  by move=> ->; rewrite /factor /=; case: (k); rewrite ?hadamard0l ?scale0r ?hadamard1l ?scale1r ?hadamard_uniform.
rewrite /residual_of !E // !hadamard_uniform /= sub0r.
set f := (X in y j - X *: _).
rewrite [x j *m (_ + _)]mulmxDr [_ *: (x j *m _ + _)]scalerDr opprD -mulmxA -scalemxAl mulNmx -scalemxAl -mulmxA -mulmxDr -scalerDr.
by congr (_ *m (_ *: _)); rewrite addrCA.
Qed.

End ChunkMaps.

(* form/scan.hpp: in round k every map takes the one 2^k places before it. *)
Section Scan.
Local Open Scope nat_scope.
Variables (M : Type) (after : M -> M -> M).
Hypothesis after_is_associative : forall f e d, after f (after e d) = after (after f e) d.

Fixpoint scan_rounds k (f : nat -> M) i : M :=
  if k is k'.+1 then
    let f' := scan_rounds k' f in if (2 ^ k' <= i)%N then after (f' i) (f' (i - 2 ^ k')%N) else f' i
  else f i.

(* f_{a+n} o ... o f_a *)
Fixpoint composite (f : nat -> M) a n : M := if n is n'.+1 then after (f (a + n)%N) (composite f a n') else f a.

Lemma composite_cut f a m n : composite f a (m + n.+1) = after (composite f (a + m.+1) n) (composite f a m).
Proof.
elim: n => [|n IH]; first by rewrite addn1.
by rewrite addnS [LHS]/= IH after_is_associative [composite f (a + m.+1) n.+1]/= -[(a + m.+1 + n.+1)%N]addnA addSn.
Qed.

Lemma scan_rounds_reach k f i : scan_rounds k f i = composite f (i.+1 - 2 ^ k) (minn i (2 ^ k).-1).
Proof.
elim: k i => [|k IH] i; first by rewrite expn0 minn0 subn1.
have p : (0 < 2 ^ k)%N by rewrite expn_gt0.
have -> : scan_rounds k.+1 f i =
  if (2 ^ k <= i)%N then after (scan_rounds k f i) (scan_rounds k f (i - 2 ^ k)%N) else scan_rounds k f i by [].
rewrite expnS mul2n -addnn; move: (2 ^ k)%N p IH => [//|n] _ IH; rewrite !IH {IH} addSn addnS !succnK.
case: (leqP n.+1 i) => le.
- case: (boolP (n + n < i)%N) => far.
  + have -> : minn i (n + n).+1 = (n + n.+1)%N by lia.
    have -> : minn (i - n.+1) n = n by lia.
    by rewrite composite_cut; congr after; congr composite; lia.
  + have -> : (i.+1 - (n + n).+2)%N = 0%N by lia.
    have -> : minn i (n + n).+1 = (i - n.+1 + n.+1)%N by lia.
    by rewrite composite_cut; congr after; congr composite; lia.
- by congr composite; lia.
Qed.

(** If false: after ceil(log2 n) rounds some boundary state would lack a chunk, or hold one twice.
    Test: properties/chunk_size_is_free_test.cpp. *)
Theorem scan_gives_every_prefix k n f i : (n <= 2 ^ k)%N -> (i < n)%N -> scan_rounds k f i = composite f 0 i.
Proof.
move=> nk lt; have le := leq_trans lt nk; rewrite scan_rounds_reach.
have -> : (i.+1 - 2 ^ k = 0)%N by apply/eqP; rewrite subn_eq0.
by congr composite; apply/minn_idPl; rewrite -ltnS prednK // expn_gt0.
Qed.

End Scan.
