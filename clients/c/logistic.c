/* Logistic regression as a problem in C, with the library cJSON (Debian's libcjson-dev).
   docs/protocol.md has the messages and the notation of functions.

       cc -O2 -std=c11 -ffp-contract=off -o c-logistic logistic.c -lcjson -lm
       bench play --external c=./c-logistic --algorithm ogd --problem c --horizon 3

   Round t has a sample u, of which three features are uniform on [-1, 1] and all others 0, and a
   label y = ±1, which is likelier the sign of the sum of u. The loss is log(1 + exp(-y u·x)), a ridge with a
   sparse vector; the constraint is ‖x‖₁ + ½‖x‖² ≤ 2, one function for all rounds by its name. */

#define _POSIX_C_SOURCE 200809L /* getline */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#define FEATURES 3 /* of a sample */
#define RHO 2

#define DECLARATION "\"protocol\":1,\"role\":\"problem\",\"name\":\"c-logistic\",\"version\":1," \
	"\"doc\":\"logistic regression of sparse samples under an elastic net\"," \
	"\"parameters\":[{\"name\":\"dim\",\"type\":\"integer\",\"default\":8,\"min\":3,\"max\":1000," \
	"\"doc\":\"the number of features\"}]"

static int n;
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

/* begin begins a stream, and prints the declaration and the instance. */
static void begin(const cJSON *game)
{
	n = member(member(game, "parameters"), "dim")->valueint;
	state = (uint64_t)member(game, "seed")->valuedouble;
	double radius = sqrt(1 + 2 * RHO) - 1, slope = sqrt(n) + radius;
	printf("{" DECLARATION ",\"instance\":{\"domain\":{\"ball\":{\"center\":[0");
	for (int i = 1; i < n; i++)
		printf(",0");
	printf("],\"radius\":%.17g}},\"constraints\":1,\"facts\":{\"loss_lipschitz\":%.17g,"
		"\"loss_range\":%.17g,\"constraint_lipschitz\":%.17g,\"constraint_bound\":%.17g,\"slater\":%d,"
		"\"feasible\":true,\"fixed\":true,\"iid\":true,\"known_constraints\":true},"
		"\"functions\":{\"net\":{\"const\":%d,\"terms\":[{\"of\":{\"elasticnet\":{\"l1\":1,\"l2\":1}}}]}},"
		"\"expectation\":[{\"terms\":[{\"of\":\"net\"}]}]}}",
		radius, sqrt(FEATURES), 2 * radius * sqrt(FEATURES), slope, slope * radius + RHO, RHO, -RHO);
}

/* reveal prints a round. */
static void reveal(void)
{
	int at[FEATURES];
	double is[FEATURES], sum = 0;
	for (int k = 0, from = 0; k < FEATURES; k++) { /* increasing places */
		at[k] = from + (int)(uniform() * (n - FEATURES + k + 1 - from));
		from = at[k] + 1;
		sum += is[k] = 2 * uniform() - 1;
	}
	double sign = uniform() < 1 / (1 + exp(-2 * sum)) ? -1 : 1; /* of -y */
	printf("{\"loss\":{\"form\":{\"terms\":[{\"of\":{\"ridge\":{\"curve\":\"softplus\",\"a\":{\"at\":[%d,%d,%d],"
		"\"is\":[%.17g,%.17g,%.17g]}}}}]}},\"constraints\":[{\"form\":{\"terms\":[{\"of\":\"net\"}]}}]}",
		at[0], at[1], at[2], sign * is[0], sign * is[1], sign * is[2]);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, stdin) > 0) {
		cJSON *call = cJSON_Parse(line);
		const cJSON *name = member(call, "method"), *id = member(call, "id");
		const char *method = cJSON_IsString(name) ? name->valuestring : "";
		if (strcmp(method, "shutdown") == 0) {
			cJSON_Delete(call);
			break;
		}
		char *number = cJSON_PrintUnformatted(id);
		printf("{\"jsonrpc\":\"2.0\",\"id\":%s,", number ? number : "null");
		free(number);
		if (strcmp(method, "initialize") == 0) {
			const cJSON *game = member(member(call, "params"), "game");
			fputs("\"result\":", stdout);
			if (game)
				begin(game);
			else
				fputs("{" DECLARATION "}", stdout);
		} else if (strcmp(method, "reveal") == 0) {
			fputs("\"result\":", stdout);
			reveal();
		} else {
			fputs("\"error\":{\"code\":-32601,\"message\":\"an unknown method\"}", stdout);
		}
		puts("}");
		fflush(stdout);
		cJSON_Delete(call);
	}
	free(line);
}
