/*
 * behaviours.h - the kinds of reading that preread tells apart.
 *
 * One list: the detector sets them, PREREAD_PATTERNS takes them, logs and reports print them.
 * The letter is the one by which code, tests and logs cite a behaviour.
 */
#ifndef PRD_BEHAVIOURS_H
#define PRD_BEHAVIOURS_H

/* clang-format off */
#define PRD_BEHAVIOURS(BEHAVIOUR) \
	BEHAVIOUR(CONSECUTIVE, 'A', "consecutive") \
	BEHAVIOUR(INTERLEAVED, 'B', "interleaved") \
	BEHAVIOUR(BACKWARD, 'C', "backward") \
	BEHAVIOUR(STRIDED, 'D', "strided") \
	BEHAVIOUR(SPARSE, 'E', "sparse") \
	BEHAVIOUR(REORDERED, 'F', "reordered") \
	BEHAVIOUR(DENSE, 'G', "dense") \
	BEHAVIOUR(CONTEXT, 'H', "context") \
	BEHAVIOUR(THRASHING, 'I', "thrashing") \
	BEHAVIOUR(RANDOM, 'J', "random") \
	BEHAVIOUR(ADVISED, 'K', "advised") \
	BEHAVIOUR(MAPPED, 'M', "mapped") \
	BEHAVIOUR(FILES, 'N', "files") \
	BEHAVIOUR(LEARNED, 'O', "learned") \
	BEHAVIOUR(PIPES, 'L', "pipes")
/* clang-format on */

enum prd_behaviour {
#define PRD_BEHAVIOUR_ENUM(id, letter, name) PRD_##id,
	PRD_BEHAVIOURS(PRD_BEHAVIOUR_ENUM)
#undef PRD_BEHAVIOUR_ENUM
		PRD_BEHAVIOUR_COUNT
};

#endif
