"""Quadratic programs with hinges, solved to rounding."""

import numpy as np
from cvxopt import matrix, solvers, spmatrix

solvers.options.update(show_progress=False, maxiters=60)


def cat(*parts):
    return np.concatenate(parts)


class Program:
    """min ½xᵀPx + q·x + Σ w_k max(0, a_k·x + b_k) over a domain; P is positive
    definite."""

    def __init__(self, P, q, a, b, w, domain):
        self.P, self.q, self.a, self.b, self.w, self.domain = P, q, a, b, w, domain
        self.n, self.k, self.rows = len(q), len(b), len(domain.offsets)
        self.sigma = np.linalg.eigvalsh(P)[0]
        self.norms = np.maximum(np.linalg.norm(a, axis=1), 1e-12)

    def solve(self):
        """Returns the minimiser; its defect: the largest distance, in units of x,
        by which it fails an optimality condition; and how far it is from the
        answer of cvxopt.

        An interior point stops short of the minimiser by up to the root of its
        gap: its multipliers only tell where to start an active-set iteration.
        """
        start, *multipliers = self.interior()
        best = np.inf, start
        for margin in [1e-4, 1e-7, 1e-2]:
            best = min(best, self.exact(start, *multipliers, margin), key=lambda r: r[0])
            if best[0] < 1e-10:
                break
        defect, x = best
        return x, defect, np.max(np.abs(x - start))

    def interior(self):
        """Solves with cvxopt, from a cold start, in the variables x and
        s_k ≥ max(0, a_k·x + b_k). Returns x and the multipliers of the hinges,
        of the rows of the domain and of ½(‖x−center‖² − radius²) ≤ 0."""
        n, k, r, d = self.n, self.k, self.rows, self.domain
        # a_k·x − s_k ≤ −b_k, −s_k ≤ 0, rows·x ≤ offsets, (radius, x−center) in the cone.
        diagonal = lambda size: (np.arange(size), np.arange(size), -np.ones(size))
        dense = lambda a: (np.repeat(np.arange(len(a)), n), np.tile(np.arange(n), len(a)), a.ravel())
        blocks = [(0, 0, dense(self.a)), (0, n, diagonal(k)), (k, n, diagonal(k)), (2 * k, 0, dense(d.rows))]
        h, cone = [-self.b, np.zeros(k), d.offsets], []
        linear = 2 * k + r
        if d.radius is not None:
            blocks.append((linear + 1, 0, diagonal(n)))
            h.append(np.append(d.radius, -d.center))
            cone = [n + 1]
        I = cat(*[top + i for top, _, (i, _, _) in blocks])
        J = cat(*[left + j for _, left, (_, j, _) in blocks])
        V = cat(*[v for _, _, (_, _, v) in blocks])
        h = cat(*h)
        e = len(d.total)
        problem = (
            spmatrix(self.P.ravel(), *dense(self.P)[:2], (n + k, n + k)),
            matrix(cat(self.q, self.w)),
            spmatrix(V, I, J, (len(h), n + k)),
            matrix(h),
            {"l": linear, "q": cone, "s": []},
            matrix(np.hstack([d.equality, np.zeros((e, k))]), (e, n + k)),
            matrix(d.total, (e, 1), "d"),
        )
        for tolerance in [1e-10, 1e-8, 1e-6]:
            solvers.options.update(abstol=tolerance, reltol=tolerance, feastol=tolerance)
            try:
                sol = solvers.coneqp(*problem, kktsolver=self.kkt)
            except ValueError:  # lost in rounding
                continue
            if sol["status"] == "optimal":
                break
        else:
            raise SystemExit("cvxopt finds no solution")
        x, z = np.array(sol["x"]).ravel(), np.array(sol["z"]).ravel()
        ball = z[linear] / d.radius if cone else 0.0
        return x[:n], z[:k], z[2 * k : linear], ball

    def kkt(self, W):
        """Solves the equations of cvxopt's iteration, [P Aᵀ Gᵀ; A 0 0; G 0 −WᵀW],
        with the many s_k eliminated."""
        n, k, d = self.n, self.k, self.domain
        linear, e = 2 * k + self.rows, len(d.total)
        scale = np.array(W["d"]).ravel()
        D1, D2, D3 = np.split(scale**-2, [k, 2 * k])
        K = np.zeros((n + e, n + e))
        K[:n, :n] = self.P + (self.a.T * (D1 * D2 / (D1 + D2))) @ self.a + (d.rows.T * D3) @ d.rows
        K[n:, :n], K[:n, n:] = d.equality, d.equality.T
        if d.radius is not None:
            # W = β(2vvᵀ − J) on the cone, with J = diag(1, −1, …) and vᵀJv = 1.
            v = np.array(W["v"][0]).ravel()
            v[1:] *= -1
            cone = (2 * np.outer(v, v) - np.diag([1.0] + n * [-1.0])) / W["beta"][0]  # W⁻¹
            K[:n, :n] += cone[1:] @ cone[:, 1:]
        try:
            inverse = np.linalg.inv(K)
        except np.linalg.LinAlgError as err:
            raise ArithmeticError(err)

        def solve(x, y, z):
            bx, by, bz = (np.array(u).ravel() for u in (x, y, z))
            z1, z2, z3, zq = np.split(bz, [k, 2 * k, linear])
            bs = bx[n:] - D1 * z1 - D2 * z2
            rhs = bx[:n] + self.a.T @ (D1 * z1 + D1 / (D1 + D2) * bs) + d.rows.T @ (D3 * z3)
            if d.radius is not None:
                rhs -= (cone @ (cone @ zq))[1:]
            u = inverse @ cat(rhs, by)
            ax = self.a @ u[:n]
            s = (bs + D1 * ax) / (D1 + D2)
            uz = [(cat(ax - s, -s, d.rows @ u[:n]) - bz[:linear]) / scale]
            if d.radius is not None:
                uz.append(cone @ (cat([0.0], -u[:n]) - zq))
            x[:], z[:] = matrix(cat(u[:n], s)), matrix(cat(*uz))
            if e:
                y[:] = matrix(u[n:])

        return solve

    def exact(self, x, hinge, row, ball, margin):
        """Guesses from multipliers which hinges are off, on or at their kink, and
        which constraints of the domain are active; solves the equations that
        this leaves; and mends the guess while a sign is wrong. Returns the
        defect and x."""
        d = self.domain
        kink = (hinge > margin * self.w) & (hinge < (1 - margin) * self.w)
        on = ~kink & (hinge > self.w / 2)
        active = row > margin * np.max(row, initial=1e-3)
        round_ = ball > margin
        best = np.inf, x
        for _ in range(30):
            x, hinge, row, ball, defect = self.equations(kink, on, active, round_)
            v = (self.a @ x + self.b) / self.norms
            out = np.maximum(-hinge, hinge - self.w) * self.norms / self.sigma
            wrong = [np.where(kink, out, np.where(on, -v, v)), np.where(active, -row / self.sigma, d.rows @ x - d.offsets)]
            if d.radius is not None:
                wrong.append([-ball / self.sigma if round_ else np.linalg.norm(x - d.center) - d.radius])
            wrong = cat([0.0], *wrong)
            i = np.argmax(wrong) - 1
            best = min(best, (max(defect, wrong[i + 1]), x), key=lambda r: r[0])
            if wrong[i + 1] <= 1e-14:
                break
            if i < self.k:
                on[i] = kink[i] and hinge[i] > self.w[i] / 2
                kink[i] = not kink[i]
            elif i < self.k + self.rows:
                active[i - self.k] = not active[i - self.k]
            else:
                round_ = not round_
        return best

    def equations(self, kink, on, active, round_):
        """Solves stationarity with the active constraints as equations. Returns
        x, the multipliers and the residual."""
        d, n = self.domain, self.n
        C = np.vstack([self.a[kink], d.rows[active], d.equality])
        c = cat(-self.b[kink], d.offsets[active], d.total)
        q = self.q + self.w[on] @ self.a[on]
        K = np.zeros((n + len(c), n + len(c)))
        K[n:, :n], K[:n, n:] = C, C.T

        def at(ball):
            K[:n, :n] = self.P + ball * np.eye(n)
            rhs = cat(-q, c)
            if ball:
                rhs[:n] += ball * d.center
            u = np.linalg.lstsq(K, rhs, rcond=1e-13)[0]
            u += np.linalg.lstsq(K, rhs - K @ u, rcond=1e-13)[0]
            return u, np.max(np.abs(rhs - K @ u))

        ball, (u, residual) = 0.0, at(0.0)
        if round_:
            # radius/‖x−center‖ is nearly linear in the multiplier: secants.
            f = lambda: d.radius / np.linalg.norm(u[:n] - d.center) - 1
            before, f0 = 0.0, f()
            ball = max(1e-3, -f0) * self.sigma
            for _ in range(50):
                u, residual = at(ball)
                f1 = f()
                if abs(f1) < 1e-15 or f1 == f0:
                    break
                before, ball, f0 = ball, ball - f1 * (ball - before) / (f1 - f0), f1
            residual = max(residual, abs(f1) * d.radius)
        hinge, row = np.where(on, self.w, 0.0), np.zeros(self.rows)
        hinge[kink], row[active], _ = np.split(u[n:], np.cumsum([kink.sum(), active.sum()]))
        return u[:n], hinge, row, ball, residual / min(1, self.sigma)
