(* SPDX-License-Identifier: Apache-2.0 *)
(* Rounding, for every size d.

     standard_model rnd u    rnd x = x (1 + delta) with |delta| <= u, for every x: no overflow, no underflow. Rounding to nearest with
                             p digits and an unbounded exponent is such (nearest_is_standard)
     g n                     (1 + u)^n - 1, at most n u / (1 - n u)
     tree                    the products x_l s_l of a dot product, added in any order; computed, exact, absolute: its rounded value, its
                             value, the sum of |x_l| |s_l|; leaves: their number d
     accurate n a h A        |h - a| <= g n A and |a| <= A: h is a up to n roundings of terms of absolute sum A
     prefix l n              the rounded sum of log gamma over n tokens, in their order
     plain_carry, stable_carry, floored     the two formulas of step/gain.hpp as they are rounded, and the floor
     in_range fexp           0 < gamma <= 1 after the floor, in the format fexp, for all inputs that are legal
     step                    one entry of one write of one pair as form/recurrent.hpp computes it:
                             fl(fl(gamma s) + fl(fl(w x_i) fl(y - computed)))                                                     *)
From Coq Require Import Reals Lra Lia ZArith.
From Flocq Require Import Core Relative.
Open Scope R_scope.

Section StandardModel.
Variables (rnd : R -> R) (u : R).
Hypothesis u_range : 0 <= u.
Definition standard_model := forall x, exists delta, Rabs delta <= u /\ rnd x = x * (1 + delta).
Hypothesis model : standard_model.

Definition g (n : nat) := (1 + u) ^ n - 1.

Lemma pow_ge1 n : 1 <= (1 + u) ^ n.
Proof. apply pow_R1_Rle; lra. Qed.

Lemma g_mono m n : (m <= n)%nat -> g m <= g n.
Proof. intros; unfold g; assert ((1 + u) ^ m <= (1 + u) ^ n) by (apply Rle_pow; [lra|assumption]); lra. Qed.

(** If false: the bounds would not be those of the usual constant n u / (1 - n u). Test: none. *)
Theorem g_le_gam n : INR n * u < 1 -> g n <= INR n * u / (1 - INR n * u).
Proof.
intros small.
assert (B : forall k, (k <= n)%nat -> (1 + u) ^ k * (1 - INR k * u) <= 1).
{ induction k as [|k IH]; intros le; [simpl; lra|].
  assert (le' : (k <= n)%nat) by lia. specialize (IH le'). pose proof (pow_ge1 k) as P. pose proof (pos_INR k) as K.
  rewrite S_INR; simpl.
  assert (0 <= (1 + u) ^ k * (u * (INR k * u) + u * u)) by (apply Rmult_le_pos; [lra|]; assert (0 <= INR k * u) by (apply Rmult_le_pos; lra);
    assert (0 <= u * (INR k * u)) by (apply Rmult_le_pos; lra); assert (0 <= u * u) by (apply Rmult_le_pos; lra); lra).
  replace ((1 + u) * (1 + u) ^ k * (1 - (INR k + 1) * u)) with ((1 + u) ^ k * (1 - INR k * u) - (1 + u) ^ k * (u * (INR k * u) + u * u)) by ring.
  lra. }
specialize (B n (Nat.le_refl n)). unfold g.
apply Rmult_le_reg_r with (1 - INR n * u); [lra|].
unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra.
Qed.

(* h is a up to n roundings of terms of absolute sum A. *)
Definition accurate n a h A := Rabs (h - a) <= g n * A /\ Rabs a <= A.

Lemma accurate_self a : accurate 0 a a (Rabs a).
Proof. split; [unfold Rminus; rewrite Rplus_opp_r, Rabs_R0; unfold g; simpl; lra|lra]. Qed.

Lemma accurate_weaken m n a h A : (m <= n)%nat -> accurate m a h A -> accurate n a h A.
Proof.
intros le [H1 H2]; split; [|assumption]. apply Rle_trans with (1 := H1).
apply Rmult_le_compat_r; [apply Rle_trans with (2 := H2); apply Rabs_pos|apply g_mono; assumption].
Qed.

Lemma accurate_times n a h A delta : Rabs delta <= u -> accurate n a h A -> accurate (S n) a (h * (1 + delta)) A.
Proof.
intros Hd [H1 H2]; split; [|assumption].
replace (h * (1 + delta) - a) with ((h - a) * (1 + delta) + a * delta) by ring.
apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult.
assert (D : Rabs (1 + delta) <= 1 + u).
{ apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_R1; lra. }
assert (Rabs (h - a) * Rabs (1 + delta) <= g n * A * (1 + u)) by (apply Rmult_le_compat; try apply Rabs_pos; assumption).
assert (Rabs a * Rabs delta <= A * u) by (apply Rmult_le_compat; try apply Rabs_pos; assumption).
unfold g in *; simpl. replace (((1 + u) * (1 + u) ^ n - 1) * A) with (((1 + u) ^ n - 1) * A * (1 + u) + A * u) by ring. lra.
Qed.

Lemma accurate_rnd n a h A : accurate n a h A -> accurate (S n) a (rnd h) A.
Proof. intros H; destruct (model h) as [delta [Hd ->]]; apply accurate_times; assumption. Qed.

Lemma accurate_mult m n a b h k A B : accurate m a h A -> accurate n b k B -> accurate (m + n) (a * b) (h * k) (A * B).
Proof.
intros [H1 H2] [K1 K2].
assert (0 <= A) by (apply Rle_trans with (2 := H2); apply Rabs_pos).
assert (0 <= B) by (apply Rle_trans with (2 := K2); apply Rabs_pos).
split; [|rewrite Rabs_mult; apply Rmult_le_compat; try apply Rabs_pos; assumption].
replace (h * k - a * b) with ((h - a) * (k - b) + (h - a) * b + a * (k - b)) by ring.
assert (T : Rabs ((h - a) * (k - b) + (h - a) * b + a * (k - b)) <= Rabs ((h - a) * (k - b)) + Rabs ((h - a) * b) + Rabs (a * (k - b))).
{ apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat_r, Rabs_triang. }
apply Rle_trans with (1 := T). rewrite !Rabs_mult.
assert (Rabs (h - a) * Rabs (k - b) <= (g m * A) * (g n * B)) by (apply Rmult_le_compat; try apply Rabs_pos; assumption).
assert (Rabs (h - a) * Rabs b <= (g m * A) * B) by (apply Rmult_le_compat; try apply Rabs_pos; assumption).
assert (Rabs a * Rabs (k - b) <= A * (g n * B)) by (apply Rmult_le_compat; try apply Rabs_pos; assumption).
replace (g (m + n) * (A * B)) with ((g m * A) * (g n * B) + (g m * A) * B + A * (g n * B)) by (unfold g; rewrite pow_add; ring).
lra.
Qed.

Lemma accurate_plus n a b h k A B : accurate n a h A -> accurate n b k B -> accurate n (a + b) (h + k) (A + B).
Proof.
intros [H1 H2] [K1 K2]; split.
- replace (h + k - (a + b)) with ((h - a) + (k - b)) by ring. apply Rle_trans with (1 := Rabs_triang _ _). lra.
- apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Inductive tree := Leaf (x s : R) | Node (l r : tree).
Fixpoint computed t := match t with Leaf x s => rnd (x * s) | Node l r => rnd (computed l + computed r) end.
Fixpoint exact t := match t with Leaf x s => x * s | Node l r => exact l + exact r end.
Fixpoint absolute t := match t with Leaf x s => Rabs x * Rabs s | Node l r => absolute l + absolute r end.
Fixpoint leaves t := match t with Leaf _ _ => 1%nat | Node l r => (leaves l + leaves r)%nat end.

Lemma leaves_pos t : (1 <= leaves t)%nat.
Proof. induction t; simpl; lia. Qed.

(** If false: a dot product of d terms, added in some order, could err by more than ((1 + u)^d - 1) |x|^T |s|.
    Test: bounds/step_error_is_bounded_test.cpp. *)
Theorem dot_product_error t : accurate (leaves t) (exact t) (computed t) (absolute t).
Proof.
induction t as [x s|l IHl r IHr]; simpl.
- rewrite <- Rabs_mult; apply accurate_rnd, accurate_self.
- pose proof (leaves_pos l); pose proof (leaves_pos r).
  apply accurate_weaken with (S (Nat.max (leaves l) (leaves r))); [lia|].
  apply accurate_rnd, accurate_plus; eapply accurate_weaken; [|exact IHl| |exact IHr]; lia.
Qed.

Definition step gamma s w x y t := rnd (rnd (gamma * s) + rnd (rnd (w * x) * rnd (y - computed t))).

(** If false: one entry of one write could err by more than gam(2) |gamma| |s| + |w| |x_i| (gam(4) |y| + gam(d + 4) |S|^T |x|).
    Test: bounds/step_error_is_bounded_test.cpp. *)
Theorem step_error gamma s w x y t :
  Rabs (step gamma s w x y t - (gamma * s + w * x * (y - exact t)))
  <= g 2 * (Rabs gamma * Rabs s) + Rabs w * Rabs x * (g 4 * Rabs y + g (leaves t + 4) * absolute t).
Proof.
unfold step. set (p := computed t).
destruct (model (y - p)) as [d1 [H1 ->]].
destruct (model (rnd (w * x) * ((y - p) * (1 + d1)))) as [d2 [H2 ->]].
destruct (model (rnd (gamma * s) + rnd (w * x) * ((y - p) * (1 + d1)) * (1 + d2))) as [d3 [H3 ->]].
assert (C : accurate 2 (gamma * s) (rnd (gamma * s) * (1 + d3)) (Rabs (gamma * s))) by (apply accurate_times, accurate_rnd, accurate_self; assumption).
assert (W : accurate 1 (w * x) (rnd (w * x)) (Rabs (w * x))) by (apply accurate_rnd, accurate_self).
assert (Y : accurate 4 (w * x * y) (rnd (w * x) * (y * (1 + d1)) * (1 + d2) * (1 + d3)) (Rabs (w * x) * Rabs y)).
{ apply accurate_times; [assumption|]. apply accurate_times; [assumption|].
  apply (accurate_mult 1 1); [assumption|]. apply accurate_times; [assumption|apply accurate_self]. }
assert (P : accurate (leaves t + 4) (w * x * exact t) (rnd (w * x) * (p * (1 + d1)) * (1 + d2) * (1 + d3)) (Rabs (w * x) * absolute t)).
{ replace (leaves t + 4)%nat with (S (S (1 + S (leaves t))))%nat by lia.
  apply accurate_times; [assumption|]. apply accurate_times; [assumption|].
  apply accurate_mult; [assumption|]. apply accurate_times; [assumption|apply dot_product_error]. }
destruct C as [C _]; destruct Y as [Y _]; destruct P as [P _].
rewrite (Rabs_mult gamma s) in C. rewrite (Rabs_mult w x) in Y, P.
match goal with |- Rabs ?e <= _ =>
  replace e with ((rnd (gamma * s) * (1 + d3) - gamma * s)
    + (rnd (w * x) * (y * (1 + d1)) * (1 + d2) * (1 + d3) - w * x * y)
    - (rnd (w * x) * (p * (1 + d1)) * (1 + d2) * (1 + d3) - w * x * exact t)) by ring end.
match goal with |- Rabs (?a + ?b - ?c) <= _ =>
  assert (Rabs (a + b - c) <= Rabs a + Rabs b + Rabs c) by
    (unfold Rminus; apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rabs_Ropp; apply Rplus_le_compat_r, Rabs_triang) end.
lra.
Qed.

(** If false: the bound with one constant, gam(2) |gamma| |S| + gam(d + 4) |w| |x| (|y| + |S|^T |x|), could be exceeded.
    Test: bounds/step_error_is_bounded_test.cpp. *)
Theorem step_error_one_constant gamma s w x y t :
  Rabs (step gamma s w x y t - (gamma * s + w * x * (y - exact t)))
  <= g 2 * (Rabs gamma * Rabs s) + g (leaves t + 4) * (Rabs w * Rabs x * (Rabs y + absolute t)).
Proof.
apply Rle_trans with (1 := step_error gamma s w x y t). apply Rplus_le_compat_l.
replace (g (leaves t + 4) * (Rabs w * Rabs x * (Rabs y + absolute t)))
  with (Rabs w * Rabs x * (g (leaves t + 4) * Rabs y + g (leaves t + 4) * absolute t)) by ring.
apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Rabs_pos|]. apply Rplus_le_compat_r, Rmult_le_compat_r; [apply Rabs_pos|].
apply g_mono; lia.
Qed.

End StandardModel.

(** If false: rounding to nearest with p binary digits would not be what the bounds assume; u = 2^-p. Test: none. *)
Theorem nearest_is_standard p choice : (0 < p)%Z ->
  standard_model (round radix2 (FLX_exp p) (Znearest choice)) (/ 2 * bpow radix2 (- p + 1)).
Proof. intros Hp x. apply relative_error_N_FLX_ex; exact Hp. Qed.

(* Monotone roundings of any format: decays. *)
Section Decays.
Variables (fexp : Z -> Z) (valid : Valid_exp fexp) (rnd : R -> Z) (valid_rnd : Valid_rnd rnd).
Notation fl := (round radix2 fexp rnd).
Notation format := (generic_format radix2 fexp).

(* log gamma_1 + ... in the order of the tokens *)
Fixpoint prefix (l : nat -> R) n := match n with O => 0 | S m => fl (prefix l m + l m) end.

(** If false: a rounded prefix sum of log gamma could rise, and a quotient of decays exceed 1. Test: none. *)
Theorem prefix_sums_do_not_rise l n : (forall m, l m <= 0) -> prefix l (S n) <= prefix l n.
Proof.
intros Hl. assert (F : format (prefix l n)).
{ destruct n; [apply generic_format_0|simpl; apply generic_format_round; assumption]. }
simpl. rewrite <- (round_generic radix2 fexp rnd (prefix l n) F) at 2.
apply round_le; [assumption|assumption|]. specialize (Hl n); lra.
Qed.

Hypothesis one : format 1.

(* step/gain.hpp: for beta > 1, and for beta <= 1 *)
Definition plain_carry eta lambda := fl (1 - fl (eta * lambda)).
Definition stable_carry beta E lambda epsilon :=
  fl (fl (fl (E + fl (fl (1 - beta) * lambda)) + epsilon) / fl (fl (E + lambda) + epsilon)).
Definition floored carry floor := if Rlt_bool floor carry then carry else floor.

Lemma fl_le x y : x <= y -> fl x <= fl y. Proof. apply round_le; assumption. Qed.
Lemma fl_ge0 x : 0 <= x -> 0 <= fl x. Proof. intros H; rewrite <- (round_0 radix2 fexp rnd); apply fl_le, H. Qed.
Lemma fl_le1 x : x <= 1 -> fl x <= 1. Proof. intros H; rewrite <- (round_generic radix2 fexp rnd 1 one); apply fl_le, H. Qed.

Lemma plain_carry_le1 eta lambda : 0 <= eta -> 0 <= lambda -> plain_carry eta lambda <= 1.
Proof. intros He Hl; apply fl_le1. assert (0 <= fl (eta * lambda)) by (apply fl_ge0, Rmult_le_pos; assumption). lra. Qed.

Lemma stable_carry_le1 beta E lambda epsilon : 0 <= beta <= 1 -> 0 <= E -> 0 <= lambda -> 0 <= epsilon ->
  format lambda -> 0 < fl (fl (E + lambda) + epsilon) -> stable_carry beta E lambda epsilon <= 1.
Proof.
intros Hb HE Hl He Fl Hd. apply fl_le1. apply Rmult_le_reg_r with (1 := Hd).
unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
apply fl_le, Rplus_le_compat_r, fl_le, Rplus_le_compat_l.
rewrite <- (round_generic radix2 fexp rnd lambda Fl) at 2. apply fl_le.
assert (fl (1 - beta) <= 1) by (apply fl_le1; lra).
apply Rle_trans with (1 * lambda); [apply Rmult_le_compat_r; assumption|lra].
Qed.

Lemma floored_range carry floor : 0 < floor <= 1 -> carry <= 1 -> 0 < floored carry floor <= 1.
Proof. intros Hf Hc; unfold floored; destruct (Rlt_bool_spec floor carry); lra. Qed.

End Decays.

Definition binary32_exp := FLT_exp (-149) 24.
Definition binary64_exp := FLT_exp (-1074) 53.

(* The rounded decay of the code, once clamped. *)
Definition in_range fexp := forall beta E lambda epsilon eta floor,
  0 <= beta -> 0 <= E -> 0 <= lambda -> 0 <= epsilon -> 0 <= eta -> generic_format radix2 fexp lambda -> 0 < floor <= 1 ->
  0 < round radix2 fexp ZnearestE (round radix2 fexp ZnearestE (E + lambda) + epsilon) ->
  0 < floored (if Rlt_bool 1 beta then plain_carry fexp ZnearestE eta lambda else stable_carry fexp ZnearestE beta E lambda epsilon) floor <= 1.

Lemma decay_in_range fexp : Valid_exp fexp -> generic_format radix2 fexp 1 -> in_range fexp.
Proof.
intros V one beta E lambda epsilon eta floor Hb HE Hl He Heta Fl Hf Hd.
apply floored_range; [assumption|]. destruct (Rlt_bool_spec 1 beta).
- apply plain_carry_le1; try assumption; apply valid_rnd_N.
- apply stable_carry_le1; try assumption; [apply valid_rnd_N|split; assumption].
Qed.

Lemma one_in_format emin prec : (0 < prec)%Z -> (emin <= 1 - prec)%Z -> generic_format radix2 (FLT_exp emin prec) 1.
Proof.
intros Hp He. change 1 with (bpow radix2 0). apply generic_format_bpow. unfold FLT_exp. lia.
Qed.

(** If false: a clamped decay in binary32 could be 0, or above 1, whatever the gain and the ridge.
    Test: exhaustive/scalars.cpp. *)
Theorem clamped_decay_binary32 : in_range binary32_exp.
Proof. apply decay_in_range; [apply FLT_exp_valid; reflexivity|apply one_in_format; lia]. Qed.

(** If false: a clamped decay in binary64 could be 0, or above 1, whatever the gain and the ridge.
    Test: tests/step/gain_test.cpp. *)
Theorem clamped_decay_binary64 : in_range binary64_exp.
Proof. apply decay_in_range; [apply FLT_exp_valid; reflexivity|apply one_in_format; lia]. Qed.
