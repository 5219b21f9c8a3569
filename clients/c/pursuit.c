/* A problem with functions of its own in C, with the library cJSON (Debian's libcjson-dev). It is
   examples/pursuit.py, with other random numbers; docs/protocol.md has the messages.

       cc -O2 -std=c11 -ffp-contract=off -o c-pursuit pursuit.c -lcjson -lm
       bench play --external c=./c-pursuit --algorithm ogd --problem c --horizon 3

   The loss of round t is Σ_i |x_i - c_i|³, and the constraint Σ_i x_i⁴ - b ≤ 0. */

#define _POSIX_C_SOURCE 200809L /* getline */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#define N 2

#define DECLARATION "\"protocol\":1,\"role\":\"problem\",\"name\":\"c-pursuit\",\"version\":1," \
	"\"doc\":\"a point pursues a target within a curve that widens and narrows\""
#define INSTANCE "\"instance\":{\"domain\":{\"box\":{\"lower\":[-1,-1],\"upper\":[1,1]}},\"constraints\":1," \
	"\"facts\":{\"loss_lipschitz\":18,\"loss_range\":16,\"constraint_lipschitz\":6,\"constraint_bound\":2," \
	"\"slater\":0.5,\"iid\":true,\"opaque\":true}}"

/* oracle is the value and a subgradient of a function at a point; that of a maximum over rounds
   has the round where it is reached. */
struct oracle { double value, gradient[N]; int round; };

static struct { double target[N], bound; } *rounds; /* that were revealed */
static int revealed;
static uint64_t state;

static cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* uniform draws from [0, 1), by SplitMix64 (Steele, Lea, Flood 2014). */
static double uniform(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static void draw(void)
{
	rounds = realloc(rounds, (revealed + 1) * sizeof *rounds);
	for (int i = 0; i < N; i++)
		rounds[revealed].target[i] = 2 * uniform() - 1;
	rounds[revealed++].bound = 0.5 + uniform();
}

/* functions evaluates the functions of round t at x. */
static void functions(int t, const double *x, struct oracle *loss, struct oracle *constraint)
{
	loss->value = 0;
	constraint->value = -rounds[t - 1].bound;
	for (int i = 0; i < N; i++) {
		double d = x[i] - rounds[t - 1].target[i];
		loss->value += fabs(d) * d * d;
		loss->gradient[i] = 3 * d * fabs(d);
		constraint->value += x[i] * x[i] * x[i] * x[i];
		constraint->gradient[i] = 4 * x[i] * x[i] * x[i];
	}
}

static void add(struct oracle *sum, const struct oracle *f)
{
	sum->value += f->value;
	for (int i = 0; i < N; i++)
		sum->gradient[i] += f->gradient[i];
}

static void print(const struct oracle *f)
{
	printf("{\"value\":%.17g,\"subgradient\":[%.17g,%.17g]", f->value, f->gradient[0], f->gradient[1]);
	if (f->round)
		printf(",\"round\":%d", f->round);
	putchar('}');
}

/* answer prints the result of reveal or value. */
static void answer(int t, const double *x)
{
	struct oracle loss = {0, {0}, 0}, constraint = loss;
	functions(t, x, &loss, &constraint);
	fputs("\"result\":{\"loss\":", stdout);
	print(&loss);
	fputs(",\"constraints\":[", stdout);
	print(&constraint);
	fputs("]}", stdout);
}

/* sums prints the result of evaluate: sums in one pass over the rounds, and single constraints. */
static void sums(const cJSON *at, const cJSON *single, const double *x)
{
	struct oracle loss = {0, {0}, 0}, total = loss, largest = {-INFINITY, {0}, 0}, prefix = largest, f, g = loss;
	fputs("\"result\":{\"sums\":[", stdout);
	int t = 0;
	for (const cJSON *last = at->child; last; last = last->next) {
		while (t < last->valueint) {
			functions(++t, x, &f, &g);
			add(&loss, &f);
			add(&total, &g);
			if (g.value > largest.value) {
				largest = g;
				largest.round = t;
			}
			if (total.value > prefix.value) {
				prefix = total;
				prefix.round = t;
			}
		}
		fputs("{\"loss\":", stdout);
		print(&loss);
		fputs(",\"total\":[", stdout);
		print(&total);
		fputs("],\"largest\":[", stdout);
		print(&largest);
		fputs("],\"prefix\":[", stdout);
		print(&prefix);
		fputs(last->next ? "]}," : "]}", stdout);
	}
	fputs("],\"single\":[", stdout);
	for (const cJSON *one = single ? single->child : NULL; one; one = one->next) {
		functions(one->valueint, x, &f, &g);
		putchar('[');
		print(&g);
		fputs(one->next ? "]," : "]", stdout);
	}
	fputs("]}", stdout);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, stdin) > 0) {
		cJSON *call = cJSON_Parse(line);
		const cJSON *name = member(call, "method"), *id = member(call, "id"), *params = member(call, "params");
		const char *method = cJSON_IsString(name) ? name->valuestring : "";
		if (strcmp(method, "shutdown") == 0) {
			cJSON_Delete(call);
			break;
		}
		double x[N] = {0};
		for (int i = 0; i < cJSON_GetArraySize(member(params, "x")) && i < N; i++)
			x[i] = cJSON_GetArrayItem(member(params, "x"), i)->valuedouble;
		char *number = cJSON_PrintUnformatted(id);
		printf("{\"jsonrpc\":\"2.0\",\"id\":%s,", number ? number : "null");
		free(number);
		if (strcmp(method, "initialize") == 0) {
			const cJSON *game = member(params, "game");
			if (game) {
				state = (uint64_t)member(game, "seed")->valuedouble;
				revealed = 0;
			}
			fputs(game ? "\"result\":{" DECLARATION "," INSTANCE "}" : "\"result\":{" DECLARATION "}", stdout);
		} else if (strcmp(method, "reveal") == 0) {
			draw();
			answer(revealed, x);
		} else if (strcmp(method, "value") == 0) {
			answer(member(params, "t")->valueint, x);
		} else if (strcmp(method, "evaluate") == 0) {
			sums(member(params, "rounds"), member(params, "single"), x);
		} else {
			fputs("\"error\":{\"code\":-32601,\"message\":\"an unknown method\"}", stdout);
		}
		puts("}");
		fflush(stdout);
		cJSON_Delete(call);
	}
	free(line);
}
