(* SPDX-License-Identifier: Apache-2.0 *)
(* A sequence that is cut after any token and continued from what the code keeps goes on exactly; the state alone is not enough.

     boundary           last_feature: phi of the last key, not yet written, None where the sequence is fresh; tail: the pairs that a window
                        may still hold, oldest first                                                          (align/pairs.hpp)
     aligned            the pairs of tokens after a boundary: the tail, then shifted x_t = phi(k_{t-1}) or same-step x_t = phi(k_t), y_t = v_t;
                        a fresh shifted sequence has the sentinel: x = 0 at its first token, window 0, eta = 0, gamma = 1
     length             min(B, before + t + 1 - sentinel)                                                   (window_length, step/energy.hpp)
     law                weight and decay of a token from its own numbers and the pairs of its window: normalised or given
     key, value, asked  phi(k_t), v_t, phi(q_t); shift n: the tokens from n on; pair_at, window_pairs: the rows that a window sees
     with_ones, z_after the sequence with a value column of ones, and z_t = gamma z + w sum of x
     leave              the boundary after n tokens: the last feature, the last min(B - 1, before + n - sentinel) pairs                     *)
From mathcomp Require Import all_ssreflect all_algebra zify.
From Fwa Require Import definitions forms_agree chunk_size_is_free.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Continuation.
Variables (R : comRingType) (dx dv : nat) (B : nat) (shifted : bool) (k : residual).
Hypothesis B_positive : (0 < B)%N.
Notation pair := ('rV[R]_dx * 'rV[R]_dv)%type.

Record boundary := Boundary { last_feature : option 'rV[R]_dx; tail : seq pair }.

(* Tokens: phi(k_t), v_t, phi(q_t), and the law of their steps. *)
Record tokens := Tokens {
  key : nat -> 'rV[R]_dx;
  value : nat -> 'rV[R]_dv;
  asked : nat -> 'rV[R]_dx;
  law : nat -> seq pair -> 'rV[R]_dv * 'rV[R]_dv
}.
Definition shift n (i : tokens) :=
  Tokens (fun t => key i (n + t)) (fun t => value i (n + t)) (fun t => asked i (n + t)) (fun t => law i (n + t)).

Definition sentinel e := shifted && ~~ isSome (last_feature e).
Definition pair_at e i j : pair :=
  if (j < size (tail e))%N then nth (0, 0) (tail e) j
  else let t := (j - size (tail e))%N in
       (if shifted then (if t is t'.+1 then key i t' else odflt 0 (last_feature e)) else key i t, value i t).
Definition length e t := minn B (size (tail e) + t.+1 - sentinel e).
Definition window_pairs e i t : seq pair :=
  [seq pair_at e i j | j <- index_iota ((size (tail e) + t).+1 - length e t) (size (tail e) + t).+1].
Definition lawful e i t := if sentinel e && (t == 0)%N then (0, uniform dv 1) else law i t (window_pairs e i t).

Definition aligned e i : sequence R dx dv :=
  Sequence (fun j => (pair_at e i j).1) (fun j => (pair_at e i j).2) (size (tail e)) (asked i) (fun t => (lawful e i t).1)
           (fun t => (lawful e i t).2) (length e) k.

Definition leave e i n :=
  let kept := minn B.-1 (size (tail e) + n - sentinel e) in
  Boundary (Some (key i n.-1)) [seq pair_at e i j | j <- iota (size (tail e) + n - kept) kept].

Section Cut.
Variables (e : boundary) (i : tokens) (n : nat).
Hypothesis some_tokens : (0 < n)%N.
Let e' := leave e i n.
Let i' := shift n i.
Let offset := (size (tail e) + n - size (tail e'))%N.

Lemma kept_size : size (tail e') = minn B.-1 (size (tail e) + n - sentinel e).
Proof. by rewrite /e' /leave size_map size_iota. Qed.

Lemma kept_le : (size (tail e') <= size (tail e) + n)%N.
Proof. by rewrite kept_size; lia. Qed.

Lemma no_sentinel : sentinel e' = false.
Proof. by rewrite /sentinel /e' /leave /= andbF. Qed.

Lemma pair_shift j : pair_at e' i' j = pair_at e i (offset + j).
Proof.
have := kept_le; rewrite /offset => le; rewrite {1}/pair_at; case: ltnP => jt.
  rewrite {1}/e' /leave (nth_map 0%N) ?size_iota -?kept_size // nth_iota -?kept_size //.
have -> : (size (tail e) + n - size (tail e') + j = size (tail e) + n + (j - size (tail e')))%N by lia.
set t := (j - size (tail e'))%N; rewrite /pair_at ltnNge (_ : (size (tail e) <= size (tail e) + n + t)%N) /=; last by lia.
have -> : (size (tail e) + n + t - size (tail e) = n + t)%N by lia.
case: shifted => //; case: t => [|t]; last by rewrite addnS.
by rewrite addn0; case: n some_tokens.
Qed.

Lemma length_shift t : length e' t = length e (n + t).
Proof. by rewrite /length no_sentinel kept_size; have := B_positive; lia. Qed.

Lemma window_shift t :
  index_iota ((size (tail e) + (n + t)).+1 - length e (n + t)) (size (tail e) + (n + t)).+1
  = [seq (offset + j)%N | j <- index_iota ((size (tail e') + t).+1 - length e' t) (size (tail e') + t).+1].
Proof.
have := kept_le; rewrite /index_iota -iotaDl length_shift /offset => le.
have : (length e (n + t) <= (size (tail e') + t).+1)%N by rewrite -length_shift /length; lia.
by move=> le2; congr iota; lia.
Qed.

Lemma window_pairs_shift t : window_pairs e' i' t = window_pairs e i (n + t).
Proof.
rewrite /window_pairs window_shift -map_comp; apply: eq_map => j /=.
exact: pair_shift.
Qed.

Lemma lawful_shift t : lawful e' i' t = lawful e i (n + t)%N.
Proof.
rewrite /lawful no_sentinel window_pairs_shift /=; case: n some_tokens => // n' _.
by rewrite addSn andbF.
Qed.

Lemma write_shift t S : write (aligned e' i') t S = write (aligned e i) (n + t)%N S.
Proof.
rewrite /write /members /past /= lawful_shift window_shift big_map; congr (_ + _); apply: eq_bigr => j _.
by rewrite /residual_of /factor /= lawful_shift pair_shift.
Qed.

(** If false: a sequence continued from state, last feature and tail would not leave the state that the whole leaves.
    Test: properties/continuation_test.cpp. *)
Theorem continuation_state m S : run (aligned e i) 0 (n + m) S = run (aligned e' i') 0 m (run (aligned e i) 0 n S).
Proof. by rewrite run_cut add0n; elim: m => //= m ->; rewrite add0n write_shift. Qed.

(** If false: some output after a cut would differ from that of the whole. Test: properties/continuation_test.cpp. *)
Theorem continuation_outputs when t S :
  output (aligned e i) when 0 (n + t) S = output (aligned e' i') when 0 t (run (aligned e i) 0 n S).
Proof. by case: when; rewrite /output !add0n -?addnS continuation_state. Qed.

(** If false: what is kept after two parts would not be what is kept after the whole, and a second cut could go wrong.
    Test: tests/align/pairs_test.cpp. *)
Theorem continuation_boundary m : (0 < m)%N -> leave e' i' m = leave e i (n + m).
Proof.
move=> m0; have E : minn B.-1 (size (tail e') + m - sentinel e') = minn B.-1 (size (tail e) + (n + m) - sentinel e).
  by rewrite no_sentinel kept_size; have := B_positive; case: (sentinel e); lia.
rewrite [RHS]/leave -E [LHS]/leave; set kept := minn _ _.
congr (Boundary (Some _) _); first by rewrite /=; congr (key i _); lia.
have -> : iota (size (tail e) + (n + m) - kept) kept = [seq (offset + j)%N | j <- iota (size (tail e') + m - kept) kept].
  rewrite -iotaDl; congr iota; have := kept_le; have : (kept <= size (tail e') + m)%N by rewrite /kept; lia.
  by rewrite /offset; lia.
by rewrite -map_comp; apply: eq_map => j /=; rewrite -pair_shift.
Qed.

End Cut.

(** If false: at a fresh shifted sequence's first token, with eta = 0 and gamma = 1, a given state would change, or not be read.
    Test: tests/step/schedule_test.cpp. *)
Theorem sentinel_keeps_the_state e i S when : sentinel e -> run (aligned e i) 0 1 S = S /\ output (aligned e i) when 0 0 S = asked i 0 *m S.
Proof.
move=> se; have E : run (aligned e i) 0 1 S = S.
  rewrite /= /write /= /lawful se /= diag_uniform mulmx1 big1 ?addr0 // => j _.
  by rewrite hadamard0l mulmx0.
by split=> //; case: when; rewrite /output ?E /= ?addn0.
Qed.

(** If false: x = 0 alone would do: with another decay than 1 the state of a token that writes nothing is scaled all the same.
    Test: properties/reductions_test.cpp. *)
Theorem without_the_sentinel_the_ridge_acts (s : sequence R dx dv) t S :
  (forall j, j \in members s t -> feature s j = 0) -> write s t S = S *m diag_mx (decay s t).
Proof.
by move=> z; rewrite /write big_seq big1 ?addr0 // => j jm; rewrite z // trmx0 mul0mx.
Qed.

End Continuation.

(* The normaliser is one more value column, with targets 1: its state is z. *)
Section Normaliser.
Variables (R : comRingType) (dx dv : nat) (s : sequence R dx dv) (g w : nat -> R).
Hypothesis zero : rho s = Zero.
Hypothesis decay_is : forall t, decay s t = uniform dv (g t).
Hypothesis weight_is : forall t, weight s t = uniform dv (w t).

Definition with_ones : sequence R dx (dv + 1) :=
  one_step (feature s) (fun j => row_mx (target s j) (uniform 1 1)) (before s) (query s) w g (window s) Zero.

Fixpoint z_after c (z : 'cV[R]_dx) : 'cV[R]_dx :=
  if c is t.+1 then g t *: z_after t z + w t *: \sum_(j <- members s t) (feature s j)^T else z.

(** If false: the extra column would not be z_t = gamma z + w sum of x, or the other columns would not be S; so S alone would not
    continue a normalised read, and (S, z) would not either. Test: tests/form/read_test.cpp. *)
Theorem normaliser_is_a_column c S z : run with_ones 0 c (row_mx S z) = row_mx (run s 0 c S) (z_after c z).
Proof.
elim: c => //= c ->; rewrite !add0n /write /= diag_uniform mul_mx_scalar scale_row_mx.
have E n (r : 'rV[R]_n) (x : 'cV[R]_dx) a : x *m (uniform n a .* r) = a *: (x *m r) by rewrite hadamard_uniform scalemxAr.
rewrite decay_is weight_is diag_uniform mul_mx_scalar -add_row_mx; congr (_ + _).
have -> : members with_ones c = members s c by [].
transitivity (\sum_(j <- members s c) row_mx ((feature s j)^T *m (uniform dv (w c) .* target s j)) (w c *: (feature s j)^T)).
  apply: eq_bigr => j _; rewrite E /residual_of /factor /= hadamard0l subr0 mul_mx_row scale_row_mx E; congr row_mx.
  by congr (_ *: _); apply/colP => l; rewrite !mxE big_ord1 !mxE mulr1.
elim: (members s c) => [|j l IH]; first by rewrite !big_nil scaler0 row_mx0.
rewrite !big_cons IH add_row_mx scalerDr; congr (row_mx (_ + _) _).
by rewrite /residual_of /factor zero hadamard0l subr0.
Qed.

End Normaliser.

(* S alone: two pasts with the same state and last feature, B = 2, and one more token of Falcon-3A with eta = gamma = 1. *)
Section StateAlone.
Let one : 'M[rat]_1 := uniform 1 1.
Let half : nat -> seq ('rV[rat]_1 * 'rV[rat]_1) -> 'rV[rat]_1 * 'rV[rat]_1 := fun _ I => (uniform 1 (size I)%:R^-1, one).
Let input := Tokens (fun=> one) (fun=> one) (fun=> one) half.
Let long : boundary [comRingType of rat] 1 1 := Boundary (Some one) [:: (one, uniform 1 3%:R)].
Let short : boundary [comRingType of rat] 1 1 := Boundary (Some one) [::].

(** If false: state and last feature without the tail would be enough to continue a window. From S = 0 the tail makes the next
    state 2, its absence makes it 1. Test: properties/continuation_test.cpp. *)
Theorem state_alone_does_not_continue :
  run (aligned 2 true Zero long input) 0 1 0 = uniform 1 2%:R /\ run (aligned 2 true Zero short input) 0 1 0 = uniform 1 1.
Proof.
split; apply/matrixP => a b; rewrite !ord1 /= /write /members /past /index_iota /= /lawful /window_pairs /index_iota /= ?big_cons ?big_nil
  /pair_at /= !(mxE, big_ord1); by apply/eqP; vm_compute.
Qed.

End StateAlone.
