#include "common/behaviours.h"

#include <string.h>

static const char *const names[PRD_BEHAVIOUR_COUNT] = {
#define BEHAVIOUR_NAME(id, letter, name) [PRD_##id] = name,
	PRD_BEHAVIOURS(BEHAVIOUR_NAME)
#undef BEHAVIOUR_NAME
};

const char *pr_behaviour_name(enum prd_behaviour b)
{
	return (unsigned)b < PRD_BEHAVIOUR_COUNT ? names[b] : "unknown";
}

enum prd_behaviour pr_behaviour_find(const char *name, size_t length)
{
	unsigned b;

	for (b = 0; b < PRD_BEHAVIOUR_COUNT; b++)
		if (strlen(names[b]) == length && memcmp(names[b], name, length) == 0)
			break;
	return (enum prd_behaviour)b;
}
