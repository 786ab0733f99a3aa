/* The command line of slowdisk. Whatever is wrong is named, with what would have been right. */
#define FUSE_USE_VERSION 32
#include <errno.h>
#include <fuse_lowlevel.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/slowdisk.h"

enum option_id {
	OPT_DISK = 256,
	OPT_FOLDER,
	OPT_MODEL,
	OPT_LATENCY,
	OPT_BANDWIDTH,
	OPT_CHANNELS,
	OPT_SEEK,
	OPT_TURN,
	OPT_GAP,
	OPT_SIZE,
	OPT_BACKING,
	OPT_DROP,
	OPT_FOREGROUND,
	OPT_HELP,
};

static const struct option options[] = {
	{"disk", no_argument, NULL, OPT_DISK},
	{"folder", required_argument, NULL, OPT_FOLDER},
	{"model", required_argument, NULL, OPT_MODEL},
	{"latency-us", required_argument, NULL, OPT_LATENCY},
	{"bandwidth", required_argument, NULL, OPT_BANDWIDTH},
	{"channels", required_argument, NULL, OPT_CHANNELS},
	{"seek-us", required_argument, NULL, OPT_SEEK},
	{"half-turn-us", required_argument, NULL, OPT_TURN},
	{"gap", required_argument, NULL, OPT_GAP},
	{"size", required_argument, NULL, OPT_SIZE},
	{"backing", required_argument, NULL, OPT_BACKING},
	{"drop-on-open", no_argument, NULL, OPT_DROP},
	{"foreground", no_argument, NULL, OPT_FOREGROUND},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

static const char usage[] =
	"usage: slowdisk [OPTION...] --disk MOUNT\n"
	"       slowdisk [OPTION...] --folder DIRECTORY MOUNT\n"
	"Serve one file, MOUNT/disk, or the files of DIRECTORY at the pace of a modelled "
	"disk.\n"
	"The program returns when the mount is there; fusermount3 -u MOUNT ends it.\n"
	"\n"
	"  --model NAME         " MODEL_NAMES "; default net; what follows it changes it\n"
	"  --latency-us N       from a request to its first byte\n"
	"  --bandwidth N        MB/s (a million bytes a second), shared by all requests\n"
	"  --channels N         requests at once, 1..1024\n"
	"  --seek-us MIN:MAX    make it an arm: shortest seek, and one across the whole disk\n"
	"  --half-turn-us N     the arm's wait for the sector after a seek\n"
	"  --gap BYTES          a forward gap that the arm turns past instead of seeking\n"
	"  --size BYTES         of --disk; default 1G; K, M, G are powers of 1024\n"
	"  --backing FILE       where --disk keeps its bytes; default in memory\n"
	"  --drop-on-open       --folder: opening a file drops its cached pages\n"
	"  --foreground         do not become a daemon\n"
	"Counters: MOUNT/stats, for a folder MOUNT/.slowdisk.\n";

static void refuse(const char *option, const char *value, const char *wanted)
{
	fprintf(stderr, "slowdisk: --%s: '%s' is not %s\n", option, value, wanted);
	exit(2);
}

/* Leaves in @end what follows the number. */
static uint64_t number(const char *option, const char *value, char **end, uint64_t most)
{
	unsigned long long n;

	errno = 0;
	n = strtoull(value, end, 10);
	if (*end == value || *value == '-' || errno || n > most)
		refuse(option, value, "a number in range");
	return n;
}

static uint64_t whole(const char *option, const char *value, uint64_t least, uint64_t most)
{
	char range[80], *end;
	uint64_t n = number(option, value, &end, UINT64_MAX);

	if (*end || n < least || n > most) {
		snprintf(range, sizeof(range), "a whole number from %llu to %llu",
			 (unsigned long long)least, (unsigned long long)most);
		refuse(option, value, range);
	}
	return n;
}

static uint64_t bytes(const char *option, const char *value)
{
	static const char suffixes[] = "KMG";
	char *end;
	uint64_t n = number(option, value, &end, UINT64_MAX >> 31);
	const char *suffix = *end ? strchr(suffixes, *end) : NULL;

	if (*end && (!suffix || end[1]))
		refuse(option, value, "a number of bytes such as 4096, 64K, 512M or 2G");
	return suffix ? n << 10 * (suffix - suffixes + 1) : n;
}

static void seek_range(const char *value)
{
	struct model_spec *spec = &settings.spec;
	char *end;
	uint64_t least = number("seek-us", value, &end, 10000000), most = 0;

	if (*end == ':')
		most = number("seek-us", end + 1, &end, 10000000);
	if (*end || most < least)
		refuse("seek-us", value, "MIN:MAX in microseconds, such as 1000:15000");
	spec->arm = true;
	spec->seek_min_ns = least * 1000;
	spec->seek_max_ns = most * 1000;
}

static void set_model(int id, const char *name, const char *value)
{
	struct model_spec *spec = &settings.spec;

	if (id == OPT_MODEL && !model_named(spec, value))
		refuse(name, value, "one of " MODEL_NAMES);
	else if (id == OPT_LATENCY)
		spec->latency_ns = whole(name, value, 0, 10000000) * 1000;
	else if (id == OPT_BANDWIDTH)
		spec->bytes_per_s = whole(name, value, 1, 1000000) * 1000000;
	else if (id == OPT_CHANNELS)
		spec->channels = (uint32_t)whole(name, value, 1, MODEL_CHANNELS);
	else if (id == OPT_SEEK)
		seek_range(value);
	else if (id == OPT_TURN)
		spec->half_turn_ns = whole(name, value, 0, 10000000) * 1000;
	else if (id == OPT_GAP)
		spec->gap_bytes = bytes(name, value);
}

static void set(int id, const char *name, const char *value, bool *is_disk)
{
	if (id == OPT_DISK)
		*is_disk = true;
	else if (id == OPT_FOLDER)
		settings.folder = value;
	else if (id == OPT_SIZE)
		settings.size = bytes(name, value) & ~4095ull;
	else if (id == OPT_BACKING)
		settings.backing = value;
	else if (id == OPT_DROP)
		settings.drop = true;
	else if (id == OPT_FOREGROUND)
		settings.foreground = true;
	else
		set_model(id, name, value);
}

void slowdisk_options(int argc, char **argv)
{
	bool is_disk = false;
	int id, at = 0;

	model_named(&settings.spec, "net");
	while ((id = getopt_long(argc, argv, "", options, &at)) != -1) {
		if (id == OPT_HELP) {
			fputs(usage, stdout);
			exit(0);
		}
		if (id == '?') {
			fputs(usage, stderr);
			exit(2);
		}
		set(id, options[at].name, optarg, &is_disk);
	}
	if (is_disk == (settings.folder != NULL) || optind != argc - 1) {
		fputs("slowdisk: needs --disk or --folder DIRECTORY, and one MOUNT\n", stderr);
		fputs(usage, stderr);
		exit(2);
	}
	if (is_disk && settings.size == 0)
		refuse("size", "0", "at least 4096");
	settings.mount = argv[optind];
	/* A folder has no end; its arm travels as on a disk of --size. */
	settings.spec.span_bytes = settings.size;
}
