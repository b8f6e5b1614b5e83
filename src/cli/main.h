#pragma once

namespace planish::cli {

// The whole command line; returns the exit code.
int run(int argc, char** argv);

}  // namespace planish::cli
