#include "shim/device.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "common/text.h"
#include "shim/proc.h"

#define DEVICES 32

/* What the kernel falls back to: one maximal read-ahead window of 128 KiB. */
#define REQUEST_FALLBACK (128 * 1024)
/* mm's default; a fuse connection counts as congested from three quarters of 12 on. */
#define FUSE_CONGESTED 9
/* A typical hard disk, where sysfs says that it turns. */
#define SEEK_NS		    8000000
#define TURNING_BYTES_PER_S 150000000

static struct prs_device devices[DEVICES];

/* The number in a small file, or `otherwise`. */
static uint64_t number_in(const char *path, uint64_t otherwise)
{
	char text[32];

	if (!prs_slurp(path, text, sizeof(text)) || text[0] < '0' || text[0] > '9')
		return otherwise;
	return prs_number(text);
}

static uint64_t number_of(const char *before, uint64_t dev, const char *after,
			  uint64_t otherwise)
{
	char path[128];
	struct pr_text t;

	pr_text_init(&t, path, sizeof(path));
	pr_text_add(&t, before);
	pr_text_u64(&t, major(dev));
	pr_text_add(&t, ":");
	pr_text_u64(&t, minor(dev));
	pr_text_add(&t, after);
	return t.cut ? otherwise : number_in(path, otherwise);
}

/* A partition has no queue of its own: its parent's is one folder up. */
static uint64_t queue_number(uint64_t dev, const char *own, const char *parents,
			     uint64_t otherwise)
{
	uint64_t value = number_of("/sys/dev/block/", dev, own, UINT64_MAX);

	if (value == UINT64_MAX)
		value = number_of("/sys/dev/block/", dev, parents, UINT64_MAX);
	return value == UINT64_MAX ? otherwise : value;
}

/* Files that the kernel makes up. */
static bool holds_data(const struct statfs *fs)
{
	switch ((unsigned long)fs->f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
	case SECURITYFS_MAGIC:
	case BPF_FS_MAGIC:
		return false;
	default:
		return true;
	}
}

/* Files whose pages come from no device; and Lustre's, for which advice does nothing. */
static bool needs_no_help(const struct statfs *fs)
{
	return fs->f_type == TMPFS_MAGIC || fs->f_type == RAMFS_MAGIC ||
	       (unsigned long)fs->f_type == HUGETLBFS_MAGIC || fs->f_type == 0x0bd00bd0;
}

static uint64_t fuse_congested(uint64_t dev)
{
	char path[96];
	struct pr_text t;

	pr_text_init(&t, path, sizeof(path));
	pr_text_add(&t, "/sys/fs/fuse/connections/");
	pr_text_u64(&t, minor(dev));
	pr_text_add(&t, "/congestion_threshold");
	return number_in(path, FUSE_CONGESTED);
}

static void ask(struct prs_device *device, int fd)
{
	struct statfs fs;
	uint64_t dev = device->dev, sectors, queue;

	if (prs_sys(SYS_fstatfs, fd, (long)&fs, 0, 0) || !holds_data(&fs))
		return;
	device->data = true;
	if (needs_no_help(&fs))
		return;
	device->helpable = true;
	device->readahead =
		number_of("/sys/class/bdi/", dev, "/read_ahead_kb", REQUEST_FALLBACK / 1024) *
		1024;
	if (fs.f_type == FUSE_SUPER_MAGIC) {
		/* Beyond the threshold requests are dropped, silently. */
		queue = fuse_congested(dev);
		device->fuse = true;
		device->queue = (uint32_t)(queue - queue / 8);
		device->channels = (uint32_t)(queue - queue / 4);
		device->request = device->readahead;
		return;
	}
	sectors = queue_number(dev, "/queue/max_sectors_kb", "/../queue/max_sectors_kb", 0);
	queue = queue_number(dev, "/queue/nr_requests", "/../queue/nr_requests", 128);
	device->rotational = queue_number(dev, "/queue/rotational", "/../queue/rotational", 0);
	device->request =
		sectors * 1024 > device->readahead ? sectors * 1024 : device->readahead;
	device->queue = (uint32_t)(queue - queue / 8);
	device->channels = (uint32_t)(queue / 2);
}

static void sane(struct prs_device *device)
{
	if (device->request < 4096)
		device->request = REQUEST_FALLBACK;
	if (device->channels < 2)
		device->channels = 2;
	if (device->queue < 4)
		device->queue = 4;
}

struct prs_device *prs_device_of(int fd, uint64_t dev)
{
	static unsigned next;
	struct prs_device *device;

	for (unsigned i = 0; i < DEVICES; i++)
		if (devices[i].known && devices[i].dev == dev)
			return &devices[i];
	/* A place is never given away while a file may point to it: the last one is shared. */
	device = &devices[next < DEVICES - 1 ? next++ : DEVICES - 1];
	*device = (struct prs_device){.dev = dev, .known = true};
	ask(device, fd);
	sane(device);
	return device;
}

void prs_device_waited(struct prs_device *device, uint64_t wait_ns)
{
	/* A running quantile: three steps down for one up settle at the upper quartile. The
	 * upper one, because reads that find the kernel half way wait only for the rest. */
	if (!device->latency_ns)
		device->latency_ns = wait_ns;
	else if (wait_ns > device->latency_ns)
		device->latency_ns += device->latency_ns / 8;
	else
		device->latency_ns -= device->latency_ns / 24;
}

struct prd_device prs_device_numbers(struct prs_device *device, uint64_t now_ns)
{
	uint64_t latency = device->latency_ns ? device->latency_ns : 1000000;
	/* An arm serves its queue one by one; a few, since neighbours go together. */
	uint64_t at_once = device->rotational ? 4 : device->channels;
	uint64_t each = latency / at_once + 1, gone = (now_ns - device->underway_ns) / each;

	if (gone < device->underway) {
		device->underway -= gone;
		device->underway_ns += gone * each;
	} else {
		device->underway = 0;
		device->underway_ns = now_ns;
	}
	return (struct prd_device){
		.latency_ns = device->latency_ns,
		.bytes_per_s = device->rotational ? TURNING_BYTES_PER_S : 0,
		.positioning_ns = device->rotational ? SEEK_NS : 0,
		.readahead = device->readahead,
		.request = device->request,
		.channels = device->channels,
		.room = device->queue > device->underway
				? device->queue - (uint32_t)device->underway
				: 0,
	};
}

void prs_device_sent(struct prs_device *device, uint64_t requests)
{
	device->underway += requests;
}
