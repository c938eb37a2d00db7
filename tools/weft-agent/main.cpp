// weft-agent: runs the PEs of one host for an oshrun on another one, which starts it with ssh. What it does is in
// src/launch/hosts/agent.
#include <unistd.h>

#include <cstdio>

#include "launch/hosts/agent.hpp"

int main() {
  if (::isatty(STDIN_FILENO) == 1) {
    (void)std::fputs("weft-agent: oshrun starts this program, with --hosts; it is of no use by itself\n", stderr);
    return 2;
  }
  return weft::launch::hosts::run_agent();
}
