(* SPDX-License-Identifier: Apache-2.0 *)
(* The paper's own algebra (form/paper/wy.hpp, renormalise.hpp, tensor_inverse.hpp) where it is defined: in exact arithmetic, gamma
   not 0.

     rows c v           the matrix of rows v_0, ..., v_{c-1}
     strictly_lower, lower reach      entries (i, j) with j < i, with j < i + reach; 0 elsewhere
     wy_L               I + tril(U U^T, -1)
     factors c          (I - u_{c-1}^T u_{c-1}) ... (I - u_0^T u_0)
     delta c S          c steps S + u^T (f - u S) without decay; innovation S t: f_t - u_t S_t of them
     inverse a          the row of 1 / a_k
     renormalised       the recurrence of S^ = S / c_t: weights over gamma, targets over c_{t-1}, or as they are
     no_zero_decay      none of the decays of the block is 0
     driven_state       S + sum of x_j^T ((w / gamma) .* Z_{t,j}); tensor_unknowns: y_j / c_{t-1} - x_j S^_{t-1}
     is_tensor_solution Z solves the paper's block system, pairs of one token not seeing each other
     two_steps          two steps of one number: x = y = 1, w = gamma = 1/2                                                        *)
From mathcomp Require Import all_ssreflect all_algebra.
From Fwa Require Import definitions forms_agree chunk_size_is_free.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

(* Compact WY, latest factor leftmost. u_t are the rows of U, f_t those of F. *)
Section WY.
Variables (R : comUnitRingType) (n m : nat) (u : nat -> 'rV[R]_n) (f : nat -> 'rV[R]_m).
Implicit Types (S : 'M[R]_(n, m)).

Definition rows k c (v : nat -> 'rV[R]_k) : 'M[R]_(c, k) := \matrix_(i < c) v i.
Definition strictly_lower c (A : 'M[R]_c) : 'M[R]_c := \matrix_(i, j) if (j < i)%N then A i j else 0.
Definition lower reach c k (A : 'M[R]_(c, k)) : 'M[R]_(c, k) := \matrix_(i, j) if (j < i + reach)%N then A i j else 0.
Definition wy_L c : 'M[R]_c := 1%:M + strictly_lower (rows c u *m (rows c u)^T).

(* (I - u_{c-1}^T u_{c-1}) ... (I - u_0^T u_0) *)
Fixpoint factors c : 'M[R]_n := if c is c'.+1 then (1%:M - (u c')^T *m u c') *m factors c' else 1%:M.

(* Steps without decay: S + u^T (f - u S). *)
Fixpoint delta c S : 'M[R]_(n, m) :=
  if c is c'.+1 then let S' := delta c' S in S' + (u c')^T *m (f c' - u c' *m S') else S.

Lemma row_rows k c (v : nat -> 'rV[R]_k) (i : 'I_c) : row i (rows c v) = v i. Proof. exact: rowK. Qed.

Lemma wy_L_unit c : wy_L c \in unitmx.
Proof.
rewrite unitmxE det_trig.
  by rewrite big1 ?unitr1 // => i _; rewrite !mxE eqxx ltnn addr0.
apply/is_trig_mxP => i j lt; rewrite !mxE ltnNge (ltnW lt) /= addr0.
by case: eqP lt => // ->; rewrite ltnn.
Qed.

Definition innovation S t := f t - u t *m delta t S.

Lemma delta_sum c S : delta c S = S + \sum_(i < c) (u i)^T *m innovation S i.
Proof. by elim: c => [|c IH]; rewrite ?big_ord0 ?addr0 // big_ord_recr /= addrA -IH. Qed.

Lemma rowsT_mul c (v : nat -> 'rV[R]_m) : (rows c u)^T *m rows c v = \sum_(i < c) (u i)^T *m v i.
Proof.
apply/matrixP => i j; rewrite mxE summxE; apply: eq_bigr => k _.
by rewrite !mxE big_ord1 !mxE.
Qed.

Lemma innovations_solve c S : wy_L c *m rows c (innovation S) = rows c f - rows c u *m S.
Proof.
apply/row_matrixP => i; rewrite mulmxDl mul1mx !linearD /= !row_rows linearN /= !row_mul row_rows.
suff -> : row i (strictly_lower (rows c u *m (rows c u)^T)) *m rows c (innovation S)
    = u i *m (\sum_(j < i) (u j)^T *m innovation S j).
  by rewrite {1}/innovation delta_sum mulmxDr opprD addrA subrK.
rewrite mulmx_sumr; apply/rowP => k; rewrite mxE.
rewrite [RHS]summxE (bigID (fun j : 'I_c => (j < i)%N)) /= [X in _ + X]big1 => [|j]; last first.
  by move/negbTE => ge; rewrite !mxE ge mul0r.
rewrite addr0.
rewrite (big_ord_widen c (fun j => (u i *m ((u j)^T *m innovation S j)) 0 k)) ?(ltnW (ltn_ord i)) //.
by apply: eq_bigr => j lt; rewrite mulmx_dot !mxE lt dotE; congr (_ * _); apply: eq_bigr => l _; rewrite !mxE.
Qed.

(** If false: one solve of L would not give what the steps of a chunk do to its entry state.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem wy_chunk_is_the_steps c S : delta c S = S + (rows c u)^T *m (invmx (wy_L c) *m (rows c f - rows c u *m S)).
Proof. by rewrite -innovations_solve mulKmx ?wy_L_unit // rowsT_mul delta_sum. Qed.

(** If false: O = Q S + tril(Q U^T) B, with or without the diagonal, would not be the outputs.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem wy_outputs when (q : nat -> 'rV[R]_n) c S (t : 'I_c) :
  let reach := if when is ReadAfterWrite then 1%N else 0%N in
  q t *m delta (t + reach) S
  = row t (rows c q *m S + lower reach (rows c q *m (rows c u)^T) *m (invmx (wy_L c) *m (rows c f - rows c u *m S))).
Proof.
move=> reach; rewrite -innovations_solve mulKmx ?wy_L_unit // linearD /= !row_mul row_rows delta_sum mulmxDr; congr (_ + _).
have le : (t + reach <= c)%N by rewrite /reach; case: (when); rewrite ?addn1 ?addn0 // ltnW.
rewrite mulmx_sumr; apply/rowP => k; rewrite mxE summxE.
rewrite (bigID (fun j : 'I_c => (j < t + reach)%N)) /= [X in _ + X]big1 => [|j]; last first.
  by move/negbTE => ge; rewrite !mxE ge mul0r.
rewrite addr0 (big_ord_widen c (fun j => (q t *m ((u j)^T *m innovation S j)) 0 k)) //.
by apply: eq_bigr => j lt; rewrite mulmx_dot !mxE lt dotE; congr (_ * _); apply: eq_bigr => l _; rewrite !mxE.
Qed.

(** If false: one merged solve would not equal two, one for the values and one for the keys. Test: none. *)
Theorem merged_solve_is_two c S :
  invmx (wy_L c) *m (rows c f - rows c u *m S) = invmx (wy_L c) *m rows c f - (invmx (wy_L c) *m rows c u) *m S.
Proof. by rewrite mulmxBr mulmxA. Qed.

End WY.

(** If false: the product of a chunk's factors, latest leftmost, would not be I - U^T L^-1 U. Test: none. *)
Theorem wy_product (R : comUnitRingType) n (u : nat -> 'rV[R]_n) c :
  factors u c = 1%:M - (rows c u)^T *m invmx (wy_L u c) *m rows c u.
Proof.
have -> : factors u c = delta u (fun=> 0 : 'rV[R]_n) c 1%:M.
  by elim: c => //= c ->; rewrite mulmxBl mul1mx sub0r mulmxN mulmxA.
rewrite wy_chunk_is_the_steps mulmx1.
have -> : rows c (fun=> 0 : 'rV[R]_n) = 0 by apply/row_matrixP => i; rewrite row_rows row0.
by rewrite sub0r !mulmxN mulmxA.
Qed.

(* The change of variables that takes the decay out of a chunk. *)
Section Renormalise.
Variables (R : fieldType) (dx dv : nat) (s : sequence R dx dv).
Implicit Types (S : 'M[R]_(dx, dv)).

Definition inverse n (a : 'rV[R]_n) : 'rV[R]_n := \row_k (a 0 k)^-1.

(* What is divided by c_{t-1}: every target of the step, or none. *)
Fixpoint renormalised targets_too a c S : 'M[R]_(dx, dv) :=
  if c is c'.+1 then
    let S' := renormalised targets_too a c' S in
    let y j := if targets_too then inverse (carry s a c') .* target s j else target s j in
    S' + \sum_(j <- members s (a + c'))
           (feature s j)^T *m ((inverse (decay s (a + c')) .* weight s (a + c')) .* (y j - feature s j *m S'))
  else S.

Definition no_zero_decay a c := forall t k, (t < c)%N -> decay s (a + t) 0 k != 0.

Lemma carry_not_zero a c k : no_zero_decay a c -> carry s a c 0 k != 0.
Proof.
elim: c => [|c IH] nz /=; first by rewrite mxE oner_eq0.
by rewrite mxE mulf_neq0 ?nz // IH // => t l tc; apply: nz; rewrite ltnS ltnW.
Qed.

(** If false: dividing eta by gamma and every target by c_{t-1} would not undo the decay, per token or per column.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem renormalisation_is_exact a c S : rho s = One -> no_zero_decay a c ->
  run s a c S = renormalised true a c S *m diag_mx (carry s a c).
Proof.
move=> one; elim: c => [|c IH] nz /=; first by rewrite diag_uniform mulmx1.
have nz' : no_zero_decay a c by move=> t k tc; apply: nz; rewrite ltnS ltnW.
rewrite IH // /write; set S' := renormalised _ _ _ _; set C := carry s a c; set g := decay s (a + c).
rewrite mulmxDl [g .* C]hadamardC diag_hadamard mulmxA; congr (_ + _); rewrite mulmx_suml; apply: eq_bigr => j _.
rewrite -mulmxA -diag_hadamard -hadamard_diag; congr (_ *m _).
rewrite /residual_of /factor one mulmxA; apply/rowP => k.
rewrite mul_mx_diag !mxE mul1r; set z := (\sum_l _); set w := weight s _ 0 k; set y := target s j 0 k.
have g0 : g 0 k != 0 by apply: nz.
have C0 : C 0 k != 0 by apply: carry_not_zero.
rewrite -[_ * w * _]mulrA [C 0 k * g 0 k]mulrC -mulrA [X in g 0 k * X]mulrCA mulVKf // [RHS]mulrCA; congr (_ * _).
by rewrite mulrBr mulVKf // [z * _]mulrC.
Qed.

(** If false: o_t = c_t .* (q_t S^_t), read before write c_{t-1} .* (q_t S^_{t-1}), would not be the output.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem renormalised_read when a t S : rho s = One -> no_zero_decay a t.+1 ->
  output s when a t S =
  let c := if when is ReadAfterWrite then t.+1 else t in carry s a c .* (query s (a + t) *m renormalised true a c S).
Proof.
move=> one nz; case: when; rewrite /output (renormalisation_is_exact _ one) ?hadamard_diag ?mulmxA //.
by move=> i k it; apply: nz; rewrite ltnS ltnW.
Qed.

(* tensorInv: the unknowns Z of a chunk, A_t = eta^_t / B_t X_t, pairs of one token do not see each other. *)
Definition driven_state a c (Z : nat -> nat -> 'rV[R]_dv) S :=
  S + \sum_(t < c) \sum_(j <- members s (a + t))
        (feature s j)^T *m ((inverse (decay s (a + t)) .* weight s (a + t)) .* Z t j).

Definition is_tensor_solution a c S (Z : nat -> nat -> 'rV[R]_dv) :=
  forall t j, (t < c)%N -> j \in members s (a + t) ->
  Z t j + \sum_(i < t) \sum_(k <- members s (a + i))
            dot (feature s j) (feature s k) *: ((inverse (decay s (a + i)) .* weight s (a + i)) .* Z i k)
  = inverse (carry s a t) .* target s j - feature s j *m S.

Lemma read_driven a c Z S (x : 'rV[R]_dx) :
  x *m driven_state a c Z S = x *m S + \sum_(t < c) \sum_(j <- members s (a + t))
    dot x (feature s j) *: ((inverse (decay s (a + t)) .* weight s (a + t)) .* Z t j).
Proof.
rewrite mulmxDr; congr (_ + _); rewrite mulmx_sumr; apply: eq_bigr => t _; rewrite mulmx_sumr.
by apply: eq_bigr => j _; rewrite mulmx_dot.
Qed.

Lemma tensor_state a c Z S : is_tensor_solution a c S Z -> driven_state a c Z S = renormalised true a c S.
Proof.
elim: c => [|c IH] sol; first by rewrite /driven_state big_ord0 addr0.
have E : driven_state a c Z S = renormalised true a c S by apply: IH => t j tc; apply: sol; rewrite ltnS ltnW.
rewrite /driven_state big_ord_recr /= addrA -/(driven_state a c Z S) E; congr (_ + _).
apply: eq_big_seq => j jm; congr (_ *m (_ .* _)).
move/(canRL (addrK _)): (sol c j (ltnSn c) jm) => ->.
by rewrite -E read_driven opprD addrA.
Qed.

(** If false: the paper's windowed chunk form, rank-B drivers in renormalised variables, would not leave the recurrent state.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem tensor_inverse_is_recurrent a c S Z : rho s = One -> no_zero_decay a c -> is_tensor_solution a c S Z ->
  run s a c S = driven_state a c Z S *m diag_mx (carry s a c).
Proof. by move=> one nz sol; rewrite renormalisation_is_exact // (tensor_state sol). Qed.

Definition tensor_unknowns a S t j := inverse (carry s a t) .* target s j - feature s j *m renormalised true a t S.

(** If false: the system of the paper's windowed chunk form would have no solution to find.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem tensor_system_has_a_solution a c S : is_tensor_solution a c S (tensor_unknowns a S).
Proof.
have E t : renormalised true a t S = driven_state a t (tensor_unknowns a S) S.
  elim: t => [|t IH] /=; first by rewrite /driven_state big_ord0 addr0.
  by rewrite {1}IH /driven_state big_ord_recr /= addrA.
by move=> t j _ _; rewrite {1}/tensor_unknowns E read_driven opprD addrA subrK.
Qed.

End Renormalise.

Section WYOfRule.
Variables (R : fieldType) (dx dv : nat).
Variables (x : nat -> 'rV[R]_dx) (y : nat -> 'rV[R]_dv) (b : nat) (q : nat -> 'rV[R]_dx) (w g sigma : nat -> R).
Let s := one_step x y b q w g (fun=> 1%N) One.

(** If false: WY on U = sigma X and targets y / c, with sigma^2 = w / gamma, would not be Falcon-1 with decay.
    Test: exact/forms_agree_over_fractions_test.cpp. *)
Theorem wy_is_recurrent a c (S : 'M[R]_(dx, dv)) :
  (forall t, (t < c)%N -> g (a + t) != 0) -> (forall t, (t < c)%N -> sigma (a + t) ^+ 2 = w (a + t) / g (a + t)) ->
  let u t := sigma (a + t) *: x (b + (a + t)) in
  let f t := sigma (a + t) *: (inverse (carry s a t) .* y (b + (a + t))) in
  run s a c S = (S + (rows c u)^T *m (invmx (wy_L u c) *m (rows c f - rows c u *m S))) *m diag_mx (carry s a c).
Proof.
move=> nz sq u f; rewrite -wy_chunk_is_the_steps renormalisation_is_exact // => [|t k tc]; last by rewrite mxE nz.
congr (_ *m _); elim: c nz sq => //= c IH nz sq.
rewrite IH => [|t tc|t tc]; [|by apply: nz; rewrite ltnS ltnW|by apply: sq; rewrite ltnS ltnW].
congr (_ + _); rewrite /members /past /= subn1 /= /index_iota subSnn /= big_seq1 /u /f.
rewrite linearZ /= -scalemxAl -scalemxAl -scalerBr -scalemxAr scalerA -expr2 sq //.
have -> : inverse (uniform dv (g (a + c))) .* uniform dv (w (a + c)) = uniform dv (w (a + c) / g (a + c)).
  by apply/rowP => k; rewrite !mxE mulrC.
by rewrite hadamard_uniform scalemxAr.
Qed.

End WYOfRule.

(* Two steps of one number: x = y = 1, w = gamma = 1/2. *)
Definition two_steps : sequence [comRingType of rat] 1 1 :=
  one_step (fun=> uniform 1 1) (fun=> uniform 1 1) 0 (fun=> uniform 1 1) (fun=> 1 / 2%:R) (fun=> 1 / 2%:R) (fun=> 1%N) One.

(** If false: rescaling eta alone would do. The recurrence has 1/2, the unscaled targets give 1/4. Test: tests/form/paper/paper_test.cpp. *)
Theorem both_rescalings_are_needed :
  run two_steps 0 2 0 = uniform 1 (1 / 2%:R) /\ renormalised two_steps false 0 2 0 *m diag_mx (carry two_steps 0 2) = uniform 1 (1 / 4%:R).
Proof.
split; apply/matrixP => i j; rewrite !ord1 /= /write /members /past /index_iota /= !big_cons !big_nil
  !(mxE, big_ord1); by apply/eqP; vm_compute.
Qed.
