# Two commands do everything on a Debian machine, set-up included:
#
#   make demo    find near-duplicates among the documents on this machine
#   make test    run every test
#
# make remove-setup removes the packages that these have installed. make torture, test/torture/run.sh, takes ten minutes.
#
# The rest is an ordinary PGXS build: make, make install, make installcheck. Another directory can be the build
# directory: make -f path/to/Makefile. CXXFLAGS, CPPFLAGS, LDFLAGS and COPT are added to those of
# src/extension.mk.

TOP := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
PG_CONFIG ?= pg_config

EXTENSION = simhash
MODULE_big = simhash
# src/module.cpp on top, then src/am, src/pg and src/core.
SOURCES := $(sort $(patsubst $(TOP)/%,%,$(wildcard $(addprefix $(TOP)/src/,*.cpp */*.cpp */*/*.cpp))))
CORE_SOURCES := $(filter src/core/%,$(SOURCES))
OBJS := $(SOURCES:.cpp=.o)
INCLUDES = $(TOP)/src
# The pages, their programs, packages and plots keep their places, so that the links between them hold.
# Installing a package from the checkout leaves a directory .egg-info beside it.
DOCUMENTS := $(patsubst $(TOP)/%,%,$(filter-out %.egg-info,$(wildcard $(addprefix $(TOP)/,*.md LICENSE NOTICE doc/*.* \
	doc/drivers/* doc/engines/* clients/*/*.* clients/*/lib/*.* clients/*/pg_simhash/*.* src/am/*.md bench/*.md \
	bench/*/*.md))))
DOCUMENT_SUBDIRECTORY = simhash
REGRESS_OPTS = --inputdir=$(TOP)/test --load-extension=simhash
ISOLATION := $(sort $(basename $(notdir $(wildcard $(TOP)/test/isolation/specs/*.spec))))
ISOLATION_OPTS = --inputdir=$(TOP)/test/isolation --load-extension=simhash

include $(TOP)/src/extension.mk
$(eval $(call compile,CORE,src/core,$(TOP)/src/core))
$(eval $(call compile,SERVER,src,$(TOP)/src))

.PHONY: dist setup remove-setup demo test check-one fuzz torture mutants model unit cross format check-format
setup:
	@$(TOP)/tools/setup.sh test
remove-setup:
	@$(TOP)/tools/setup.sh remove
# The archive for PGXN, of the last commit; .gitattributes says what it leaves out.
dist: check-dist
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
model:
	@$(TOP)/tools/setup.sh model
	@$(TOP)/test/model/run.pl $(ONLY)
unit:
	@$(TOP)/test/unit/run.sh
cross:
	@$(TOP)/test/cross/run.sh
FORMATTED = $(wildcard $(foreach pattern,src/*.?pp src/*/*.?pp src/*/*/*.?pp test/unit/*.?pp test/unit/*/*.?pp \
	test/fuzz/*.?pp compat/src/*/*.?pp compat/test/unit/*.?pp compat/test/unit/*/*.?pp compat/test/fuzz/*.?pp,$(TOP)/$(pattern)))
format:
	clang-format -i $(FORMATTED)
check-format:
	clang-format --dry-run -Werror $(FORMATTED)
