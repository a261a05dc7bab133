# On a fresh machine with Node 18 or newer and npm, every target sets up what it needs.
.DEFAULT_GOAL := help
SHELL := /bin/sh
export npm_config_audit := false
export npm_config_fund := false
export npm_config_update_notifier := false

READY := node_modules/.package-lock.json

.PHONY: help setup demo test soak e2e bench lint screenshots format build base-image image release clean

help: ## list the targets
	@grep -E '^[a-z0-9-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(READY) ## install what the checkout needs, its own Node included

$(READY): package.json package-lock.json
	npm ci --no-progress --loglevel=error
	@touch $(READY)

demo: $(READY) ## show the main jobs on the example instance; CONSOLE=1 opens the console on it
	@CONSOLE='$(CONSOLE)' npm run --silent demo

test: $(READY) ## run all tests that need no server, in an order made of the commit; SEED=n takes another
	@SEED='$(SEED)' npm run --silent test

soak: $(READY) ## random fleets for half a year each, rollouts with faults, storms on a real API server, hostile names in all formats, texts, schemas and edits at random; FLEETS=200 STORMS=12, or MINUTES=n; RECORD=folder keeps audit and logs
	@ECHELON_FLEETS='$(FLEETS)' ECHELON_STORMS='$(STORMS)' ECHELON_MINUTES='$(MINUTES)' ECHELON_RECORD='$(abspath $(RECORD))' npm run --silent soak

e2e: $(READY) ## run the tests against real parts: an API server, S3, Prometheus, git, npm, a browser, the existing scheduler
	npm run --silent e2e

bench: $(READY) ## measure, as ratios to stated limits; ONLY=instance,clusters runs parts, ONLY=memory the loop for 1,000 passes, ONLY=growth curves of size, ONLY=incumbent-large 2,000 clusters beside the published release, ONLY=console the console in a browser, ONLY=forecast-mixed forecasts of a mixed fleet, ONLY=again validate after an edit and in a clone, ONLY=scaling four times as much data of others; WRITE=1 writes docs/reference/performance.md
	@ECHELON_BENCH='$(ONLY)' ECHELON_BENCH_WRITE='$(WRITE)' npm run --silent bench

lint: $(READY) ## check format, lint rules, types, import boundaries and the chart
	npm run --silent lint
	npm run --silent lint:charts

screenshots: $(READY) ## take the pictures of the docs again, from the demo's data; needs chromium
	npm run --silent screenshots

format: $(READY) ## format everything
	npm run --silent format

build: $(READY) ## build dist/ for release
	npm run --silent build

image: $(READY) ## build the container image with podman; BASE_IMAGE=… for another base
	@npm run --silent image

base-image: $(READY) ## assemble a base image from Debian packages, for machines without a registry; needs podman
	@npm run --silent base-image

release: $(READY) ## build package, image, charts, SBOM and checksums into dist/release; needs podman
	@npm run --silent release

clean: ## remove what was built
	rm -rf dist .cache .echelon-cache
