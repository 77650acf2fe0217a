# Two commands do everything on a Debian machine, set-up included:
#
#   make demo    find near-duplicates among the documents on this machine
#   make test    run every test
#
# And one that takes ten minutes, make torture: test/torture/run.sh.
#
# The rest is an ordinary PGXS build: make, make install, make installcheck.
# VPATH builds work: make -f path/to/Makefile VPATH=path/to in an empty directory.

TOP := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
PG_CONFIG ?= pg_config

EXTENSION = simhash
# The control file is the one source of the version.
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(TOP)/simhash.control)

MODULE_big = simhash
# src/module.cpp above all, then src/am, src/pg and src/core, each in rooms.
SOURCES := $(sort $(patsubst $(TOP)/%,%,$(wildcard $(addprefix $(TOP)/src/,*.cpp */*.cpp */*/*.cpp))))
OBJS := $(SOURCES:.cpp=.o)
DATA = $(patsubst $(TOP)/%,%,$(wildcard $(TOP)/sql/simhash--*--*.sql))
DATA_built = sql/simhash--$(EXTVERSION).sql
DOCS = $(patsubst $(TOP)/%,%,$(wildcard $(TOP)/doc/*))
EXTRA_CLEAN = $(OBJS:.o=.d)

REGRESS := $(sort $(basename $(notdir $(wildcard $(TOP)/test/sql/*.sql))))
REGRESS_OPTS = --inputdir=$(TOP)/test --load-extension=simhash
# Expected outputs are looked for in the build directory; up to PostgreSQL 16 that can't be told otherwise.
REGRESS_PREP = $(if $(filter-out $(CURDIR),$(abspath $(TOP))),link-expected)
ISOLATION := $(sort $(basename $(notdir $(wildcard $(TOP)/test/isolation/specs/*.spec))))
ISOLATION_OPTS = --inputdir=$(TOP)/test/isolation --load-extension=simhash

WARNINGS = -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wvla -Wundef -Werror
# src/core knows no PostgreSQL: it is compiled without its include path, so the compiler enforces it.
CORE_CXXFLAGS = -std=c++20 -O2 -g -fPIC -fno-exceptions -fno-rtti -fno-math-errno -ffp-contract=off \
	-fvisibility=hidden -fstack-protector-strong $(WARNINGS) -I$(TOP)/src

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifneq ($(wildcard $(PGXS)),)
# Bitcode for the JIT would not pay: the functions are called through the function manager either way.
override with_llvm = no
include $(PGXS)

SERVER_CXXFLAGS = $(CORE_CXXFLAGS) -isystem $(includedir_server) -D_GNU_SOURCE
# A build for tests alone: src/am/tree/failpoint.hpp.
ifdef FAILPOINTS
SERVER_CXXFLAGS += -DSIMHASH_FAILPOINTS
endif

src/core/%.o: $(TOP)/src/core/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CORE_CXXFLAGS) -MMD -MP -c -o $@ $<
src/%.o: $(TOP)/src/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(SERVER_CXXFLAGS) -MMD -MP -c -o $@ $<
-include $(OBJS:.o=.d)

sql/simhash--$(EXTVERSION).sql: $(TOP)/sql/simhash.sql $(TOP)/simhash.control
	@mkdir -p $(@D)
	cp $< $@
else
all install installcheck:
	@echo "No PGXS at '$(PG_CONFIG) --pgxs': install PostgreSQL's server headers (make setup does on Debian)." >&2
	@exit 1
endif

.PHONY: link-expected setup demo test fuzz torture unit cross format check-format
link-expected:
	ln -sfn $(abspath $(TOP))/expected expected
setup:
	@$(TOP)/tools/setup.sh
demo:
	@$(TOP)/demo/run.sh
test:
	@$(TOP)/test/run.sh
fuzz:
	@$(TOP)/test/fuzz/run.sh
# SECONDS is a variable of the shell's own, hence another name.
torture:
	@TORTURE_SECONDS="$(SECONDS)" $(TOP)/test/torture/run.sh
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
