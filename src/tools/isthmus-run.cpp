// Runs one application on one target in one flow and prints what came of it as JSON lines.
#include "isthmus/apps/applications.hpp"
#include "isthmus/program/main.hpp"

int main(int argc, char** argv) {
  return isthmus::program::main_of_one(argc, argv, isthmus::apps::applications());
}
