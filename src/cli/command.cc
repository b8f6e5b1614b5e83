#include "cli/main.h"

int main(int argc, char** argv) { return planish::cli::run(argc, argv); }
