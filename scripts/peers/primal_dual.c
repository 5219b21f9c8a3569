//go:build ignore

/* The primal-dual update as a researcher writes it in C: plain loops over
 * plain arrays, one program for two problems. It does what a game of ocobench
 * does, on the same random numbers: the rounds, the update with steps step/√t,
 * every violation metric, and the metrics at log-spaced rounds kept in an
 * array. A test compares those with ocobench's; peers.sh compares the time.
 *
 *     gcc -O2 -o primal_dual primal_dual.c -lm
 *     primal_dual decaying-frequency C T STEP SEED1 SEED2
 *     primal_dual iid N M T STEP SEED1 SEED2
 *
 * SEED1 and SEED2 are the words of PCG-DXSM, as in math/rand/v2. A line a
 * checkpoint, in the columns of ocobench's trace but the certificate's gap,
 * and then CPU seconds on stderr.
 */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Random numbers. */

typedef unsigned __int128 u128;

static u128 pcg;

static inline uint64_t next(void)
{
    const u128 mul = (u128)2549297995355413924u << 64 | 4865540595714422341u;
    const u128 inc = (u128)6364136223846793005u << 64 | 1442695040888963407u;
    pcg = pcg * mul + inc;
    uint64_t hi = pcg >> 64, lo = pcg;
    hi ^= hi >> 32;
    hi *= 0xda942042e4dd58b5u;
    hi ^= hi >> 48;
    return hi * (lo | 1);
}

static inline double uniform(double lo, double hi)
{
    return lo + (hi - lo) * ((double)(int64_t)(next() << 11 >> 11) / 9007199254740992.0);
}

/* Vectors. */

static inline double max(double a, double b) { return a > b ? a : b; }
static inline double min(double a, double b) { return a < b ? a : b; }

static inline double dot(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

static void normalise(int n, double *a)
{
    double s = 1 / sqrt(dot(n, a, a));
    for (int i = 0; i < n; i++)
        a[i] *= s;
}

/* A random unit vector. */
static void direction(int n, double *d)
{
    do
        for (int i = 0; i < n; i++)
            d[i] = uniform(-1, 1);
    while (sqrt(dot(n, d, d)) <= 1e-3);
    normalise(n, d);
}

/* A random unit vector at most 45° from the unit vector d. */
static void near(int n, double *a, const double *d)
{
    direction(n, a);
    double rho = uniform(0, 1), along = dot(n, a, d);
    for (int i = 0; i < n; i++)
        a[i] -= along * d[i];
    double norm = sqrt(dot(n, a, a));
    if (norm < 1e-3)
        norm = 1;
    for (int i = 0; i < n; i++)
        a[i] = rho / norm * a[i] + d[i];
    normalise(n, a);
}

/* Metrics, and what is kept of them. */

static double loss, total, soft, running, hard, penalty, squared, largest;

static double rows[1000][9];
static int kept, decade; /* decade/16 is the log of the next checkpoint */
static long checkpoint = 1;

static void keep(long t)
{
    double row[] = {t, loss, total, soft, running, hard, penalty, squared, largest};
    memcpy(rows[kept++], row, sizeof row);
    while (checkpoint <= t)
        checkpoint = lround(pow(10, ++decade / 16.0));
}

/* f_t(x) = −2x; g_t(x) = x with probability 0.1c/t^(1−c), else −0.01. */
static void decaying_frequency(double c, long T, double step)
{
    double x = 0, lambda = 0, cum_a = 0, cum_b = 0;
    for (long t = 1; t <= T; t++) {
        double a = 0, b = -0.01;
        if (uniform(0, 1) < 0.1 * c / pow(t, 1 - c))
            a = 1, b = 0;

        loss += -2 * x;
        double g = a * x + b, plus = max(0, g);
        total += g;
        soft = max(0, total);
        running = max(running, soft);
        hard += plus;
        squared += plus * plus;
        largest = max(largest, plus);
        cum_a += a;
        cum_b += b;
        penalty += max(0, cum_a * x + cum_b) / t;
        if (t == checkpoint || t == T)
            keep(t);

        double alpha = step / sqrt(t);
        x = min(max(x - alpha * (-2 + lambda * a), -10), 10);
        lambda = max(0, lambda + alpha * (a * x + b));
    }
}

/* On [−1, 1]^n with a drift d and m slopes near it:
 * f_t(x) = −(d + v)·x, v uniform on [−1, 1]^n/√n;
 * g_t(x) = (slope + u/2)·x + b, u uniform on [−1, 1]^n, b on [−0.4, −0.1]. */
static void iid(int n, int m, long T, double step)
{
    double noise = 1 / sqrt(n), slack = 0.25, margin = 0.1, spread = 0.5;
    double *buf = calloc(5 * n + 3 * (size_t)m * n + 5 * m, sizeof *buf), *p = buf;
    double *drift = p, *f = p += n, *x = p += n, *grad = p += n;
    double *slope = p += n, *a = p += m * n, *cum_a = p += m * n;
    double *b = p += m * n, *cum_b = p += m, *sum = p += m, *lambda = p += m;

    direction(n, drift);
    for (int j = 0; j < m; j++)
        near(n, slope + j * n, drift);
    for (long t = 1; t <= T; t++) {
        for (int j = 0; j < m; j++) {
            for (int i = 0; i < n; i++)
                a[j * n + i] = slope[j * n + i] + spread * uniform(-1, 1);
            b[j] = uniform(margin - 2 * slack, -margin);
        }
        for (int i = 0; i < n; i++)
            f[i] = -(drift[i] + noise * uniform(-1, 1));

        loss += dot(n, f, x);
        total = soft = 0;
        for (int j = 0; j < m; j++) {
            double g = dot(n, a + j * n, x) + b[j], plus = max(0, g);
            sum[j] += g;
            total += sum[j];
            soft += max(0, sum[j]);
            hard += plus;
            squared += plus * plus;
            largest = max(largest, plus);
            for (int i = 0; i < n; i++)
                cum_a[j * n + i] += a[j * n + i];
            cum_b[j] += b[j];
            penalty += max(0, dot(n, cum_a + j * n, x) + cum_b[j]) / t;
        }
        running = max(running, soft);
        if (t == checkpoint || t == T)
            keep(t);

        double alpha = step / sqrt(t);
        for (int i = 0; i < n; i++)
            grad[i] = f[i];
        for (int j = 0; j < m; j++)
            for (int i = 0; i < n; i++)
                grad[i] += lambda[j] * a[j * n + i];
        for (int i = 0; i < n; i++)
            x[i] = min(max(x[i] - alpha * grad[i], -1), 1);
        for (int j = 0; j < m; j++)
            lambda[j] = max(0, lambda[j] + alpha * (dot(n, a + j * n, x) + b[j]));
    }
    free(buf);
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv)
{
    int frequency = argc == 7 && strcmp(argv[1], "decaying-frequency") == 0;
    if (!frequency && !(argc == 8 && strcmp(argv[1], "iid") == 0)) {
        fprintf(stderr, "usage: primal_dual decaying-frequency C T STEP SEED1 SEED2 | iid N M T STEP SEED1 SEED2\n");
        return 2;
    }
    pcg = (u128)strtoull(argv[argc - 2], 0, 10) << 64 | strtoull(argv[argc - 1], 0, 10);
    long T = atol(argv[argc - 4]);
    double step = atof(argv[argc - 3]), start = cpu();
    if (frequency)
        decaying_frequency(atof(argv[2]), T, step);
    else
        iid(atoi(argv[2]), atoi(argv[3]), T, step);
    double seconds = cpu() - start;
    for (int k = 0; k < kept; k++)
        for (int i = 0; i < 9; i++)
            printf("%.17g%c", rows[k][i], i < 8 ? ' ' : '\n');
    fprintf(stderr, "%.9f\n", seconds);
    return 0;
}
