(* SPDX-License-Identifier: Apache-2.0 *)
(* A table of small cases in whole numbers that both sides are held to: here `run` and `output` of definitions.v are proved to give its
   last two columns, and property_tests/exact/cases_of_proofs_test.cpp reads this very text and wants the same of every form.

     a case        ten lists of integers, arrays row by row: rho (0, 1, or 2 for gamma), dx, dv, before, T, 1 for read before write, 1 for
                   one step a column, 1 for a sentinel, B; windows; q; x; y; w; gamma, (T, dv) each; S_0; the outputs; the exit state
     of_numbers    the sequence with these numbers, given as functions
     run_by, output_by    run and output as sums over lists, which can be evaluated                                                *)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra ssrZ.
From Fwa Require Import definitions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Delimit Scope Z_scope with BinZ.

Section Numbers.
Variables (R : comRingType) (dx dv : nat) (x y w g q : nat -> nat -> R) (b : nat) (B : nat -> nat) (k : residual).

Definition of_numbers : sequence R dx dv :=
  Sequence (fun j => \row_i x j i) (fun j => \row_l y j l) b (fun t => \row_i q t i) (fun t => \row_l w t l) (fun t => \row_l g t l) B k.
Let s := of_numbers.

Definition total (F : nat -> R) l : R := foldr (fun j z => F j + z) 0 l.
Definition factor_by t l : R := match k with Zero => 0 | One => 1 | Gamma => g t l end.
Definition write_by t (S : nat -> nat -> R) i l : R :=
  S i l * g t l
  + total (fun j => x j i * (w t l * (y j l - factor_by t l * total (fun m => x j m * S m l) (iota 0 dx)))) (members s t).
Fixpoint run_by c S : nat -> nat -> R := if c is t.+1 then write_by t (run_by t S) else S.
Definition output_by when t S l : R :=
  total (fun i => q t i * run_by (if when is ReadAfterWrite then t.+1 else t) S i l) (iota 0 dx).

Lemma total_list F l : \sum_(j <- l) F j = total F l.
Proof. by elim: l => [|j l IH]; rewrite ?big_nil // big_cons IH. Qed.

Lemma total_ord n F : \sum_(j < n) F (nat_of_ord j) = total F (iota 0 n).
Proof. by rewrite -total_list -(big_mkord xpredT) /index_iota subn0. Qed.

Lemma run_by_is_run c S (i : 'I_dx) (l : 'I_dv) : run s 0 c (\matrix_(i, l) S (nat_of_ord i) (nat_of_ord l)) i l = run_by c S i l.
Proof.
elim: c i l => [|c IH] i l; first by rewrite mxE.
rewrite /= add0n /write mxE mul_diagE IH /write_by mxE; congr (_ + _).
rewrite summxE -total_list; apply: eq_bigr => j _; rewrite mxE big_ord1 !mxE; congr (_ * (_ * (_ - _ * _))).
  by rewrite /factor /factor_by /=; case: (k); rewrite !mxE.
by rewrite -total_ord; apply: eq_bigr => m _; rewrite mxE IH.
Qed.

Lemma output_by_is_output when t S (l : 'I_dv) :
  output s when 0 t (\matrix_(i, l) S (nat_of_ord i) (nat_of_ord l)) 0 l = output_by when t S l.
Proof.
by rewrite /output_by -total_ord; case: when; rewrite /output add0n mxE; apply: eq_bigr => i _; rewrite mxE run_by_is_run.
Qed.

End Numbers.

Definition table : seq (seq (seq Z)) := ([::
  [:: [:: 1; 2; 2; 0; 3; 0; 0; 0; 1]; [:: 1; 1; 1]; [:: -2; -1; -3; 2; 0; 0]; [:: -2; -3; -3; -3; 0; 1];
      [:: -1; 3; 3; -3; -2; 1]; [:: 2; 2; 1; 1; -1; -1]; [:: 2; 2; 1; 1; 2; 2];
      [:: -2; -3; 3; 2]; [:: 58; 50; -309; -271; 0; 0]; [:: 626; 558; 947; 848]];
  [:: [:: 1; 2; 2; 0; 3; 1; 0; 1; 1]; [:: 0; 1; 1]; [:: 3; -1; 3; -1; -2; -2]; [:: 0; 0; 2; 3; 2; 3];
      [:: 3; -1; -3; 3; 1; -1]; [:: 0; 0; 2; 2; -1; -1]; [:: 1; 1; 1; 1; 1; 1];
      [:: 0; -1; -3; 3]; [:: 3; -6; 3; -6; -114; 76]; [:: 316; -209; 471; -309]];
  [:: [:: 1; 2; 2; 0; 3; 0; 1; 0; 1]; [:: 1; 1; 1]; [:: 3; 1; 3; -1; -3; -1]; [:: 1; 2; -1; 3; 3; 1];
      [:: -2; 0; 0; 1; -1; 0]; [:: 1; -1; 1; -1; 1; 2]; [:: 1; 1; -1; -1; 2; 2];
      [:: 2; 0; 2; -1]; [:: -32; -11; -212; 85; 266; 198]; [:: -159; -34; 211; -96]];
  [:: [:: 1; 2; 1; 1; 3; 0; 0; 0; 2]; [:: 2; 2; 2]; [:: -2; 2; -2; -3; 0; -2]; [:: 2; 2; 0; -1; -2; -1; 0; 2];
      [:: 1; -1; 2; 1]; [:: -1; -1; 2]; [:: 2; -1; 1];
      [:: -1; 3]; [:: 20; -157; 766]; [:: -408; -383]];
  [:: [:: 1; 2; 2; 0; 3; 0; 0; 1; 2]; [:: 0; 1; 2]; [:: 1; 1; 3; -2; -3; -1]; [:: 0; 0; 0; -3; -3; -1];
      [:: 2; -3; -1; 2; 2; -1]; [:: 0; 0; 1; 1; -1; -1]; [:: 1; 1; 2; 2; 0; 0];
      [:: 3; 3; 1; 2]; [:: 4; 5; 26; 58; -121; 204]; [:: 48; -9; -23; -177]];
  [:: [:: 0; 2; 2; 0; 3; 0; 0; 0; 1]; [:: 1; 1; 1]; [:: 3; -3; -1; 1; -2; 0]; [:: -1; -2; -1; 0; 1; -2];
      [:: -1; 1; -3; -1; -3; 0]; [:: -1; -1; 1; 1; 2; 2]; [:: 2; 2; 2; 2; -1; -1];
      [:: 0; -2; 0; -2]; [:: 3; -3; -5; 1; 14; -10]; [:: -7; 5; 16; 4]];
  [:: [:: 0; 2; 2; 0; 3; 1; 1; 0; 1]; [:: 1; 1; 1]; [:: -3; -3; -3; -3; 2; -2]; [:: 1; 2; -2; 1; -3; 1];
      [:: 0; 1; -2; -1; -3; -3]; [:: 2; 1; -1; -1; 1; 1]; [:: 2; 2; 0; -1; 0; -1];
      [:: -2; 0; 0; -2]; [:: 6; 6; 12; 3; -12; -12]; [:: 9; 12; -3; -6]];
  [:: [:: 0; 2; 2; 1; 3; 0; 0; 0; 2]; [:: 2; 2; 2]; [:: 2; 0; 3; -2; 0; -2]; [:: -3; -3; -1; -1; -2; 1; -2; 3];
      [:: -2; 0; 3; -1; -2; -1; -3; -1]; [:: 2; 2; 2; 2; 2; 2]; [:: -1; -1; 0; 0; -1; -1];
      [:: 0; 0; -3; 0]; [:: 12; 4; 26; 18; 24; 16]; [:: 18; 2; -12; -8]];
  [:: [:: 0; 3; 1; 0; 4; 0; 0; 1; 3]; [:: 0; 1; 2; 3]; [:: -2; 3; 1; -2; -1; -1; 2; 0; 3; 2; -1; 3];
      [:: 0; 0; 0; 2; 3; 2; 3; -1; -1; 0; 0; -3]; [:: 3; -1; 2; 2]; [:: 0; 1; 1; -1]; [:: 1; 1; -1; 0];
      [:: 1; 0; 2]; [:: 0; 5; -2; 17]; [:: -4; 5; 10]];
  [:: [:: 1; 2; 2; 1; 3; 1; 1; 0; 2]; [:: 2; 2; 2]; [:: 0; 0; -2; 3; -3; -2]; [:: -2; -3; 1; -1; -3; 0; 3; 3];
      [:: 3; 0; -2; 1; -3; -2; -2; 2]; [:: 2; 2; 2; -1; -1; 1]; [:: 2; 1; 0; -1; -1; 2];
      [:: 3; -1; 1; 3]; [:: 0; 0; -86; -109; -2726; 347]; [:: 15379; 1896; 8240; 1027]];
  [:: [:: 0; 2; 2; 1; 3; 0; 1; 0; 2]; [:: 2; 2; 2]; [:: -2; -3; -1; -3; 3; 1]; [:: -3; -1; 3; -1; 3; -3; -3; 1];
      [:: 0; 0; -2; 3; -1; 0; -2; 3]; [:: 1; -1; -1; 2; 1; -1]; [:: 0; -1; 2; 1; 0; 2];
      [:: -2; 2; -1; 3]; [:: 6; 22; 6; 11; 10; 54]; [:: 3; 23; 1; -15]];
  [:: [:: 2; 2; 2; 0; 3; 0; 0; 0; 1]; [:: 1; 1; 1]; [:: 0; 0; -3; 3; 1; -2]; [:: -1; 3; -2; -2; 2; -2];
      [:: -1; 0; 3; -1; -1; 1]; [:: -1; -1; -1; -1; -1; -1]; [:: 1; 1; 2; 2; -1; -1];
      [:: 0; 3; 2; 1]; [:: 0; 0; 180; -12; 966; -26]; [:: 122; -54; -422; -14]];
  [:: [:: 2; 2; 2; 1; 3; 1; 1; 0; 2]; [:: 2; 2; 2]; [:: 0; 1; -3; 1; -2; 0]; [:: 3; -1; -1; -2; 3; -2; 3; 2];
      [:: -3; 2; -3; 1; -1; 1; 0; 3]; [:: 2; 2; 2; 1; 1; 2]; [:: 2; 1; 0; -1; 2; 1];
      [:: -2; 0; -3; 1]; [:: -3; 1; -92; -53; 0; -356]; [:: -3; -6206; -222; 2573]]
  ])%BinZ.

Section Case.
Variable c : seq (seq Z).
Definition list_of n := nth [::] c n.
Definition size_of n := Z.to_nat (nth 0%BinZ (list_of 0) n).
Definition dx_of := size_of 1.
Definition dv_of := size_of 2.
Definition tokens_of := size_of 4.
Definition when_of := if size_of 5 is 0%N then ReadAfterWrite else ReadBeforeWrite.
Definition rho_of := match size_of 0 with 0%N => Zero | 1%N => One | _ => Gamma end.
Definition window_of t := Z.to_nat (nth 0%BinZ (list_of 1) t).
Definition entry n columns i j : Z := nth 0%BinZ (list_of n) (i * columns + j).
Definition sequence_of : sequence [comRingType of Z] dx_of dv_of :=
  of_numbers dx_of dv_of (entry 3 dx_of) (entry 4 dv_of) (entry 5 dv_of) (entry 6 dv_of) (entry 2 dx_of) (size_of 3) window_of rho_of.
Definition state_of n : 'M[[comRingType of Z]]_(dx_of, dv_of) := \matrix_(i, l) entry n dv_of i l.

Definition holds : bool :=
  let S := run_by dx_of dv_of (entry 3 dx_of) (entry 4 dv_of) (entry 5 dv_of) (entry 6 dv_of) (entry 2 dx_of) (size_of 3) window_of rho_of
             tokens_of (entry 7 dv_of : nat -> nat -> [comRingType of Z]) in
  let o := output_by dx_of dv_of (entry 3 dx_of) (entry 4 dv_of) (entry 5 dv_of) (entry 6 dv_of) (entry 2 dx_of) (size_of 3) window_of
             rho_of when_of in
  all (fun i => all (fun l => Z.eqb (S i l) (entry 9 dv_of i l)) (iota 0 dv_of)) (iota 0 dx_of)
  && all (fun t => all (fun l => Z.eqb (o t (entry 7 dv_of) l) (entry 8 dv_of t l)) (iota 0 dv_of)) (iota 0 tokens_of).

End Case.

Lemma table_holds : all holds table. Proof. by vm_compute. Qed.

(** If false: these definitions and the compiled code, which is given the same numbers, would not be the same recurrence on the table.
    Test: exact/cases_of_proofs_test.cpp. *)
Theorem table_is_the_recurrence c : List.In c table ->
  run (sequence_of c) 0 (tokens_of c) (state_of c 7) = state_of c 9
  /\ forall t (l : 'I_(dv_of c)), (t < tokens_of c)%N ->
     output (sequence_of c) (when_of c) 0 t (state_of c 7) 0 l = entry c 8 (dv_of c) t l.
Proof.
have all_in : forall l, all holds l -> List.In c l -> holds c.
  by elim=> //= d l IH /andP[hd hl] [<-|/(IH hl)].
move=> /(all_in _ table_holds)/andP[/allP state /allP reads]; split.
  apply/matrixP => i l; rewrite [LHS]run_by_is_run mxE.
  have /state/allP/(_ l) : (nat_of_ord i) \in iota 0 (dx_of c) by rewrite mem_iota add0n ltn_ord.
  by rewrite mem_iota add0n ltn_ord => /(_ isT) /Z.eqb_spec.
move=> t l tT; rewrite [LHS]output_by_is_output.
have /reads/allP/(_ l) : t \in iota 0 (tokens_of c) by rewrite mem_iota add0n.
by rewrite mem_iota add0n ltn_ord => /(_ isT) /Z.eqb_spec.
Qed.
