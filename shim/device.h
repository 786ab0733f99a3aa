/*
 * device.h - what is behind a file, in numbers: limits that sysfs tells, latency that reads do.
 */
#ifndef PRS_DEVICE_H
#define PRS_DEVICE_H

#include "shim/shim.h"

struct prs_device {
	uint64_t dev;
	bool known;
	bool data; /* files here hold data; not so in /proc and its like */
	bool helpable; /* advice can do something here */
	bool fuse;
	uint64_t request; /* bytes; a longer call is cut short by the kernel, silently */
	uint64_t readahead; /* bytes; the kernel's own largest window */
	uint32_t channels; /* requests to keep it busy with */
	uint32_t queue; /* requests it takes before a call blocks, or before they are dropped */
	bool rotational;
	uint64_t latency_ns; /* upper quartile of waits that we had no part in; 0: not known */
	/* Requests under way, as if they left at the rate that channels and latency allow. */
	uint64_t underway, underway_ns;
};

/* Under the lock. The device of a file system; asks sysfs the first time. */
struct prs_device *prs_device_of(int fd, uint64_t dev);

/* Under the lock. A read waited although nobody had advised it. */
void prs_device_waited(struct prs_device *device, uint64_t wait_ns);

/* Under the lock. As the detector wants it, as of now. */
struct prd_device prs_device_numbers(struct prs_device *device, uint64_t now_ns);

/* Under the lock. So many requests are on their way. */
void prs_device_sent(struct prs_device *device, uint64_t requests);

#endif
