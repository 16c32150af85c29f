(* SPDX-License-Identifier: Apache-2.0 *)
(* The energy of a regression window: what step/bisection.hpp computes is, up to a stated remainder, the least number that bounds the
   Rayleigh quotients of the window. In exact arithmetic, over any real closed field (there is a root in a reflection).

     form A v           <v, A v>
     head, rest, off    of a column c: its first entry, the sum of the squares of the others, |c|^2
     mirror, tau        v = c with head + norm, or head - norm where the head is negative; tau = 2 / |v|^2, 0 where rest is 0
     reflect c A        A - v w^T - w v^T, w = tau A v - (tau <v, tau A v> / 2) v: what reflect(k) does to the rows and columns after k
     reduce A           the pairs (a_i, b_i^2) of the tridiagonal matrix that all reflections leave
     above x s l        every pivot x - a_i - b_{i-1}^2 / p_{i-1} is positive; s is what the first one has to subtract
     bisect n l lo hi   n halvings: the upper end where above, else the lower
     largest_by n A     what solve() returns: the trace of a 1 x 1 matrix, else the lower end for A / trace, from the largest a_i and 2,
                        times the trace; n = digits + 13 in the code, which has entries below its least number for `rest is 0`
     energy_by n X      largest_by of X X^T over the number of rows: E of a window whose features are the rows of X

   The lower end is returned, so that what is returned may lie below the least bound, by at most 2 trace / 2^n. Rounding is not here:
   largest_eigenvalue_is_exact is tested against 50 digits.                                                                       *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Fwa Require Import definitions forms_agree chunk_size_is_free gain descent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Form.
Variable R : realFieldType.

Definition form n (A : 'M[R]_n) (v : 'cV[R]_n) := inner v (A *m v).

Lemma squared_eq0 m n (A : 'M[R]_(m, n)) : (squared A == 0) = (A == 0).
Proof.
apply/eqP/eqP => [|->]; last by rewrite /squared inner0r.
move=> z; apply/matrixP => i j; rewrite mxE; apply/eqP; rewrite -sqrf_eq0 expr2 eq_le -expr2 sqr_ge0 andbT expr2 -z.
rewrite /squared /inner (bigD1 i) //= (bigD1 j) //= -addrA ler_addl addr_ge0 ?sumr_ge0 // => [k _|k _].
  by rewrite -expr2 sqr_ge0.
by apply: sumr_ge0 => l _; rewrite -expr2 sqr_ge0.
Qed.

Lemma squared_gt0 m n (A : 'M[R]_(m, n)) : (0 < squared A) = (A != 0).
Proof. by rewrite lt_neqAle squared_ge0 andbT eq_sym squared_eq0. Qed.

Lemma squared_col1 n (v : 'cV[R]_n) : squared v = \sum_i v i 0 ^+ 2.
Proof. by apply: eq_bigr => i _; rewrite big_ord1 expr2. Qed.

Lemma inner_col1 n (u v : 'cV[R]_n) : inner u v = \sum_i u i 0 * v i 0.
Proof. by apply: eq_bigr => i _; rewrite big_ord1. Qed.

Lemma outer_col n (u v w : 'cV[R]_n) : u *m v^T *m w = inner v w *: u.
Proof.
rewrite -mulmxA; apply/colP => i; rewrite !mxE big_ord1 mulrC; congr (_ * _); rewrite mxE inner_col1.
by apply: eq_bigr => j _; rewrite mxE.
Qed.

Lemma outer_rows n (A : 'M[R]_n) (v : 'cV[R]_n) : v *m (A *m v)^T *m (v *m v^T) = inner v (A *m v) *: (v *m v^T).
Proof. by rewrite mulmxA outer_col innerC -scalemxAl. Qed.

Lemma inner_delta n (v : 'cV[R]_n.+1) : inner (delta_mx 0 0) v = v 0 0.
Proof. by rewrite inner_col1 (bigD1 0) //= big1 ?addr0 => [|i ne]; rewrite mxE ?eqxx ?mul1r // (negbTE ne) mul0r. Qed.

End Form.

Section Reflection.
Variables (R : rcfType) (n : nat).
Implicit Types (c v u t : 'cV[R]_n.+1) (A : 'M[R]_n.+1).

Definition head c : R := c 0 0.
Definition rest c : R := \sum_(i < n) c (lift 0 i) 0 ^+ 2.
Definition off c : R := rest c + head c ^+ 2.
Definition signed_norm c : R := if head c < 0 then - Num.sqrt (off c) else Num.sqrt (off c).
Definition mirror c : 'cV[R]_n.+1 := c + signed_norm c *: delta_mx 0 0.
Definition tau c : R := if 0 < rest c then 2%:R / (rest c + head (mirror c) ^+ 2) else 0.
Definition reflect c A : 'M[R]_n.+1 :=
  let v := mirror c in
  let u := tau c *: (A *m v) in
  let w := u - (tau c * inner v u / 2%:R) *: v in
  A - (v *m w^T + w *m v^T).

(* The matrix of the reflection. *)
Definition householder c : 'M[R]_n.+1 := 1%:M - tau c *: (mirror c *m (mirror c)^T).

Lemma rest_ge0 c : 0 <= rest c. Proof. by apply: sumr_ge0 => i _; exact: sqr_ge0. Qed.
Lemma off_squared c : off c = squared c. Proof. by rewrite squared_col1 big_ord_recl addrC. Qed.
Lemma off_ge0 c : 0 <= off c. Proof. by rewrite off_squared squared_ge0. Qed.
Lemma signed_norm_sq c : signed_norm c ^+ 2 = off c.
Proof. by rewrite /signed_norm; case: ifP => _; rewrite ?sqrrN sqr_sqrtr ?off_ge0. Qed.

Lemma rest_mirror c : rest (mirror c) = rest c.
Proof. by apply: eq_bigr => i _; rewrite !mxE mulr0 addr0. Qed.

Lemma mirror_squared c : rest c + head (mirror c) ^+ 2 = squared (mirror c).
Proof. by rewrite -rest_mirror -off_squared. Qed.

Lemma mirror_twice c : squared (mirror c) = 2%:R * inner (mirror c) c.
Proof.
rewrite squaredD squaredZ signed_norm_sq innerZr [inner c (delta_mx _ _)]innerC inner_delta.
rewrite innerDl innerZl inner_delta -/(squared c) -off_squared; have -> : squared (delta_mx 0 0 : 'cV[R]_n.+1) = 1.
  by rewrite /squared inner_delta mxE eqxx.
by ring.
Qed.

Lemma tau_cases c : tau c = 0 \/ tau c * squared (mirror c) = 2%:R.
Proof.
rewrite /tau; case: ifP => [p|_]; [right|by left].
by rewrite mirror_squared divfK // gt_eqF // -mirror_squared ltr_paddr ?sqr_ge0.
Qed.

Lemma householder_sym c : (householder c)^T = householder c.
Proof. by rewrite /householder linearB /= trmx1 linearZ /= trmx_mul trmxK. Qed.

Lemma householder_twice c : householder c *m householder c = 1%:M.
Proof.
rewrite {1}/householder mulmxBl mul1mx -scalemxAl.
have -> : mirror c *m (mirror c)^T *m householder c
    = mirror c *m (mirror c)^T - (tau c * squared (mirror c)) *: (mirror c *m (mirror c)^T).
  rewrite /householder mulmxBr mulmx1 -scalemxAr mulmxA outer_col -scalemxAl scalerA.
  by [].
rewrite /householder; case: (tau_cases c) => ->; first by rewrite !scale0r !subr0.
by rewrite scalerBr scalerA opprB [tau c * 2%:R]mulr_natr mulr2n scalerDl addrK addrAC -addrA subrr addr0.
Qed.

(* c becomes one number; its square is off c. *)
Lemma householder_column c : exists2 b, householder c *m c = b *: delta_mx 0 0 & b ^+ 2 = off c.
Proof.
rewrite /householder mulmxBl mul1mx -scalemxAl outer_col scalerA.
case: (ltrP 0 (rest c)) => [p|np].
  exists (- signed_norm c); last by rewrite sqrrN signed_norm_sq.
  have -> : tau c * inner (mirror c) c = 1.
    case: (tau_cases c) => [z|]; last first.
      by rewrite mirror_twice mulrCA => /eqP; rewrite -[X in _ == X]mulr1 (inj_eq (mulfI _)) ?pnatr_eq0 // => /eqP.
    move: z; rewrite /tau p => /eqP; rewrite mulf_eq0 pnatr_eq0 invr_eq0 mirror_squared => /eqP z.
    by move: (rest_mirror c); move: p; rewrite -rest_mirror => p; move: p; rewrite ltNge -z -mirror_squared rest_mirror ler_addl sqr_ge0.
  by rewrite scale1r /mirror opprD addNKr scaleNr.
exists (head c); last by rewrite /off (le_anti (_ : rest c <= 0 <= rest c)) ?add0r // np rest_ge0.
rewrite /tau ltNge np /= mul0r scale0r subr0; apply/colP => i; rewrite !mxE eqxx andbT.
have [->|ne] := eqVneq i 0; first by rewrite mulr1.
case: (unliftP 0 i) ne => [j -> _|-> /eqP //]; rewrite mulr0; apply/eqP; rewrite -sqrf_eq0 eq_le sqr_ge0 andbT.
by apply: le_trans np; rewrite /rest (bigD1 j) //= ler_addl sumr_ge0 // => k _; exact: sqr_ge0.
Qed.

(** If false: the rank-two update of reflect would not be the reflection of rows and columns, and the tridiagonal matrix would have
    other eigenvalues. Test: tests/step/eigenvalue_test.cpp. *)
Theorem reflect_is_a_similarity c A : A^T = A -> reflect c A = householder c *m A *m householder c.
Proof.
move=> sym; rewrite /reflect /householder; set v := mirror c; set h := tau c; set q := v *m v^T.
pose p := v *m (A *m v)^T; pose r := (A *m v) *m v^T; pose z := inner v (A *m v).
have qA : q *m A = p by rewrite /p trmx_mul sym mulmxA.
have Aq : A *m q = r by rewrite /q mulmxA.
have qAq : p *m q = z *: q by exact: outer_rows.
have -> : (1%:M - h *: q) *m A *m (1%:M - h *: q) = A - h *: p - h *: r + (h ^+ 2 * z) *: q.
  rewrite mulmxBl mul1mx -scalemxAl qA mulmxBr mulmx1 -scalemxAr mulmxBl Aq -scalemxAl qAq scalerBr !scalerA opprB expr2.
  by rewrite addrA addrAC -!addrA; congr (_ + (_ + _)); rewrite addrC.
rewrite innerZr -/z; set k := _ / 2%:R.
have -> : (h *: (A *m v) - k *: v)^T = h *: (A *m v)^T - k *: v^T by apply/rowP => i; rewrite !mxE.
rewrite mulmxBr mulmxBl -!scalemxAr -!scalemxAl -/p -/r -/q {}/k.
move: p r q z {qA Aq qAq} => p r q z; apply/matrixP => i j; rewrite !mxE.
move: (A i j) (p i j) (r i j) (q i j) => A' p' r' q'.
by field.
Qed.

Lemma reflect_sym c A : A^T = A -> (reflect c A)^T = reflect c A.
Proof. by move=> sym; rewrite reflect_is_a_similarity // !trmx_mul householder_sym sym mulmxA. Qed.

Lemma inner_householder c u t : inner u (householder c *m t) = inner (householder c *m u) t.
Proof. by rewrite [RHS]inner_mulmxl householder_sym. Qed.

Lemma squared_householder c t : squared (householder c *m t) = squared t.
Proof. by rewrite {1}/squared inner_householder mulmxA householder_twice mul1mx. Qed.

Lemma form_householder c A t : A^T = A -> form A (householder c *m t) = form (reflect c A) t.
Proof. by move=> sym; rewrite /form reflect_is_a_similarity // -!mulmxA [RHS]inner_householder. Qed.

End Reflection.

Section Pivots.
Variable R : rcfType.

Fixpoint reduce n : 'M[R]_n.+1 -> seq (R * R) :=
  match n with
  | 0%N => fun A => [:: (A 0 0, 0)]
  | n'.+1 => fun A => let c := dlsubmx (A : 'M_(1 + n'.+1)) in
                      (A 0 0, off c) :: reduce (reflect c (drsubmx (A : 'M_(1 + n'.+1))))
  end.

Fixpoint above x s (l : seq (R * R)) : bool :=
  if l is (a, b2) :: l' then let p := x - a - s in (0 < p) && above x (b2 / p) l' else true.

(* One row and column taken off a symmetric matrix. *)
Section Block.
Variables (n : nat) (A : 'M[R]_(1 + n.+1)).
Hypothesis sym : A^T = A.
Let c := dlsubmx A.
Let A' := drsubmx A.

Lemma block_sym : A'^T = A'.
Proof. by rewrite /A' trmx_drsub sym. Qed.

Lemma inner_col_mx (p r : 'cV[R]_1) (u t : 'cV[R]_n.+1) : inner (col_mx p u) (col_mx r t) = inner p r + inner u t.
Proof.
rewrite {1}/inner big_split_ord; congr (_ + _); apply: eq_bigr => i _; rewrite !big_ord1.
  by rewrite !col_mxEu.
by rewrite !col_mxEd.
Qed.

Lemma squared_block (a : R) (u : 'cV[R]_n.+1) : squared (col_mx a%:M u) = a ^+ 2 + squared u.
Proof. by rewrite /squared inner_col_mx inner_col1 big_ord1 !mxE mulr1n expr2. Qed.

Lemma form_block (a : R) (u : 'cV[R]_n.+1) :
  form A (col_mx a%:M u) = A 0 0 * a ^+ 2 + 2%:R * (a * inner c u) + form A' u.
Proof.
have ur : ursubmx A = c^T by rewrite /c trmx_dlsub sym.
have ul : ulsubmx A = (A 0 0)%:M by rewrite [LHS]mx11_scalar !mxE; congr (A _ _)%:M; apply: val_inj.
have cu : c^T *m u = (inner c u)%:M.
  by rewrite [LHS]mx11_scalar mxE inner_col1; congr (_%:M); apply: eq_bigr => i _; rewrite mxE.
rewrite /form -{1}[A]submxK ur ul -/c -/A' mul_block_col cu inner_col_mx [inner u _]innerDr [c *m _]mul_mx_scalar innerZr.
rewrite -/(form A' u) [inner u c]innerC.
by rewrite inner_col1 big_ord1 !mxE big_ord1 !mxE !mulr1n; ring.
Qed.

Lemma first_block (a : R) (u : 'cV[R]_n.+1) : (col_mx a%:M u : 'cV_(1 + n.+1)) 0 0 = a.
Proof.
have -> : (0 : 'I_(1 + n.+1)) = lshift n.+1 0 by exact: val_inj.
by rewrite col_mxEu mxE mulr1n.
Qed.

Lemma is_block (v : 'cV[R]_(1 + n.+1)) : exists a u, v = col_mx a%:M u.
Proof. by exists (usubmx v 0 0), (dsubmx v); rewrite -mx11_scalar vsubmxK. Qed.

(* The square that the first pivot completes. *)
Lemma complete_the_square x s (a : R) (u : 'cV[R]_n.+1) : let p := x - A 0 0 - s in p != 0 ->
  x * squared (col_mx a%:M u) - form A (col_mx a%:M u) - s * a ^+ 2
  = p * (a - inner c u / p) ^+ 2 + (x * squared u - form A' u - inner c u ^+ 2 / p).
Proof. by move=> p nz; rewrite squared_block form_block /p; move: nz; rewrite /p => nz; field. Qed.

End Block.

(* What form and shift leave below x. *)
Definition gap n (A : 'M[R]_n.+1) x s v := x * squared v - form A v - s * v 0 0 ^+ 2.

Lemma gap_reflected n (A : 'M[R]_(1 + n.+1)) x s (a : R) (t : 'cV[R]_n.+1) : A^T = A -> let p := x - A 0 0 - s in p != 0 ->
  let c := dlsubmx A in let u := householder c *m t in
  gap A x s (col_mx (a%:M : 'cV_1) u) = p * (a - inner c u / p) ^+ 2 + gap (reflect c (drsubmx A)) x (off c / p) t.
Proof.
move=> sym p nz c u; rewrite /gap first_block complete_the_square //; congr (_ + _).
rewrite /u squared_householder form_householder ?block_sym //; congr (_ - _).
have [b e b2] := householder_column c; rewrite inner_householder e innerZl inner_delta exprMn b2.
by rewrite mulrAC.
Qed.

Lemma gap_of_one (x a s v : R) : x * v ^+ 2 - v * (a * v) - s * v ^+ 2 = (x - a - s) * v ^+ 2. Proof. by ring. Qed.

Lemma above_all n (A : 'M[R]_n.+1) x s v : A^T = A -> above x s (reduce A) -> v != 0 -> 0 < gap A x s v.
Proof.
elim: n A s v => [|n IH] A s v sym /=.
  rewrite andbT => p nz; have -> : gap A x s v = (x - A 0 0 - s) * v 0 0 ^+ 2.
    by rewrite /gap squared_col1 /form inner_col1 !big_ord1 !mxE big_ord1; exact: gap_of_one.
  rewrite mulr_gt0 // exprn_even_gt0 //=; apply: contraNneq nz => z.
  by apply/eqP/colP => i; rewrite ord1 z mxE.
case/andP => p tail nz; have [a [u e]] := is_block v.
have p0 := lt0r_neq0 p; have Hu := householder_twice (dlsubmx (A : 'M_(1 + n.+1))).
have eu : u = householder (dlsubmx (A : 'M_(1 + n.+1))) *m (householder (dlsubmx (A : 'M_(1 + n.+1))) *m u).
  by rewrite mulmxA Hu mul1mx.
rewrite e {1}eu (gap_reflected a _ sym p0).
have [z|nz'] := eqVneq u 0.
  rewrite z !mulmx0 inner0r mul0r subr0 /gap /squared inner0r /form mulmx0 inner0r mxE mulr0 expr0n mulr0 !subr0 addr0.
  rewrite mulr_gt0 // exprn_even_gt0 //=; apply: contraNneq nz => a0.
  by rewrite e a0 z; apply/eqP/matrixP => i j; rewrite mxE; case: splitP => k _; rewrite !mxE ?mul0rn.
apply: ltr_paddl; first by rewrite mulr_ge0 ?sqr_ge0 ?ltW.
apply: IH => //; first by rewrite reflect_sym ?block_sym.
by apply: contraNneq nz' => z; rewrite eu z mulmx0.
Qed.

Lemma not_above n (A : 'M[R]_n.+1) x s : A^T = A -> ~~ above x s (reduce A) -> exists2 v, v != 0 & gap A x s v <= 0.
Proof.
elim: n A s => [|n IH] A s sym /=.
  rewrite andbT -leNgt => p; exists 1%:M; first by rewrite -squared_eq0 squared_col1 big_ord1 mxE expr1n oner_neq0.
  have -> // : gap A x s 1%:M = x - A 0 0 - s.
  by rewrite /gap squared_col1 /form inner_col1 !big_ord1 !mxE big_ord1 !mxE [LHS]gap_of_one expr1n mulr1.
rewrite negb_and -leNgt; have [p _|p /= tail] := leP (x - A 0 0 - s) 0.
  exists (col_mx (1%:M : 'cV_1) (0 : 'cV_n.+1)); last first.
    by rewrite /gap first_block squared_block form_block // inner0r /squared inner0r /form mulmx0 inner0r expr1n !mulr0 !addr0 !mulr1.
  by rewrite -squared_eq0 squared_block /squared inner0r addr0 expr1n oner_neq0.
have p0 := lt0r_neq0 p.
case: (IH _ _ _ tail) => [|t nz le]; first by rewrite reflect_sym ?block_sym.
set c := dlsubmx (A : 'M_(1 + n.+1)); pose u := householder c *m t.
exists (col_mx ((inner c u / (x - A 0 0 - s))%:M : 'cV_1) u); last first.
  by rewrite (gap_reflected _ _ sym p0) -/c -/u subrr expr0n mulr0 add0r.
rewrite -squared_eq0 squared_block paddr_eq0 ?sqr_ge0 ?squared_ge0 // negb_and squared_eq0.
by apply/orP; right; apply: contraNneq nz => z; rewrite -[t]mul1mx -(householder_twice c) -mulmxA -/u z mulmx0.
Qed.

(** If false: bisection could go up where x is already a bound of the Rayleigh quotients, or down where it is not one.
    Test: tests/step/eigenvalue_test.cpp. *)
Theorem pivots_decide n (A : 'M[R]_n.+1) x : A^T = A ->
  if above x 0 (reduce A) then forall v, v != 0 -> form A v < x * squared v
  else exists2 v, v != 0 & x * squared v <= form A v.
Proof.
move=> sym; case: ifP => [le v nz|/negbT le].
  by have := above_all sym le nz; rewrite /gap mul0r subr0 subr_gt0.
by have [v nz] := not_above sym le; rewrite /gap mul0r subr0 subr_le0; exists v.
Qed.

End Pivots.

Section Bisection.
Variable R : rcfType.

Definition top (l : seq (R * R)) : R := if l is p :: l' then foldl (fun m q => Num.max m q.1) p.1 l' else 0.

Fixpoint bisect n l (low high : R) :=
  if n is n'.+1 then
    let x := (low + high) / 2%:R in if above x 0 l then bisect n' l low x else bisect n' l x high
  else (low, high).

Definition largest_by n m (A : 'M[R]_m.+1) : R :=
  if m == 0%N then \tr A
  else let l := reduce (if 0 < \tr A then (\tr A)^-1 *: A else 0) in (bisect n l (top l) 2%:R).1 * \tr A.

Definition energy_by n m dx : 'M[R]_(m, dx) -> R :=
  match m with 0%N => fun=> 0 | m'.+1 => fun X => largest_by n (X *m X^T) / m'.+1%:R end.

Lemma above_diagonal (x s : R) l : 0 <= s -> all (fun p => 0 <= p.2) l -> above x s l -> all (fun p => p.1 < x) l.
Proof.
elim: l s => //= -[a b2] l IH s s0 /andP[b0 bs] /andP[/= p tail]; apply/andP; split.
  by rewrite -subr_gt0; apply: lt_le_trans p _; rewrite ler_subl_addr ler_addl.
by apply: IH tail => //; rewrite divr_ge0 // ltW.
Qed.

Lemma reduce_off m (A : 'M[R]_m.+1) : all (fun p => 0 <= p.2) (reduce A).
Proof. by elim: m A => /= [|m IH] A; rewrite ?lexx // off_ge0 IH. Qed.

Lemma top_not_above m (A : 'M[R]_m.+1) : ~~ above (top (reduce A)) 0 (reduce A).
Proof.
apply/negP => /(above_diagonal (lexx 0) (reduce_off A)).
have H x l m0 : m0 < x -> all (fun p : R * R => p.1 < x) l -> foldl (fun m q => Num.max m q.1) m0 l < x.
  by elim: l m0 => //= p l IH m0 m0x /andP[px lx]; apply: IH => //; rewrite /Num.max /Order.max; case: ifP.
have : reduce A != [::] by case: (m) A.
by case: (reduce A) => // p l _ /= /andP[px lx]; have := H _ _ _ px lx; rewrite ltxx.
Qed.

Lemma top_ge0 m (A : 'M[R]_m.+1) : 0 <= A 0 0 -> 0 <= top (reduce A).
Proof.
have H l (m0 : R) : 0 <= m0 -> 0 <= foldl (fun m (q : R * R) => Num.max m q.1) m0 l.
  by elim: l m0 => //= p l IH m0 m00; apply: IH; apply: le_trans m00 _; rewrite /Num.max /Order.max; case: ltP => // /ltW.
by case: m A => [|m] A A0; [exact: (H [::] _ A0)|exact: (H (reduce _) _ A0)].
Qed.

Lemma bisect_brackets n l low high : ~~ above low 0 l -> above high 0 l ->
  let r := bisect n l low high in [/\ ~~ above r.1 0 l, above r.2 0 l & r.2 - r.1 = (high - low) / 2%:R ^+ n].
Proof.
elim: n low high => [|n IH] low high lo hi /=; first by rewrite expr0 divr1.
case: ifP => [a|/negbT a]; [have [? ? ->] := IH _ _ lo a|have [? ? ->] := IH _ _ a hi]; split=> //.
  by rewrite exprS invfM mulrA; congr (_ * _); field.
by rewrite exprS invfM mulrA; congr (_ * _); field.
Qed.

Lemma formZ m (a : R) (A : 'M[R]_m) v : form (a *: A) v = a * form A v.
Proof. by rewrite /form -scalemxAl innerZr. Qed.

Lemma form_delta m (A : 'M[R]_m.+1) : form A (delta_mx 0 0) = A 0 0.
Proof. by rewrite /form inner_delta mxE (bigD1 0) //= big1 ?addr0 => [|i ne]; rewrite mxE ?eqxx ?mulr1 // (negbTE ne) mulr0. Qed.

Lemma delta_neq0 m : delta_mx 0 0 != 0 :> 'cV[R]_m.+1.
Proof. by rewrite -squared_eq0 /squared inner_delta mxE eqxx oner_neq0. Qed.

(** If false: the number that bisection returns could exceed the largest eigenvalue, or fall short of it by more than 2 trace / 2^n.
    Test: tests/step/eigenvalue_test.cpp. *)
Theorem bisection_brackets n m (A : 'M[R]_m.+1) : A^T = A ->
  (forall v, 0 <= form A v <= \tr A * squared v) ->
  (forall v, form A v <= (largest_by n A + 2%:R * \tr A / 2%:R ^+ n) * squared v)
  /\ exists2 v, v != 0 & largest_by n A * squared v <= form A v.
Proof.
move=> sym psd; have tr0 : 0 <= \tr A.
  have /andP[a b] := psd (delta_mx 0 0); have := le_trans a b.
  by rewrite /squared inner_delta mxE eqxx mulr1.
have d0 : 0 <= 2%:R * \tr A / 2%:R ^+ n by rewrite divr_ge0 ?exprn_ge0 ?mulr_ge0 ?ler0n.
rewrite /largest_by; case: eqP => [m0|_].
  split=> [v|]; first by have /andP[_ le] := psd v; apply: le_trans le _; rewrite ler_wpmul2r ?squared_ge0 // ler_addl.
  exists (delta_mx 0 0); rewrite ?delta_neq0 // form_delta /squared inner_delta mxE eqxx mulr1.
  by move: A {sym psd tr0 d0}; rewrite m0 => A; rewrite /mxtrace big_ord1.
case: ltrP => [trp|trn]; last first.
  have z : \tr A = 0 by apply/eqP; rewrite eq_le trn.
  rewrite z !mulr0 mul0r addr0; split=> [v|]; first by have /andP[_] := psd v; rewrite z.
  by exists (delta_mx 0 0); rewrite ?delta_neq0 // mul0r; case/andP: (psd (delta_mx 0 0)).
set B := _ *: A; set l := reduce B.
have symB : B^T = B by rewrite /B linearZ /= sym.
have formB v : form B v = (\tr A)^-1 * form A v by rewrite formZ.
have below v : form B v <= squared v.
  by rewrite formB mulrC ler_pdivr_mulr // [X in _ <= X]mulrC; case/andP: (psd v).
have hi : above 2%:R 0 l.
  have := pivots_decide 2%:R symB; rewrite -/l; case: ifP => // _ [v nz le].
  have := le_trans le (below v); rewrite mulr_natl mulr2n ger_addl.
  by move: nz; rewrite -squared_gt0 => p; rewrite leNgt p.
have top0 : 0 <= top l.
  by apply: top_ge0; rewrite -form_delta formB mulr_ge0 ?invr_ge0 //; case/andP: (psd (delta_mx 0 0)).
have [lo' hi' len] := bisect_brackets n (top_not_above B) hi; rewrite -/l in lo' hi' len.
move: (bisect _ _ _ _) lo' hi' len => -[lo hi2] /= lo' hi' len; split=> [v|].
  have := pivots_decide hi2 symB; rewrite -/l hi' => H.
  have [->|nz] := eqVneq v 0; first by rewrite /form mulmx0 /squared !inner0r mulr0.
  have := ltW (H v nz); rewrite formB mulrC ler_pdivr_mulr // => le; apply: le_trans le _.
  rewrite mulrAC ler_wpmul2r ?squared_ge0 //.
  have -> : lo * \tr A + 2%:R * \tr A / 2%:R ^+ n = (lo + 2%:R / 2%:R ^+ n) * \tr A by rewrite [RHS]mulrDl [2%:R * _ / _]mulrAC.
  rewrite ler_wpmul2r // -ler_subl_addl len ler_wpmul2r ?invr_ge0 ?exprn_ge0 ?ler0n //.
  by rewrite ler_subl_addr ler_addl.
have := pivots_decide lo symB; rewrite -/l (negbTE lo') => -[v nz le]; exists v => //.
by move: le; rewrite formB [X in _ <= X]mulrC ler_pdivl_mulr // mulrAC.
Qed.

(* From the Gram matrix of the rows to the window. *)
Lemma transfer m n p (A : 'M[R]_(m, n)) c : 0 <= c -> (forall W : 'M_(n, p), squared (A *m W) <= c * squared W) ->
  forall V : 'M_(m, p), squared (A^T *m V) <= c * squared V.
Proof.
move=> c0 H V; set W := A^T *m V.
have [z|nz] := eqVneq (squared W) 0; first by rewrite z mulr_ge0 ?squared_ge0.
have p0 : 0 < squared W by rewrite lt_neqAle eq_sym nz squared_ge0.
have e : squared W = inner V (A *m W) by rewrite {1}/squared {1}/W inner_mulmxl trmxK.
rewrite -(ler_pmul2l p0) -expr2 {1}e; apply: le_trans (cauchy _ _) _.
by rewrite mulrC mulrCA mulrA ler_wpmul2r ?squared_ge0 // mulrC; exact: H.
Qed.

Lemma squared_columns m p (V : 'M[R]_(m, p)) : squared V = \sum_k squared (col k V).
Proof.
rewrite /squared {1}/inner exchange_big; apply: eq_bigr => k _; apply: eq_bigr => i _.
by rewrite big_ord1 !mxE.
Qed.

Lemma form_gram m dx (X : 'M[R]_(m, dx)) v : form (X *m X^T) v = squared (X^T *m v).
Proof. by rewrite /form -mulmxA -[RHS]/(inner _ _) [RHS]inner_mulmxl trmxK. Qed.

Lemma trace_gram m dx (X : 'M[R]_(m, dx)) : \tr (X *m X^T) = squared X.
Proof. by rewrite /mxtrace; apply: eq_bigr => i _; rewrite mxE; apply: eq_bigr => j _; rewrite mxE. Qed.

Lemma squared_mul m n p (A : 'M[R]_(m, n)) (V : 'M_(n, p)) : squared (A *m V) <= squared A * squared V.
Proof.
case: m A => [|m] A; first by rewrite {1}/squared /inner big_ord0 mulr_ge0 ?squared_ge0.
have := @mean_energy_bounds R m.+1 n A p isT V.
rewrite /mean_energy size_map size_enum_ord big_map big_enum /= mulrA mulfV ?pnatr_eq0 // mul1r.
have -> // : \sum_(i < m.+1) dot (row i A) (row i A) = squared A.
by apply: eq_bigr => i _; rewrite dotE; apply: eq_bigr => j _; rewrite mxE.
Qed.

(** If false: E of a regression window could be above some bound of its Rayleigh quotients, so above lambda_max, or E and twice the
    mean energy over 2^n would not bound them: the step would be too long by more than that remainder. Test: tests/step/energy_test.cpp. *)
Theorem energy_is_the_least_bound n m dx (X : 'M[R]_(m, dx)) : (0 < m)%N ->
  (forall dv, bounds_energy dv X (energy_by n X + 2%:R * (squared X / m%:R) / 2%:R ^+ n))
  /\ forall mu, 0 <= mu -> bounds_energy 1 X mu -> energy_by n X <= mu.
Proof.
case: m X => // m X _; set A := X *m X^T; rewrite /energy_by -/A.
have sym : A^T = A by rewrite /A trmx_mul trmxK.
have psd v : 0 <= form A v <= \tr A * squared v.
  rewrite form_gram trace_gram squared_ge0 /=; apply: transfer (squared_ge0 X) _ v => W.
  exact: squared_mul.
have m0 : m.+1%:R != 0 :> R by rewrite pnatr_eq0.
have mp : 0 < m.+1%:R :> R by rewrite ltr0n.
have [upper [v nz lower]] := bisection_brackets n sym psd; split=> [dv V|mu mu0 bound].
  have -> : m.+1%:R * (largest_by n A / m.+1%:R + 2%:R * (squared X / m.+1%:R) / 2%:R ^+ n)
      = largest_by n A + 2%:R * \tr A / 2%:R ^+ n.
    rewrite trace_gram mulrDr [_ * (largest_by _ _ / _)]mulrCA mulfV // mulr1; congr (_ + _).
    by rewrite [2%:R * (_ / _)]mulrA [LHS]mulrA; congr (_ * _); rewrite mulrC divfK.
  rewrite -{1}[X]trmxK; apply: transfer => [|W].
    have := le_trans _ (upper (delta_mx 0 0)); case/andP: (psd (delta_mx 0 0)) => a _ /(_ _ a).
    by rewrite /squared inner_delta mxE eqxx mulr1.
  rewrite squared_columns [X in _ <= _ * X]squared_columns mulr_sumr; apply: ler_sum => k _.
  have -> : col k (X^T *m W) = X^T *m col k W by rewrite !colE mulmxA.
  by rewrite -form_gram; exact: upper.
rewrite ler_pdivr_mulr // [mu * _]mulrC; set L := largest_by n A in lower *.
have [Ln|Lp] := lerP L 0; first by apply: le_trans Ln _; rewrite mulr_ge0 // ltW.
have vp : 0 < squared v by rewrite squared_gt0.
move: lower; rewrite form_gram => lower; set W := X^T *m v in lower *.
have wp : 0 < squared W by apply: lt_le_trans lower; rewrite mulr_gt0.
rewrite -(ler_pmul2r vp); apply: le_trans lower _; rewrite -(ler_pmul2l wp) -expr2.
have e : squared W = inner v (X *m W) by rewrite {1}/squared {1}/W inner_mulmxl trmxK.
rewrite {1}e; apply: le_trans (cauchy _ _) _; rewrite [X in _ <= X]mulrA [X in _ <= X]mulrC ler_wpmul2l ?(ltW vp) // [squared W * _]mulrC.
exact: bound.
Qed.

(** If false: for one pair E would be another number than |x|^2, which bisection would only approach. Test: tests/step/energy_test.cpp. *)
Theorem energy_of_one_pair n dx (x : 'rV[R]_dx) : energy_by n x = dot x x.
Proof. by rewrite /energy_by /largest_by eqxx divr1 trace_gram dot_inner. Qed.

(** If false: some eigenvalue of the Gram matrix over B_t could be above a bound of the Rayleigh quotients.
    Test: tests/step/eigenvalue_test.cpp. *)
Theorem eigenvalues_are_below m dx (X : 'M[R]_(m, dx)) mu a : 0 <= mu ->
  bounds_energy 1 X mu -> eigenvalue (X *m X^T) a -> a <= m%:R * mu.
Proof.
move=> mu0 bound /eigenvalueP[v e nz]; have c0 : 0 <= m%:R * mu by rewrite mulr_ge0 ?ler0n.
have vp : 0 < squared v^T by rewrite squared_gt0 trmx_eq0.
rewrite -(ler_pmul2r vp); apply: le_trans (transfer c0 bound v^T).
have -> : squared (X^T *m v^T) = inner v^T (v *m (X *m X^T))^T by rewrite -form_gram /form !trmx_mul trmxK.
by rewrite e linearZ /= innerZr.
Qed.

End Bisection.

(* A Falcon-3 step with this energy: Lemma 3.1 with L from the bound that n halvings leave, for a gain that leaves room for it. *)
Section Step.
Variables (R : rcfType) (dx dv : nat).
Variables (x : nat -> 'rV[R]_dx) (y : nat -> 'rV[R]_dv) (b : nat) (q : nat -> 'rV[R]_dx) (eta g : nat -> R) (length : nat -> nat).
Let s := one_step x y b q (fun t => weight_of (eta t) (length t)) g length One.
Variable t : nat.
Hypothesis available : (length t <= b + t.+1)%N.
Let X := window_rows b length t x.
Let Y := window_rows b length t y.

(** If false: the step that bisection's energy gives could raise its window's loss though the gain is below 2 by 2 trace / 2^n.
    Test: none. *)
Theorem computed_energy_descends n beta lambda epsilon S :
  let E := energy_by n X in
  let short := 2%:R * (squared X / (length t)%:R) / 2%:R ^+ n in
  let D := denominator E lambda epsilon in
  legal beta E lambda epsilon -> 0 < beta -> (0 < length t)%N -> 0 < D -> beta * (D + short) < 2%:R * D ->
  eta t = step_size beta D -> g t = raw_carry (eta t) lambda ->
  loss X Y lambda One (write s t S)
  <= loss X Y lambda One S
     - descent_amount (smoothness lambda One (E + short)) (eta t) (squared (gradient X Y lambda One S)).
Proof.
move=> E short D ok b0 lp D0 room et gt; have falcon : One <> Gamma by [].
have -> : write s t S = S - eta t *: gradient X Y lambda One S by exact: write_is_a_gradient_step.
have e0 : 0 < eta t by rewrite et /step_size gt_eqF // divr_gt0.
have [bound _] := energy_is_the_least_bound n X lp.
have short0 : 0 <= short by rewrite divr_ge0 ?exprn_ge0 ?ler0n // mulr_ge0 ?ler0n // divr_ge0 ?ler0n // squared_ge0.
have sm := @loss_is_smooth _ _ _ _ X Y lambda One _ lp (bound dv).
suff eL : eta t * smoothness lambda One (E + short) < 2%:R by case: (lemma_3_1 S sm e0 eL).
apply: le_lt_trans (_ : eta t * (D + short) < _); first last.
  by rewrite et /step_size gt_eqF // mulrAC ltr_pdivr_mulr.
rewrite ler_pmul2l // /smoothness /D /denominator [E + short + _]addrAC ler_add2r ler_addl.
by case: ok.
Qed.

End Step.
