# Two commands do everything on a Debian machine, set-up included:
#
#   make demo    find near-duplicates among the documents on this machine
#   make test    run every test
#
# make remove-setup removes the packages that these have installed. make torture, test/torture/run.sh, takes ten minutes.
#
# The rest is an ordinary PGXS build: make, make install, make installcheck. Another directory can be the build
# directory: make -f path/to/Makefile. CXXFLAGS, CPPFLAGS, LDFLAGS and COPT are added to the flags below.

TOP := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
PG_CONFIG ?= pg_config

EXTENSION = simhash simhash_compat
# This control file is the one source of the version.
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(TOP)/simhash.control)

MODULE_big = simhash
# src/module.cpp on top, then src/am, src/pg and src/core.
SOURCES := $(sort $(patsubst $(TOP)/%,%,$(wildcard $(addprefix $(TOP)/src/,*.cpp */*.cpp */*/*.cpp))))
OBJS := $(SOURCES:.cpp=.o)
# The scripts sql/simhash--A--B.sql, which lead from release A to B, and those of the releases A.
UPDATES := $(patsubst $(TOP)/%,%,$(wildcard $(TOP)/sql/*--*--*.sql))
DATA = $(UPDATES) $(sort $(foreach script,$(UPDATES),$(subst $() $(),--,$(wordlist 1,2,$(subst --, ,$(script)))).sql))
DATA_built = $(EXTENSION:%=sql/%--$(EXTVERSION).sql)
# The pages, their programs, packages and plots keep their places, so that the links between them hold.
# Installing a package from the checkout leaves a directory .egg-info beside it.
DOCUMENTS := $(patsubst $(TOP)/%,%,$(filter-out %.egg-info,$(wildcard $(addprefix $(TOP)/,*.md LICENSE NOTICE doc/*.* \
	doc/drivers/* doc/engines/* clients/*/*.* clients/*/lib/*.* clients/*/pg_simhash/*.* src/am/*.md bench/*.md \
	bench/*/*.md bench/*/*.svg))))
EXTRA_CLEAN = $(OBJS:.o=.d) compile-flags regression.log

REGRESS := $(sort $(basename $(notdir $(wildcard $(TOP)/test/sql/*.sql))))
REGRESS_OPTS = --inputdir=$(TOP)/test --load-extension=simhash
# Expected outputs are looked for in the build directory; up to PostgreSQL 16 that can't be told otherwise.
REGRESS_PREP = $(if $(filter-out $(CURDIR),$(abspath $(TOP))),link-expected)
ISOLATION := $(sort $(basename $(notdir $(wildcard $(TOP)/test/isolation/specs/*.spec))))
ISOLATION_OPTS = --inputdir=$(TOP)/test/isolation --load-extension=simhash
# The rule of PGXS runs all tests in one database; ours is below.
NO_INSTALLCHECK = 1

WARNINGS = -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wvla -Wundef -Wmissing-declarations
# src/core knows no PostgreSQL: it is compiled without its include path, so the compiler enforces it.
CORE_CXXFLAGS = -std=c++20 -O2 -g -fPIC -fno-exceptions -fno-rtti -fno-math-errno -ffp-contract=off \
	-fvisibility=hidden -fstack-protector-strong $(WARNINGS) -I$(TOP)/src
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
$(foreach file,$(EXTENSION:%=%.control) $(DATA),$(eval vpath $(file) $(TOP)))

# PostgreSQL's headers rely on -fno-strict-aliasing and -fwrapv. START_CRIT_SECTION increments a volatile variable.
SERVER_CXXFLAGS = $(CORE_CXXFLAGS) -fno-strict-aliasing -fwrapv -Wno-deprecated-volatile \
	-isystem $(includedir_server) -D_GNU_SOURCE
# For a server with assertions, those of src/core, too.
ifneq ($(findstring --enable-cassert,$(shell $(PG_CONFIG) --configure)),)
CORE_CXXFLAGS += -DSIMHASH_ASSERTIONS
endif
# A build for tests alone: src/am/index/failpoint.hpp.
ifdef FAILPOINTS
SERVER_CXXFLAGS += -DSIMHASH_FAILPOINTS
endif
COMPILE_CORE = $(CXX) $(CORE_CXXFLAGS) $(USER_FLAGS) $(COPT) $(PROFILE)
COMPILE_SERVER = $(CXX) $(SERVER_CXXFLAGS) $(USER_FLAGS) $(COPT) $(PROFILE)

src/core/%.o: $(TOP)/src/core/%.cpp compile-flags
	@mkdir -p $(@D)
	$(COMPILE_CORE) -MMD -MP -c -o $@ $<
src/%.o: $(TOP)/src/%.cpp compile-flags
	@mkdir -p $(@D)
	$(COMPILE_SERVER) -MMD -MP -c -o $@ $<
-include $(OBJS:.o=.d)

# Objects compiled with other flags are compiled again.
compile-flags: FORCE
	@flags='$(subst ','\'',$(COMPILE_SERVER))'; echo "$$flags" | cmp -s - $@ || echo "$$flags" >$@
.PHONY: FORCE

ifdef docdir
DOCUMENT_DIRECTORY = $(DESTDIR)$(docdir)/extension/simhash
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
		if ($(pg_regress_installcheck) $(REGRESS_OPTS) $$name) >regression.log 2>&1; then \
			echo "ok - $$name"; \
		else \
			echo "not ok - $$name"; cat regression.log regression.diffs; failed=1; \
		fi; \
	done; exit $$failed
	$(pg_isolation_regress_installcheck) $(ISOLATION_OPTS) $(ISOLATION)
.PHONY: installcheck

$(DATA_built): sql/%--$(EXTVERSION).sql: $(TOP)/sql/%.sql $(TOP)/%.control
	@mkdir -p $(@D)
	cp $< $@
else
all install installcheck:
	@echo "No PGXS at '$(PG_CONFIG) --pgxs': install PostgreSQL's server headers (make setup does on Debian)." >&2
	@exit 1
endif

.PHONY: dist link-expected setup remove-setup demo test check-one fuzz torture mutants unit cross format check-format tidy
link-expected:
	ln -sfn $(abspath $(TOP))/expected expected
setup:
	@$(TOP)/tools/setup.sh test
remove-setup:
	@$(TOP)/tools/setup.sh remove
# The archive for PGXN, of the last commit; .gitattributes says what it leaves out. Scripts that are not in the commit
# would be missing without a word: git status does not show those of releases, which .gitignore names.
dist:
	@for file in $(DATA); do git -C $(TOP) show HEAD:$$file 2>/dev/null | cmp -s - $(TOP)/$$file || \
		{ echo "$$file is not in the last commit: git add -f $$file, and commit" >&2; exit 1; }; done
	git -C $(TOP) archive --format=zip --prefix=simhash-$(EXTVERSION)/ -o $(CURDIR)/simhash-$(EXTVERSION).zip HEAD
demo:
	@$(TOP)/demo/run.sh
test:
	@$(TOP)/test/run.sh
check-one:
	@T="$(or $(T),$(error Which test? make check-one T=name))" $(TOP)/test/run.sh
fuzz:
	@$(TOP)/test/fuzz/run.sh
# SECONDS is a variable of the shell's own, hence another name.
torture:
	@TORTURE_SECONDS="$(SECONDS)" $(TOP)/test/torture/run.sh
mutants:
	@$(TOP)/test/mutants/run.pl $(ONLY)
unit:
	@$(TOP)/test/unit/run.sh
cross:
	@$(TOP)/test/cross/run.sh
FORMATTED = $(wildcard $(foreach pattern,src/*.?pp src/*/*.?pp src/*/*/*.?pp test/unit/*.?pp test/unit/*/*.?pp \
	test/fuzz/*.?pp,$(TOP)/$(pattern)))
format:
	clang-format -i $(FORMATTED)
check-format:
	clang-format --dry-run -Werror $(FORMATTED)
tidy:
	@status=0; $(call TIDY,$(filter $(TOP)/src/core/%,$(TIDIED)),$(CORE_CXXFLAGS)) || status=1; \
	$(call TIDY,$(filter-out $(TOP)/src/core/%,$(TIDIED)),$(SERVER_CXXFLAGS)) || status=1; exit $$status
# Standard error counts warnings in system headers.
TIDY = printf '%s\n' $(1) | xargs -P "$$(nproc)" -I {} clang-tidy --quiet {} -- $(2) 2>/dev/null
TIDIED = $(addprefix $(TOP)/,$(SOURCES))
