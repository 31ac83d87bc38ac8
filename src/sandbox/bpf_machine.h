// For tests only: the machine that seccomp filters are written for.
#pragma once

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>

#include <cstdint>
#include <vector>

namespace cmcp::sandbox {

// What the kernel would answer, by the rules of the machine that filters are written for.
inline std::uint32_t answer(const std::vector<sock_filter>& program, const seccomp_data& call) {
  std::uint32_t value = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    bool holds = false;
    switch (step.code) {
      case BPF_RET | BPF_K:
        return step.k;
      case BPF_LD | BPF_W | BPF_ABS:
        memcpy(&value, reinterpret_cast<const char*>(&call) + step.k, sizeof(value));
        continue;
      case BPF_ALU | BPF_AND | BPF_K:
        value &= step.k;
        continue;
      case BPF_JMP | BPF_JA:
        at += step.k;
        continue;
      case BPF_JMP | BPF_JEQ | BPF_K:
        holds = value == step.k;
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        holds = value > step.k;
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        holds = value >= step.k;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        holds = (value & step.k) != 0;
        break;
      default:
        ADD_FAILURE() << "instruction code " << step.code;
        return 0;
    }
    at += holds ? step.jt : step.jf;
  }
  ADD_FAILURE() << "the program ends without an answer";
  return 0;
}

}  // namespace cmcp::sandbox
