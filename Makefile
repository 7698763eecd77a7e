# make build | install | quick | test | verify | demo | bench | fuzz | octave | format | gallery | web | clean.  Everything is set up on the way: missing Debian packages are
# installed by tools/setup, and nothing else is fetched.

CC := $(shell command -v clang-14 || command -v clang || command -v gcc || echo gcc)
# clang may be installed without its sanitizer libraries
SAN_CC = $(shell echo 'int main(void){return 0;}' | $(CC) -fsanitize=address -x c - -o /dev/null 2>/dev/null \
                 && echo $(CC) || echo gcc)
JOBS := 2
CMAKE = cmake -G Ninja -S . -Wno-dev

PREFIX := /usr/local

.PHONY: build install quick test verify demo bench fuzz format gallery web clean setup octave

build: setup
	@echo "building build/tendril with $(CC)"
	@$(CMAKE) -B build -DCMAKE_C_COMPILER=$(CC) >/dev/null
	@ninja -C build -j$(JOBS) --quiet tendril_program tendril_shared

install: build
	@cmake --install build --prefix $(PREFIX)

quick test verify: setup
	@CC=$(CC) SAN_CC=$(SAN_CC) JOBS=$(JOBS) tools/test $@

demo: build
	@build/tendril demo four_bar

bench: setup
	@tools/setup bench
	@$(CMAKE) -B build-bench -DCMAKE_C_COMPILER=$(CC) -DTENDRIL_BENCH=ON -DTENDRIL_TESTS=OFF >/dev/null
	@ninja -C build-bench -j$(JOBS) --quiet
	@tools/bench build-bench

fuzz: setup
	@tools/setup fuzz
	@tools/fuzz

octave: build
	@tools/setup octave
	@bash octave/build.sh build build/octave
	@echo "in Octave: addpath $(CURDIR)/build/octave; help for its verbs is in octave/tendril.m"

# docs/gallery.md and its pictures, from all models; ONLY=--numbers or ONLY=--pictures renews half of it
gallery: build
	@tools/setup web
	@tools/gallery $(ONLY) build/tendril

# the viewer's page, web/dist/viewer.html, which is committed
web:
	@tools/setup web
	@cd web && npm run --silent check && npm run --silent build

format:
	@tools/setup format
	@clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build build-san build-bench build-fuzz build-portable

setup:
	@tools/setup
