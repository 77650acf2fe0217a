# What the Makefiles of the extensions of this repository have in common. They set, before they include it:
#
#   TOP           the directory of the extension, which has its control file, and its script in sql
#   EXTENSION, MODULE_big, REGRESS_OPTS, ISOLATION, ISOLATION_OPTS      as PGXS knows them
#   SOURCES       the files that are compiled, seen from TOP
#   CORE_SOURCES  those of them that know no PostgreSQL
#   INCLUDES      directories of headers
#   DOCUMENTS     the pages to install, seen from TOP, into DOCUMENT_SUBDIRECTORY
#
# and then call `compile` for the places of their objects.

PARTS_PROGRAM := $(dir $(lastword $(MAKEFILE_LIST)))install-script.awk
TIDY_PROGRAM := $(dir $(lastword $(MAKEFILE_LIST)))../tools/tidy.sh
# The control file is the one source of the version.
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(TOP)/$(EXTENSION).control)
# The scripts sql/EXTENSION--A--B.sql, which lead from release A to B, and those of the releases A.
UPDATES := $(patsubst $(TOP)/%,%,$(wildcard $(TOP)/sql/*--*--*.sql))
DATA = $(UPDATES) $(sort $(foreach script,$(UPDATES),$(subst $() $(),--,$(wordlist 1,2,$(subst --, ,$(script)))).sql))
DATA_built = sql/$(EXTENSION)--$(EXTVERSION).sql
EXTRA_CLEAN = $(OBJS:.o=.d) compile-flags regression.log

REGRESS := $(sort $(basename $(notdir $(wildcard $(TOP)/test/sql/*.sql))))
# Expected outputs are looked for in the build directory; up to PostgreSQL 16 that can't be told otherwise.
REGRESS_PREP = $(if $(filter-out $(CURDIR),$(abspath $(TOP))),link-expected)
# The rule of PGXS runs all tests in one database; ours is below.
NO_INSTALLCHECK = 1

WARNINGS = -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wvla -Wundef -Wmissing-declarations
# The core knows no PostgreSQL: it is compiled without its include path, so the compiler enforces it.
CORE_CXXFLAGS = -std=c++20 -O2 -g -fPIC -fno-exceptions -fno-rtti -fno-math-errno -ffp-contract=off \
	-fvisibility=hidden -fstack-protector-strong $(WARNINGS) $(INCLUDES:%=-I%)
# On the command line these are for PGXS or for us; in the environment they belong to other programs.
$(foreach name,DATA_TSEARCH DOCS ENCODING FAILPOINTS HEADERS HEADERS_built MODULEDIR MODULES NO_LOCALE PG_CFLAGS PG_CPPFLAGS \
	PG_CXXFLAGS PG_LDFLAGS PG_LIBS PROFILE PROGRAM SCRIPTS SCRIPTS_built SHLIB_LINK TAP_TESTS,\
	$(if $(filter environment,$(origin $(name))),$(eval undefine $(name))))
# What the user sets, before PGXS sets its own.
USER_FLAGS := $(CPPFLAGS) $(CXXFLAGS)
USER_LDFLAGS := $(LDFLAGS)

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifneq ($(wildcard $(PGXS)),)
# Bitcode for the JIT would not pay: the functions are called through the function manager either way.
override with_llvm = no
# On the command line LDFLAGS takes the place of PGXS's; from the environment it would be lost.
ifeq ($(origin LDFLAGS),environment)
SHLIB_LINK = $(USER_LDFLAGS)
endif
include $(PGXS)
# The sources are found by their full names. A search path would also find the products of a build in the source
# tree, and take them for those of this build.
srcdir := $(TOP)
override VPATH :=
$(foreach file,$(EXTENSION).control $(DATA),$(eval vpath $(file) $(TOP)))

# PostgreSQL's headers rely on -fno-strict-aliasing and -fwrapv. START_CRIT_SECTION increments a volatile variable.
SERVER_CXXFLAGS = $(CORE_CXXFLAGS) -fno-strict-aliasing -fwrapv -Wno-deprecated-volatile \
	-isystem $(includedir_server) -D_GNU_SOURCE
# For a server with assertions, those of the core and of the library, too.
ifneq ($(findstring --enable-cassert,$(shell $(PG_CONFIG) --configure)),)
CORE_CXXFLAGS += -DSIMHASH_ASSERTIONS -D_GLIBCXX_ASSERTIONS
endif
# A build for tests alone: src/am/index/failpoint.hpp.
ifdef FAILPOINTS
SERVER_CXXFLAGS += -DSIMHASH_FAILPOINTS
endif
COMPILE_CORE = $(CXX) $(CORE_CXXFLAGS) $(USER_FLAGS) $(COPT) $(PROFILE)
COMPILE_SERVER = $(CXX) $(SERVER_CXXFLAGS) $(USER_FLAGS) $(COPT) $(PROFILE)

# $(call compile,CORE or SERVER,objects,sources): two directories.
define compile
$(2)/%.o: $(3)/%.cpp compile-flags
	@mkdir -p $$(@D)
	$$(COMPILE_$(1)) -MMD -MP -c -o $$@ $$<
endef
-include $(OBJS:.o=.d)

# Objects whose source is gone, in a build that is kept: the programs of bench link with whatever is there.
STALE := $(filter-out $(OBJS),$(shell find src shared -name '*.o' 2>/dev/null))
$(if $(STALE),$(shell rm -f $(STALE) $(STALE:.o=.d)))

# Objects compiled with other flags are compiled again.
compile-flags: FORCE
	@flags='$(subst ','\'',$(COMPILE_SERVER))'; echo "$$flags" | cmp -s - $@ || echo "$$flags" >$@
.PHONY: FORCE

ifdef docdir
DOCUMENT_DIRECTORY = $(DESTDIR)$(docdir)/extension/$(DOCUMENT_SUBDIRECTORY)
install: install-documents
uninstall: uninstall-documents
install-documents:
	$(MKDIR_P) $(sort $(dir $(DOCUMENTS:%='$(DOCUMENT_DIRECTORY)'/%)))
	$(foreach file,$(DOCUMENTS),$(INSTALL_DATA) $(TOP)/$(file) '$(DOCUMENT_DIRECTORY)/$(dir $(file))' &&) :
uninstall-documents:
	rm -rf '$(DOCUMENT_DIRECTORY)'
.PHONY: install-documents uninstall-documents
endif

# Each test has a database of its own.
installcheck: $(REGRESS_PREP)
	@failed=0; for name in $(REGRESS); do \
		if (PG_ABS_SRCDIR=$(TOP)/test $(pg_regress_installcheck) $(REGRESS_OPTS) $$name) >regression.log 2>&1; then \
			echo "ok - $$name"; \
		else \
			echo "not ok - $$name"; cat regression.log regression.diffs; failed=1; \
		fi; \
	done; exit $$failed
	$(if $(ISOLATION),$(pg_isolation_regress_installcheck) $(ISOLATION_OPTS) $(ISOLATION))
.PHONY: installcheck

$(DATA_built): $(TOP)/sql/$(EXTENSION).sql $(wildcard $(TOP)/sql/$(EXTENSION)/*.sql) $(TOP)/$(EXTENSION).control $(PARTS_PROGRAM)
	@mkdir -p $(@D)
	awk -f $(PARTS_PROGRAM) $< >$@.tmp
	mv $@.tmp $@
else
all install installcheck:
	@echo "No PGXS at '$(PG_CONFIG) --pgxs': install PostgreSQL's server headers (make setup does on Debian)." >&2
	@exit 1
endif

.PHONY: check-dist link-expected tidy
link-expected:
	ln -sfn $(abspath $(TOP))/expected expected
# Before an archive is made of the last commit: scripts that are not in it would be missing without a word, since git
# status does not show those of releases, which .gitignore names.
check-dist:
	@for file in $(DATA); do git -C $(TOP) show HEAD:./$$file 2>/dev/null | cmp -s - $(TOP)/$$file || \
		{ echo "$$file is not in the last commit: git add -f $$file, and commit" >&2; exit 1; }; done
tidy:
	@status=0; $(call TIDY,$(CORE_SOURCES),$(CORE_CXXFLAGS)) || status=1; \
	$(call TIDY,$(filter-out $(CORE_SOURCES),$(SOURCES)),$(SERVER_CXXFLAGS)) || status=1; exit $$status
TIDY = $(TIDY_PROGRAM) '$(2)' $(addprefix $(TOP)/,$(1))
