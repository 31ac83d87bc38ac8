#include "sandbox/seccomp_compact.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace cmcp::sandbox {
namespace {

using Program = std::vector<sock_filter>;
using NodeId = std::size_t;

#if defined(__x86_64__)
constexpr std::uint32_t kNativeArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kNativeArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the architecture's audit number is not known here"
#endif
constexpr std::uint32_t kOtherArchitecture = 0;  // no architecture has this number

constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
constexpr std::uint16_t kAnd = BPF_ALU | BPF_AND | BPF_K;
constexpr std::uint16_t kReturn = BPF_RET | BPF_K;
constexpr std::uint16_t kJump = BPF_JMP | BPF_JA;
constexpr std::uint16_t kIfEqual = BPF_JMP | BPF_JEQ | BPF_K;
constexpr std::uint16_t kIfGreater = BPF_JMP | BPF_JGT | BPF_K;
constexpr std::uint16_t kIfNotLess = BPF_JMP | BPF_JGE | BPF_K;
constexpr std::uint16_t kIfSet = BPF_JMP | BPF_JSET | BPF_K;

constexpr std::uint32_t kNumberOffset = offsetof(seccomp_data, nr);
constexpr std::uint32_t kArchitectureOffset = offsetof(seccomp_data, arch);

Error unknown_instruction(std::size_t at, const sock_filter& instruction) {
  return {ErrorCode::kInternal, "seccomp: instruction " + std::to_string(at) + " (code " +
                                    std::to_string(instruction.code) +
                                    ") is none that the filter may have"};
}

bool is_branch(std::uint16_t code) {
  return code == kIfEqual || code == kIfGreater || code == kIfNotLess || code == kIfSet;
}

bool holds(std::uint16_t code, std::uint32_t value, std::uint32_t constant) {
  switch (code) {
    case kIfEqual:
      return value == constant;
    case kIfGreater:
      return value > constant;
    case kIfNotLess:
      return value >= constant;
    default:
      return (value & constant) != 0;
  }
}

// A piece of a program: returns, does something and goes on, or chooses. Equal pieces are one.
struct Node {
  std::uint16_t code = 0;
  std::uint32_t constant = 0;
  NodeId next = 0;       // of a branch: where it holds
  NodeId otherwise = 0;  // of a branch
  auto operator<=>(const Node&) const = default;
};

class Graph {
 public:
  NodeId add(const Node& node) {
    if (is_branch(node.code) && node.next == node.otherwise) return node.next;
    // A value that nobody looks at need not be loaded.
    const bool sets_value = node.code == kLoad || node.code == kAnd;
    if (sets_value && (at(node.next).code == kReturn || at(node.next).code == kLoad))
      return node.next;
    const auto [place, is_new] = ids_.try_emplace(node, nodes_.size());
    if (is_new) nodes_.push_back(node);
    return place->second;
  }
  const Node& at(NodeId id) const { return nodes_[id]; }

 private:
  std::vector<Node> nodes_;
  std::map<Node, NodeId> ids_;
};

// Where a program looks at the call's number or architecture, and with what it compares them.
class Constants {
 public:
  explicit Constants(const Program& program) : program_(program) {}

  // The first number of each range of numbers that the program cannot tell apart.
  Result<std::set<std::uint32_t>> ranges() {
    CMCP_CHECK_OK(visit(0, Origin::kOther));
    return std::move(starts_);
  }

 private:
  enum class Origin : std::uint8_t { kNumber, kArchitecture, kOther };

  Status visit(std::size_t at, Origin value) {
    while (at < program_.size()) {
      if (!seen_.insert({at, value}).second) return {};
      const sock_filter& instruction = program_[at];
      if (instruction.code == kReturn) return {};
      if (is_branch(instruction.code)) {
        CMCP_CHECK_OK(note(at, value));
        CMCP_CHECK_OK(visit(at + 1 + instruction.jt, value));
        at += 1 + instruction.jf;
        continue;
      }
      CMCP_TRY(value, after(at, value));
      at += instruction.code == kJump ? 1 + instruction.k : 1;
    }
    return Error(ErrorCode::kInternal, "seccomp: the filter ends without an answer");
  }

  Result<Origin> after(std::size_t at, Origin value) const {
    const sock_filter& instruction = program_[at];
    if (instruction.code == kJump) return value;
    if (instruction.code == kAnd && value == Origin::kOther) return value;
    if (instruction.code != kLoad) return unknown_instruction(at, instruction);
    if (instruction.k == kNumberOffset) return Origin::kNumber;
    return instruction.k == kArchitectureOffset ? Origin::kArchitecture : Origin::kOther;
  }

  Status note(std::size_t at, Origin value) {
    const sock_filter& instruction = program_[at];
    const std::uint32_t constant = instruction.k;
    if (value == Origin::kOther) return {};
    if (value == Origin::kArchitecture) {
      if (instruction.code == kIfEqual && constant == kNativeArchitecture) return {};
      return unknown_instruction(at, instruction);
    }
    if (instruction.code == kIfSet) return unknown_instruction(at, instruction);
    if (instruction.code != kIfGreater) starts_.insert(constant);
    // (After the greatest number nothing begins.)
    if (instruction.code != kIfNotLess && constant != ~0U) starts_.insert(constant + 1);
    return {};
  }

  const Program& program_;
  std::set<std::pair<std::size_t, Origin>> seen_;
  std::set<std::uint32_t> starts_{0};
};

// What remains of a program when the number and the architecture are known.
class Specialised {
 public:
  Specialised(const Program& program, Graph& graph, std::uint32_t number,
              std::uint32_t architecture)
      : program_(program), graph_(graph), number_(number), architecture_(architecture) {}

  NodeId whole() { return from(0, std::nullopt); }

 private:
  using Value = std::optional<std::uint32_t>;  // nothing: known only when the call is made

  NodeId from(std::size_t at, Value value) {
    if (const auto known = done_.find({at, value}); known != done_.end()) return known->second;
    const NodeId node = make(at, value);
    done_.emplace(std::pair{at, value}, node);
    return node;
  }

  NodeId make(std::size_t at, Value value) {
    const sock_filter& instruction = program_[at];
    const std::uint16_t code = instruction.code;
    if (code == kReturn) return graph_.add({code, instruction.k, 0, 0});
    if (code == kJump) return from(at + 1 + instruction.k, value);
    if (code == kLoad && instruction.k == kNumberOffset) return from(at + 1, number_);
    if (code == kLoad && instruction.k == kArchitectureOffset) return from(at + 1, architecture_);
    if (!is_branch(code)) return graph_.add({code, instruction.k, from(at + 1, std::nullopt), 0});
    const std::size_t yes = at + 1 + instruction.jt;
    const std::size_t no = at + 1 + instruction.jf;
    if (value) return from(holds(code, *value, instruction.k) ? yes : no, value);
    return graph_.add({code, instruction.k, from(yes, value), from(no, value)});
  }

  const Program& program_;
  Graph& graph_;
  std::uint32_t number_;
  std::uint32_t architecture_;
  std::map<std::pair<std::size_t, Value>, NodeId> done_;
};

struct Range {
  std::uint32_t first;
  NodeId node;
};

// Chooses among ranges[begin, end) by the number, which has been loaded.
NodeId tree_of(Graph& graph, const std::vector<Range>& ranges, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return ranges[begin].node;
  const std::size_t middle = begin + (end - begin) / 2;
  const NodeId lower = tree_of(graph, ranges, begin, middle);
  const NodeId upper = tree_of(graph, ranges, middle, end);
  return graph.add({kIfNotLess, ranges[middle].first, upper, lower});
}

// Puts a graph into one row, last instruction first: all jumps of a filter lead forward, and a
// branch reaches 255 instructions.
class Assembler {
 public:
  explicit Assembler(const Graph& graph) : graph_(graph) {}

  Program assemble(NodeId start) {
    place(start);
    return {reversed_.rbegin(), reversed_.rend()};
  }

 private:
  static constexpr std::size_t kReach = 255;

  std::size_t place(NodeId id) {
    if (const auto known = placed_.find(id); known != placed_.end()) return known->second;
    const Node& node = graph_.at(id);
    if (node.code == kReturn) {
      reversed_.push_back({node.code, 0, 0, node.constant});
    } else if (is_branch(node.code)) {
      place_branch(node);
    } else {
      const std::size_t next = place(node.next);
      if (next != last()) bring_near(node.next, next);
      reversed_.push_back({node.code, 0, 0, node.constant});
    }
    placed_[id] = last();
    return last();
  }

  void place_branch(const Node& node) {
    // The nearer of two is placed later, so that a long other side does not push it away.
    std::size_t no = place(node.otherwise);
    std::size_t yes = place(node.next);
    // Each of the two may add one instruction, which moves the other away: one is left for that.
    if (distance(no) >= kReach) no = bring_near(node.otherwise, no);
    if (distance(yes) >= kReach) yes = bring_near(node.next, yes);
    reversed_.push_back({node.code, static_cast<std::uint8_t>(distance(yes)),
                         static_cast<std::uint8_t>(distance(no)), node.constant});
  }

  // What would be jumped over by the next instruction to reach the one at `index`.
  std::size_t distance(std::size_t index) const { return reversed_.size() - index - 1; }
  std::size_t last() const { return reversed_.size() - 1; }

  // An answer is given again; a jump leads to everything else.
  std::size_t bring_near(NodeId id, std::size_t index) {
    const Node& node = graph_.at(id);
    if (node.code == kReturn) {
      reversed_.push_back({node.code, 0, 0, node.constant});
      placed_[id] = last();
    } else {
      reversed_.push_back({kJump, 0, 0, static_cast<std::uint32_t>(distance(index))});
    }
    return last();
  }

  const Graph& graph_;
  Program reversed_;
  std::map<NodeId, std::size_t> placed_;
};

}  // namespace

Result<std::vector<sock_filter>> compact_filter(const std::vector<sock_filter>& program) {
  CMCP_TRY(const std::set<std::uint32_t> starts, Constants(program).ranges());
  Graph graph;
  std::vector<Range> ranges;
  for (const std::uint32_t first : starts) {
    const NodeId node = Specialised(program, graph, first, kNativeArchitecture).whole();
    if (ranges.empty() || ranges.back().node != node) ranges.push_back({first, node});
  }
  // The number makes no difference for another architecture: nothing but an answer remains.
  const NodeId foreign = Specialised(program, graph, 0, kOtherArchitecture).whole();
  if (graph.at(foreign).code != kReturn)
    return Error(ErrorCode::kInternal, "seccomp: the filter does not refuse other architectures");
  const NodeId tree = tree_of(graph, ranges, 0, ranges.size());
  const NodeId by_number = graph.add({kLoad, kNumberOffset, tree, 0});
  const NodeId choice = graph.add({kIfEqual, kNativeArchitecture, by_number, foreign});
  return Assembler(graph).assemble(graph.add({kLoad, kArchitectureOffset, choice, 0}));
}

}  // namespace cmcp::sandbox
