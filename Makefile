# tote: build, try, check, measure, install. `make help` lists what there is.

PREFIX ?= /usr/local
DESTDIR ?=
# The stripped release binary that `demo`, `install` and `bench` use.
BINARY := .build/dist/tote

.DEFAULT_GOAL := help
.PHONY: help demo release test fuzz lint docs bench bench-photos install uninstall clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

demo: release ## Install missing packages, build, and show the main job in a temporary home
	@Scripts/demo.sh $(BINARY)

release: ## Build the stripped release binary, .build/dist/tote
	@Scripts/packages.sh build
	@Scripts/release.sh $(BINARY)

test: ## Run every test, installing what they need
	@Scripts/packages.sh build test
	@Scripts/test.sh

lint: ## Check format, scripts and warnings
	@Scripts/packages.sh build lint
	@Scripts/lint.sh

fuzz: ## Feed the photo pipeline hostile files for SECONDS (60); fails on a crash
	@Scripts/packages.sh build
	@Scripts/fuzz.sh $(or $(SECONDS),60)

docs: ## Generate man/ and completions/ from the commands
	@Scripts/packages.sh build
	@Scripts/docs.sh

bench: release ## Measure against sqlite3 and sqlite-utils; WRITE=1 puts the table into bench/README.md
	@Scripts/packages.sh bench
	@Scripts/bench.sh $(BINARY) $(if $(WRITE),--write)

bench-photos: ## Measure photos against libjpeg-turbo and libvips; WRITE=1 puts the table into bench/photos
	@Scripts/packages.sh build bench-photos
	@Scripts/bench-photos.sh $(if $(WRITE),--write)

# Builds only if there is no binary yet, so that `make release && sudo make install` builds as you.
$(BINARY):
	@$(MAKE) --no-print-directory release

install: $(BINARY) ## Put binary, man pages and completions under PREFIX (/usr/local)
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1' \
	  '$(DESTDIR)$(PREFIX)/share/man/man5' '$(DESTDIR)$(PREFIX)/share/man/man7' \
	  '$(DESTDIR)$(PREFIX)/share/bash-completion/completions' \
	  '$(DESTDIR)$(PREFIX)/share/zsh/site-functions' \
	  '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d'
	install -m 755 $(BINARY) '$(DESTDIR)$(PREFIX)/bin/tote'
	install -m 644 man/*.1 '$(DESTDIR)$(PREFIX)/share/man/man1/'
	install -m 644 man/*.5 '$(DESTDIR)$(PREFIX)/share/man/man5/'
	install -m 644 man/*.7 '$(DESTDIR)$(PREFIX)/share/man/man7/'
	gzip -9nf '$(DESTDIR)$(PREFIX)/share/man/man1/'tote.1 \
	  '$(DESTDIR)$(PREFIX)/share/man/man1/'tote-*.1 '$(DESTDIR)$(PREFIX)/share/man/man5/'tote-*.5 \
	  '$(DESTDIR)$(PREFIX)/share/man/man7/'tote-*.7
	install -m 644 completions/tote.bash \
	  '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/tote'
	install -m 644 completions/_tote '$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tote'
	install -m 644 completions/tote.fish \
	  '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tote.fish'

uninstall: ## Remove what `make install` put under PREFIX
	rm -f '$(DESTDIR)$(PREFIX)/bin/tote' \
	  '$(DESTDIR)$(PREFIX)/share/man/man1/tote.1.gz' \
	  '$(DESTDIR)$(PREFIX)/share/man/man1/'tote-*.1.gz \
	  '$(DESTDIR)$(PREFIX)/share/man/man5/'tote-*.5.gz \
	  '$(DESTDIR)$(PREFIX)/share/man/man7/'tote-*.7.gz \
	  '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/tote' \
	  '$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tote' \
	  '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tote.fish'

clean: ## Remove everything that was built
	rm -rf .build .venv
