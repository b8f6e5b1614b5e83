# What a person types. Each target installs what it needs by itself (Debian 12, root or sudo).

BUILD := build

.PHONY: help build demo test tidy format clean

help:
	@echo 'make build    the command and the library of the release build, in $(BUILD)/release'
	@echo 'make demo     from a trained model to predictions and figures, with a fresh build'
	@echo 'make test     everything CI checks'
	@echo 'make tidy     clang-tidy on every file (slow, not part of make test)'
	@echo 'make format   lay out the C++ sources as .clang-format says'
	@echo 'make clean    remove $(BUILD)/'

build:
	@scripts/setup.sh build
	@cmake --preset release >$(BUILD)/release.configure.log || { cat $(BUILD)/release.configure.log; exit 1; }
	@cmake --build --preset release --target planish_command planish fashion_mnist

demo:
	@scripts/setup.sh demo
	@$(MAKE) --no-print-directory build
	@scripts/demo.sh

test:
	@scripts/setup.sh test
	@scripts/test.sh

tidy:
	@scripts/setup.sh test
	@cmake --preset fuzz >/dev/null
	@scripts/tidy.py $(BUILD)/fuzz

format:
	@scripts/setup.sh test
	@scripts/check_format.py --fix

clean:
	rm -rf $(BUILD)
