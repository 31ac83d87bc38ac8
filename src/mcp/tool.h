// Tools as the protocol sees them: a declaration (name, schema, annotations) and a binding. One
// declaration yields the JSON Schema of tools/list and the validation and decoding of arguments.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "json/json.h"

namespace cmcp::mcp {

enum class ParamType { kString, kInteger, kNumber, kBoolean, kStringMap, kStringList };

struct Param {
  std::string name;
  ParamType type = ParamType::kString;
  std::string description;
  bool required = false;
  std::optional<json::Value> default_value = std::nullopt;
  std::optional<double> minimum = std::nullopt;
  std::optional<double> maximum = std::nullopt;
  std::vector<std::string> choices = {};  // enum, for strings
};

struct Annotations {
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = false;
};

struct Image {
  std::string mime_type;
  std::string bytes;  // raw
};

// Why a tool did not get to run (contract section 1: isError).
enum class RefusalCode { kInvalidArgument, kUnauthorized, kBusy, kSandboxUnavailable, kCancelled };
const char* name_of(RefusalCode code);

struct Refusal {
  RefusalCode code;
  std::string message;
};

// What a tool returns: its documented object (success false included), images, `_meta`; or a
// refusal.
struct ToolResult {
  json::Object object;
  std::vector<Image> images;
  json::Object meta;
  std::optional<Refusal> refusal;

  static ToolResult refused(RefusalCode code, std::string message) {
    return {{}, {}, {}, Refusal{code, std::move(message)}};
  }
};

// A call in progress, as the binding sees it. Reactor thread only.
class CallContext {
 public:
  virtual ~CallContext() = default;
  virtual const auth::Principal& principal() const = 0;
  // `task` runs once when the call is cancelled (notifications/cancelled, stream closed in the
  // modern era, shutdown); at once when it is cancelled already. The binding still calls done; its
  // result is dropped.
  virtual void on_cancel(std::function<void()> task) = 0;
  virtual bool cancelled() const = 0;
  // New output for the progress message; the engine rate-limits and sends it only if the client
  // gave a progressToken.
  virtual void progress(std::string_view new_output) = 0;
};

using ToolDone = std::function<void(ToolResult)>;
// Called with arguments that fit the declaration, defaults filled in. Calls `done` exactly once, on
// the reactor thread, now or later.
using ToolBinding =
    std::function<void(std::shared_ptr<CallContext>, json::Object arguments, ToolDone done)>;

struct Tool {
  std::string name;
  std::string title;
  std::string description;  // under 2,000 bytes, starts with what the tool does
  std::vector<Param> params;
  json::Object output_schema;  // empty: none is declared (tools that may return images)
  Annotations annotations;
  ToolBinding binding;
  // Names accepted in calls but not listed, each with renamed parameters (alias name, own name).
  struct Alias {
    std::string name;
    std::vector<std::pair<std::string, std::string>> renamed_params;
  };
  std::vector<Alias> aliases = {};
};

// The inputSchema of `tool`: only type, properties, required, enum, default, minimum, maximum,
// items, additionalProperties and description.
json::Object input_schema(const Tool& tool);

// The entry of `tool` in tools/list, with what `revision` (legacy or modern) has: annotations from
// 2025-03-26 on, title and outputSchema from 2025-06-18 on.
json::Object list_entry(const Tool& tool, std::string_view revision);

// Checks `arguments` against the declaration and fills defaults in. Error (kInvalidArgument): the
// argument's name, what was given, what is allowed; for an unknown name the nearest known one. null
// for an optional argument counts as absent. In the result an integer is an int64 (5.0 is the
// integer 5, as in JSON Schema) and a number is a double.
Result<json::Object> decode_arguments(const Tool& tool, const json::Value& arguments);

}  // namespace cmcp::mcp
