# preread: `make help` lists the targets. CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS and CC are the
# user's; what the code itself needs is kept in variables of its own (OUR_*).
#
# Each folder of C files is a room, and a room is whatever *.c it holds: no list to keep.
#   detector/                      -> build/libpreread-detector.a
#   shim/ + common/ + detector/    -> build/libpreread.so
#   command/ + common/             -> build/preread
#   bench/slowdisk* bench/model*   -> build/slowdisk (needs libfuse3)
#   bench/NAME.c                   -> build/NAME
#   examples/NAME.c                -> build/examples/NAME
#   tests/unit/*.c                 -> build/tests/unit (needs Criterion)
#   tests/victims/NAME.c           -> build/tests/victims/NAME

PREFIX     = /usr/local
BINDIR     = $(PREFIX)/bin
LIBDIR     = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
MANDIR     = $(PREFIX)/share/man
DOCDIR     = $(PREFIX)/share/doc/preread
DESTDIR    =

CC         = gcc
AR         = ar
INSTALL    = install
PKG_CONFIG = pkg-config
CFLAGS     = -O2 -g

VERSION := $(shell sed -n 's/.*PR_VERSION "\(.*\)"/\1/p' common/version.h)

# A sanitized build keeps to a folder of its own; only the unit tests run there, since a
# sanitizer's runtime cannot be preloaded into programs that were built without it.
SAN =
ifeq ($(SAN),)
BUILD = build
else
BUILD = build/san
SAN_FLAGS = -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
OBJ = $(BUILD)/obj

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef \
       -Wpointer-arith -Wwrite-strings -Wvla
ifneq ($(filter-out 0 false,$(CI)),)
WARN += -Werror
endif

OUR_CPPFLAGS = -I. -D_GNU_SOURCE
OUR_CFLAGS   = -std=gnu11 $(WARN) -fno-common $(SAN_FLAGS)
OUR_LDFLAGS  = $(SAN_FLAGS)
COMPILE      = $(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS)
DEPENDENCIES = -MMD -MP

# One short line for each step; V=1 shows the commands.
quiet = $(if $(V),,@printf '  %-4s %s\n' $(1) $@;)

# What lies inside other people's programs. _FORTIFY_SOURCE goes after the user's flags: it
# would add __*_chk symbols, which a program on another libc cannot resolve.
LIB_CFLAGS  = -fPIC -fvisibility=hidden -fno-plt -ftls-model=initial-exec -U_FORTIFY_SOURCE
LIB_LDFLAGS = -shared -Wl,--version-script=shim/symbols.map \
              -Wl,-z,relro,-z,now -Wl,-z,defs

detector_o := $(patsubst %.c,$(OBJ)/%.o,$(wildcard detector/*.c))
shim_o     := $(patsubst %.c,$(OBJ)/%.o,$(wildcard shim/*.c))
inside_o   := $(patsubst %.c,$(OBJ)/inside/%.o,$(wildcard common/*.c))
common_o   := $(patsubst %.c,$(OBJ)/%.o,$(wildcard common/*.c))
command_o  := $(patsubst %.c,$(OBJ)/%.o,$(wildcard command/*.c))
slowdisk_o := $(patsubst %.c,$(OBJ)/%.o,$(wildcard bench/slowdisk*.c bench/model*.c))
unit_o     := $(patsubst %.c,$(OBJ)/%.o,$(wildcard tests/unit/*.c))
bench_c    := $(filter-out bench/slowdisk%.c bench/model%.c,$(wildcard bench/*.c))
bench      := $(patsubst bench/%.c,$(BUILD)/%,$(bench_c))
examples   := $(patsubst %.c,$(BUILD)/%,$(wildcard examples/*.c))
victims    := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/victims/*.c))

detector = $(if $(detector_o),$(BUILD)/libpreread-detector.a)
library  = $(if $(shim_o),$(BUILD)/libpreread.so)
command  = $(if $(command_o),$(BUILD)/preread)
slowdisk = $(if $(slowdisk_o),$(BUILD)/slowdisk)
unit     = $(if $(unit_o),$(BUILD)/tests/unit)

fuse_found      = $(shell $(PKG_CONFIG) --exists fuse3 2>/dev/null && echo yes)
criterion_found = $(shell $(PKG_CONFIG) --exists criterion 2>/dev/null && echo yes)

# What a program that embeds the detector includes, as <preread/...>.
public_h = detector.h behaviours.h

all: $(detector) $(library) $(command)

help:
	@echo 'make all          the library and the command, in $(BUILD)/'
	@echo 'make check        every test that this user and machine permit'
	@echo 'make demo         what preread gains, on a modelled slow disk'
	@echo 'make bench        the scoreboard'
	@echo 'make install      PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'
	@echo 'make uninstall installcheck dist lint clean'

# Objects depend on the flags they were made with: a change of CFLAGS or PREFIX rebuilds.
FORCE:
$(OBJ)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILE) $(LDFLAGS)' | cmp -s - $@ || echo '$(COMPILE) $(LDFLAGS)' >$@
$(OBJ)/libdir: FORCE
	@mkdir -p $(@D)
	@echo '$(LIBDIR)' | cmp -s - $@ || echo '$(LIBDIR)' >$@

$(detector_o) $(shim_o): $(OBJ)/%.o: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(COMPILE) $(LIB_CFLAGS) $(DEPENDENCIES) -c -o $@ $<

$(inside_o): $(OBJ)/inside/%.o: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(COMPILE) $(LIB_CFLAGS) $(DEPENDENCIES) -c -o $@ $<

$(common_o) $(command_o) $(unit_o): $(OBJ)/%.o: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(COMPILE) $(DEPENDENCIES) -c -o $@ $<

$(command_o): OUR_CPPFLAGS += -DPREREAD_LIBDIR='"$(LIBDIR)"'
$(command_o): $(OBJ)/libdir
# Criterion's TestSuite macros make functions that no header declares.
$(unit_o): OUR_CFLAGS += -Wno-missing-prototypes

$(slowdisk_o): $(OBJ)/%.o: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(COMPILE) $(shell $(PKG_CONFIG) --cflags fuse3) -pthread $(DEPENDENCIES) -c -o $@ $<

$(BUILD)/libpreread-detector.a: $(detector_o)
	@rm -f $@
	$(call quiet,AR)$(AR) rcs $@ $^

$(BUILD)/libpreread.so: $(shim_o) $(inside_o) $(detector_o) shim/symbols.map
	$(call quiet,LD)$(CC) $(CFLAGS) $(OUR_LDFLAGS) $(LDFLAGS) $(LIB_LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS) -ldl

$(BUILD)/preread: $(command_o) $(common_o)
	$(call quiet,LD)$(CC) $(CFLAGS) $(OUR_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/slowdisk: $(slowdisk_o)
	$(call quiet,LD)$(CC) $(CFLAGS) $(OUR_LDFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(LDLIBS) \
		$(shell $(PKG_CONFIG) --libs fuse3) -lm

$(BUILD)/tests/unit: $(unit_o) $(filter-out %/main.o,$(command_o)) $(common_o) $(detector_o)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(CFLAGS) $(OUR_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) \
		$(shell $(PKG_CONFIG) --libs criterion)

# Programs of one file. A victim or example that needs more says so here:
#   $(BUILD)/tests/victims/NAME: ONE_CFLAGS = -O0
ONE_CFLAGS = -O2
$(BUILD)/tests/victims/%: tests/victims/%.c $(OBJ)/flags
	@mkdir -p $(@D) $(OBJ)/one
	$(call quiet,CC)$(COMPILE) $(ONE_CFLAGS) $(DEPENDENCIES) -MF $(OBJ)/one/$(@F).d -pthread -o $@ $< $(LDFLAGS) -ldl

$(BUILD)/examples/%: examples/%.c $(OBJ)/flags $(detector)
	@mkdir -p $(@D) $(OBJ)/one
	$(call quiet,CC)$(COMPILE) $(ONE_CFLAGS) $(DEPENDENCIES) -MF $(OBJ)/one/$(@F).d -pthread -o $@ $< $(detector) $(LDFLAGS)

$(bench): $(BUILD)/%: bench/%.c $(OBJ)/flags
	@mkdir -p $(@D) $(OBJ)/one
	$(call quiet,CC)$(COMPILE) $(ONE_CFLAGS) $(DEPENDENCIES) -MF $(OBJ)/one/$(@F).d -pthread -o $@ $< $(LDFLAGS) -ldl -lm

# Where libfuse3 is missing, the disk is left out with a word; its users then skip.
tools: $(bench) $(examples)
ifneq ($(slowdisk_o),)
tools: slowdisk-if-possible
endif
slowdisk-if-possible:
	@if [ -n '$(fuse_found)' ]; then $(MAKE) --no-print-directory $(BUILD)/slowdisk; \
	else echo 'no slow disk: pkg-config finds no fuse3 (Debian: libfuse3-dev)'; fi

tests-if-possible:
	@if [ -z '$(unit)' ]; then :; \
	elif [ -n '$(criterion_found)' ]; then $(MAKE) --no-print-directory $(unit); \
	else echo 'no unit tests: pkg-config finds no criterion (Debian: libcriterion-dev)'; fi

ifeq ($(SAN),)
check: all tools $(victims) tests-if-possible
	@MAKE='$(MAKE)' tests/check $(BUILD)
else
check: tests-if-possible
	@tests/check --unit $(BUILD)
endif

demo: all tools
	@bench/demo $(BUILD)

bench: all tools
	@bench/run $(BUILD)

ifneq ($(wildcard bench/compare),)
bench-compare: all tools
	@bench/compare $(BUILD)
endif

install: all
	$(INSTALL) -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBDIR)' '$(DESTDIR)$(DOCDIR)/examples' \
		'$(DESTDIR)$(INCLUDEDIR)/preread' '$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(MANDIR)/man7'
	$(INSTALL) -m 755 $(BUILD)/preread '$(DESTDIR)$(BINDIR)/preread'
	$(INSTALL) -m 644 $(BUILD)/libpreread.so '$(DESTDIR)$(LIBDIR)/libpreread.so'
	$(INSTALL) -m 644 $(BUILD)/libpreread-detector.a '$(DESTDIR)$(LIBDIR)/libpreread-detector.a'
	for header in $(public_h); do \
		sed 's,"detector/\([a-z]*\.h\)",<preread/\1>,' detector/$$header \
			>'$(DESTDIR)$(INCLUDEDIR)/preread/'$$header; done
	$(INSTALL) -m 644 docs/preread.1 '$(DESTDIR)$(MANDIR)/man1/preread.1'
	$(INSTALL) -m 644 docs/libpreread.7 '$(DESTDIR)$(MANDIR)/man7/libpreread.7'
	$(INSTALL) -m 644 README.md NEWS LICENSE '$(DESTDIR)$(DOCDIR)'
	for file in $(wildcard examples/*); do \
		mode=644; [ ! -x $$file ] || mode=755; \
		$(INSTALL) -m $$mode $$file '$(DESTDIR)$(DOCDIR)/examples' || exit 1; done
	@# So that LD_PRELOAD=libpreread.so finds it by name: the loader's cache must know it.
	-[ -n '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || PATH="$$PATH:/sbin:/usr/sbin" ldconfig

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/preread' '$(DESTDIR)$(LIBDIR)/libpreread.so' \
		'$(DESTDIR)$(LIBDIR)/libpreread-detector.a' \
		$(public_h:%='$(DESTDIR)$(INCLUDEDIR)/preread/%') \
		'$(DESTDIR)$(MANDIR)/man1/preread.1' '$(DESTDIR)$(MANDIR)/man7/libpreread.7'
	rm -rf '$(DESTDIR)$(DOCDIR)'
	-rmdir '$(DESTDIR)$(INCLUDEDIR)/preread'

installcheck: all
	@MAKE='$(MAKE)' CC='$(CC)' tests/installcheck $(BUILD)

# Reproducible: the same files give the same bytes, whoever packs them and when.
dist:
	@git ls-files --error-unmatch Makefile >/dev/null 2>&1 || { echo 'make dist needs a git checkout' >&2; exit 1; }
	@name=preread-$(VERSION) && mkdir -p $(BUILD) && \
	date=$$(git log -1 --format=%ct 2>/dev/null || echo 0) && \
	git ls-files -z | LC_ALL=C sort -z | \
	tar --null -T - --transform="s,^,$$name/," --mtime="@$$date" --owner=0 --group=0 \
		--numeric-owner --mode=go=rX,u+rw,a-s --format=ustar -c | \
	xz -9 >$(BUILD)/$$name.tar.xz && echo $(BUILD)/$$name.tar.xz

lint:
	@tests/lint

clean:
	rm -rf build

-include $(wildcard $(OBJ)/*/*.d $(OBJ)/*/*/*.d)

.PHONY: all help check demo bench bench-compare install uninstall installcheck dist lint \
	clean tools slowdisk-if-possible tests-if-possible FORCE
.DELETE_ON_ERROR:
