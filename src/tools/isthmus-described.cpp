// Runs what a description says (docs/advise.md) on one model in one flow and prints what came of it as JSON lines.
#include "isthmus/apps/described.hpp"
#include "isthmus/program/main.hpp"

int main(int argc, char** argv) {
  return isthmus::program::main_of(argc, argv, isthmus::apps::described());
}
