/* Projected online gradient descent in C, with the library cJSON (Debian's
   libcjson-dev). docs/protocol.md has the messages.

       cc -O2 -std=c11 -ffp-contract=off -o c-ogd ogd.c -lcjson -lm
       bench play --external c=./c-ogd --algorithm c --problem alternating --horizon 3

   It plays what the algorithm ogd of ocobench plays, to the last bit. For that, no
   product is fused with a sum (-ffp-contract=off), sums have the order of those in
   Go, and %.17g writes every digit of a double. */

#define _POSIX_C_SOURCE 200809L /* getline */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#define DECLARATION "{\"protocol\":1,\"name\":\"c-ogd\",\"version\":1,\"anytime\":true," \
	"\"doc\":\"projected online gradient descent, which ignores the constraints\"," \
	"\"parameters\":[{\"name\":\"step\",\"type\":\"number\",\"default\":0,\"min\":0," \
	"\"doc\":\"steps are step/√t; 0 takes diameter/Lipschitz constant of the losses, or 1\"}]}"

/* The game: its domain, and the state of the learner. */
static enum { BOX, BALL, SIMPLEX } domain;
static int n;                 /* the dimension */
static double *lower, *upper; /* of a box */
static double *center;        /* of a ball */
static double size;           /* the radius of a ball, the scale of a simplex */
static double *x, step;

static cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void *checked(void *memory)
{
	if (memory == NULL) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

/* numbers returns a copy of an array, which the caller frees. */
static double *numbers(const cJSON *array)
{
	double *copy = checked(calloc(cJSON_GetArraySize(array) + 1, sizeof *copy)), *v = copy;
	const cJSON *element;
	cJSON_ArrayForEach(element, array) *v++ = element->valuedouble;
	return copy;
}

/* distance returns ‖a − b‖, of numbers whose squares neither overflow nor underflow. */
static double distance(const double *a, const double *b)
{
	double s[4] = {0};
	for (int i = 0; i < n; i++)
		s[i % 4] += (a[i] - b[i]) * (a[i] - b[i]);
	return sqrt((s[0] + s[1]) + (s[2] + s[3]));
}

static double diameter(void)
{
	return domain == BOX ? distance(upper, lower) : domain == BALL ? 2 * size : n > 1 ? sqrt(2) * size : 0;
}

/* project_simplex moves x to max(0, x − θ), with θ by the method of Michelot (1986). */
static void project_simplex(void)
{
	double sum = 0, residual = 0, top = x[0], theta = -size;
	for (int i = 0; i < n; i++) {
		sum += x[i];
		residual = fmax(residual, -x[i]);
		top = fmax(top, x[i]);
	}
	if (fmax(residual, fabs(sum - size)) <= 2e-16 * size * n) {
		for (int i = 0; i < n; i++)
			x[i] = x[i] > 0 ? x[i] : 0;
		return;
	}
	for (int last = n + 1;;) {
		int above = 0;
		sum = 0;
		for (int i = 0; i < n; i++) {
			if (x[i] - top > theta) {
				sum += x[i] - top;
				above++;
			}
		}
		if (above >= last)
			break;
		theta = (sum - size) / above;
		last = above;
	}
	int support = 0;
	sum = 0;
	for (int i = 0; i < n; i++) {
		x[i] = fmax(0, x[i] - top - theta);
		sum += x[i];
		support += x[i] > 0;
	}
	for (int i = 0; i < n; i++)
		if (x[i] > 0)
			x[i] = fmax(0, x[i] + (size - sum) / support);
}

/* project moves x to the point of the domain nearest to it. */
static void project(void)
{
	if (domain == SIMPLEX) {
		project_simplex();
	} else if (domain == BALL) {
		double d = distance(x, center);
		for (int i = 0; d > size && i < n; i++)
			x[i] = center[i] + size * ((x[i] - center[i]) / d);
	} else {
		for (int i = 0; i < n; i++)
			x[i] = x[i] < lower[i] ? lower[i] : x[i] > upper[i] ? upper[i] : x[i];
	}
}

/* begin begins a game at the projection of the origin. It returns false if it does not
   know the domain. */
static bool begin(const cJSON *game)
{
	const cJSON *d = member(game, "domain"), *set;

	free(lower), free(upper), free(center), free(x);
	lower = upper = center = x = NULL;
	if ((set = member(d, "box")) != NULL) {
		domain = BOX;
		n = cJSON_GetArraySize(member(set, "lower"));
		lower = numbers(member(set, "lower"));
		upper = numbers(member(set, "upper"));
	} else if ((set = member(d, "ball")) != NULL) {
		domain = BALL;
		n = cJSON_GetArraySize(member(set, "center"));
		center = numbers(member(set, "center"));
		size = cJSON_GetNumberValue(member(set, "radius"));
	} else if ((set = member(d, "simplex")) != NULL) {
		domain = SIMPLEX;
		n = (int)cJSON_GetNumberValue(member(set, "dim"));
		size = cJSON_GetNumberValue(member(set, "scale"));
	} else {
		n = 0;
		return false;
	}
	x = checked(calloc(n, sizeof *x));
	project();

	double lipschitz = cJSON_GetNumberValue(member(member(game, "facts"), "loss_lipschitz"));
	step = cJSON_GetNumberValue(member(member(game, "parameters"), "step"));
	if (step == 0)
		step = lipschitz > 0 && diameter() > 0 ? diameter() / lipschitz : 1;
	return true;
}

/* tell ends a round. */
static void tell(const cJSON *params)
{
	double alpha = step / sqrt(cJSON_GetNumberValue(member(params, "t")));
	double *gradient = numbers(member(member(params, "loss"), "subgradient"));
	for (int i = 0; i < n; i++)
		x[i] -= alpha * gradient[i];
	free(gradient);
	project();
}

static void answer(const char *method, const cJSON *call)
{
	const cJSON *params = member(call, "params"), *game = member(params, "game");
	char *id = checked(cJSON_PrintUnformatted(member(call, "id")));

	printf("{\"jsonrpc\":\"2.0\",\"id\":%s,", id);
	free(id);
	if (strcmp(method, "initialize") == 0) {
		if (game == NULL || begin(game))
			printf("\"result\":" DECLARATION "}\n");
		else
			printf("\"error\":{\"code\":-32602,\"message\":\"an unknown domain\"}}\n");
	} else if (strcmp(method, "ask") == 0 || strcmp(method, "tell") == 0) {
		if (strcmp(method, "tell") == 0)
			tell(params);
		printf("\"result\":{\"x\":[");
		for (int i = 0; i < n; i++)
			printf("%s%.17g", i > 0 ? "," : "", x[i]);
		printf("]}}\n");
	} else {
		printf("\"error\":{\"code\":-32601,\"message\":\"an unknown method\"}}\n");
	}
	fflush(stdout);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, stdin) > 0) {
		cJSON *call = cJSON_Parse(line);
		const char *method = cJSON_GetStringValue(member(call, "method"));
		if (method == NULL) {
			fprintf(stderr, "not a call: %s", line);
			return 1;
		}
		if (strcmp(method, "shutdown") == 0)
			return 0;
		answer(method, call);
		cJSON_Delete(call);
	}
	return 0;
}
