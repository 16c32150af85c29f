(* SPDX-License-Identifier: Apache-2.0 *)
(* Lemma 3.1 for every function whose gradient is Lipschitz with constant L, on any real inner product space.

     V, add, scale, ip        the space; sq x = ip x x
     is_gradient f G          along every line S + h D the derivative of f is ip (G (S + h D)) D
     lipschitz L G            |G (S + D) - G (S)|^2 <= L^2 |D|^2                                                                 *)
From Coq Require Import Reals Lra Psatz.
Open Scope R_scope.

Section InnerProductSpace.
Variables (V : Type) (add : V -> V -> V) (scale : R -> V -> V) (ip : V -> V -> R).
Hypothesis ip_sym : forall x y, ip x y = ip y x.
Hypothesis ip_add : forall x y z, ip (add x y) z = ip x z + ip y z.
Hypothesis ip_scale : forall a x y, ip (scale a x) y = a * ip x y.
Hypothesis ip_pos : forall x, 0 <= ip x x.
Hypothesis scale_0 : forall x y, add x (scale 0 y) = x.
Hypothesis scale_1 : forall x, scale 1 x = x.

Definition sq x := ip x x.
Definition minus x y := add x (scale (-1) y).

Lemma cauchy_schwarz x y : ip x y * ip x y <= sq x * sq y.
Proof.
assert (H : forall a b, 0 <= a * a * sq x + 2 * (a * b * ip x y) + b * b * sq y).
{ intros a b. pose proof (ip_pos (add (scale a x) (scale b y))) as P.
  rewrite ip_add, (ip_sym (scale a x) (add _ _)), (ip_sym (scale b y) (add _ _)), !ip_add, !ip_scale in P.
  rewrite (ip_sym x (scale a x)), (ip_sym y (scale a x)), (ip_sym x (scale b y)), (ip_sym y (scale b y)), !ip_scale, (ip_sym y x) in P.
  unfold sq; lra. }
pose proof (ip_pos y) as Y. fold (sq y) in Y. destruct (Req_dec (sq y) 0) as [z|nz].
- pose proof (H (ip x y) (- (sq x + 1) / 2)) as P. rewrite z in *. nra.
- pose proof (H (sq y) (- ip x y)) as P. assert (0 < sq y) by lra.
  apply Rmult_le_reg_l with (sq y); [assumption|]. nra.
Qed.

Variables (f : V -> R) (G : V -> V) (L : R).
Definition is_gradient := forall S D h, derivable_pt_lim (fun t => f (add S (scale t D))) h (ip (G (add S (scale h D))) D).
Definition lipschitz := forall S D, sq (minus (G (add S D)) (G S)) <= L * L * sq D.
Hypothesis L_pos : 0 <= L.

(** If false: a Lipschitz gradient would not give the quadratic upper bound that descent.v calls smooth. Test: none. *)
Theorem lipschitz_gradient_is_smooth : is_gradient -> lipschitz ->
  forall S D, f (add S D) <= f S + ip (G S) D + L / 2 * sq D.
Proof.
intros grad lip S D.
set (h := fun t => f (add S (scale t D)) - (t * ip (G S) D + L / 2 * sq D * (t * t))).
set (h' := fun t => ip (G (add S (scale t D))) D - (ip (G S) D + L * sq D * t)).
assert (der : forall c, 0 <= c <= 1 -> derivable_pt_lim h c (h' c)).
{ intros c _. unfold h, h'. apply (derivable_pt_lim_minus (fun t => f (add S (scale t D)))); [apply grad|].
  replace (ip (G S) D + L * sq D * c) with ((1 * ip (G S) D + c * 0) + (0 * (c * c) + L / 2 * sq D * (1 * c + c * 1))) by field.
  apply (derivable_pt_lim_plus (fun t => t * ip (G S) D) (fun t => L / 2 * sq D * (t * t))).
  - apply (derivable_pt_lim_mult (fun t => t) (fun _ => ip (G S) D)); [apply derivable_pt_lim_id|apply derivable_pt_lim_const].
  - apply (derivable_pt_lim_mult (fun _ => L / 2 * sq D) (fun t => t * t)); [apply derivable_pt_lim_const|].
    apply (derivable_pt_lim_mult (fun t => t) (fun t => t)); apply derivable_pt_lim_id. }
destruct (MVT_cor2 h h' 0 1 Rlt_0_1 der) as [c [E [c0 c1]]].
assert (N : h' c <= 0).
{ unfold h'. pose proof (cauchy_schwarz (minus (G (add S (scale c D))) (G S)) D) as CS.
  pose proof (lip S (scale c D)) as Lip. unfold sq at 2 in Lip. rewrite ip_scale, (ip_sym D), ip_scale in Lip. fold (sq D) in Lip.
  assert (I : ip (minus (G (add S (scale c D))) (G S)) D = ip (G (add S (scale c D))) D - ip (G S) D).
  { unfold minus. rewrite ip_add, ip_scale. lra. }
  rewrite I in CS. pose proof (ip_pos D) as Dp. fold (sq D) in Dp.
  set (x := ip (G (add S (scale c D))) D - ip (G S) D) in *.
  assert (B : x * x <= (L * sq D * c) * (L * sq D * c)).
  { apply Rle_trans with (1 := CS). replace ((L * sq D * c) * (L * sq D * c)) with ((L * L * (c * (c * sq D))) * sq D) by ring.
    apply Rmult_le_compat_r; assumption. }
  assert (0 <= L * sq D * c) by (repeat apply Rmult_le_pos; lra).
  assert (x <= L * sq D * c) by (apply Rsqr_incr_0_var; [exact B|assumption]).
  unfold x in *; lra. }
assert (h 1 <= h 0) by lra. unfold h in *. rewrite scale_0, scale_1 in *. lra.
Qed.

(** If false: a gradient step with 0 < eta < 2 / L could go down by less than eta (2 - eta L) / 2 |grad|^2. Test: exact/descent_test.cpp. *)
Theorem lemma_3_1 : is_gradient -> lipschitz -> forall S eta, 0 < eta -> eta * L < 2 ->
  f (add S (scale (- eta) (G S))) <= f S - eta * (2 - eta * L) / 2 * sq (G S).
Proof.
intros grad lip S eta e0 eL. apply Rle_trans with (1 := lipschitz_gradient_is_smooth grad lip S _).
unfold sq. rewrite (ip_sym (G S) (scale _ _)), !ip_scale, (ip_sym (G S) (scale _ _)), ip_scale. right; field.
Qed.

End InnerProductSpace.

(** If false: lemma_3_1 could be true of no function: x^2 / 2 on the real line has the gradient x and L = 1. Test: none. *)
Theorem half_of_the_square :
  is_gradient R Rplus Rmult Rmult (fun x => x * x / 2) (fun x => x) /\ lipschitz R Rplus Rmult Rmult (fun x => x) 1.
Proof.
split; intros S D; [intros h|unfold sq, minus; nra].
set (d := 0 + (1 * D + h * 0)).
replace ((S + h * D) * D) with ((d * (S + h * D) + (S + h * D) * d) * / 2 + (S + h * D) * (S + h * D) * 0) by (unfold d; field).
apply (derivable_pt_lim_mult (fun t => (S + t * D) * (S + t * D)) (fun _ => / 2)); [|apply derivable_pt_lim_const].
assert (line : derivable_pt_lim (fun t => S + t * D) h d).
{ apply (derivable_pt_lim_plus (fun _ => S) (fun t => t * D)); [apply derivable_pt_lim_const|].
  apply (derivable_pt_lim_mult (fun t => t) (fun _ => D)); [apply derivable_pt_lim_id|apply derivable_pt_lim_const]. }
apply (derivable_pt_lim_mult (fun t => S + t * D) (fun t => S + t * D)); exact line.
Qed.
