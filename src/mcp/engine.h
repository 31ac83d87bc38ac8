// Engine: the protocol without sockets. A transport hands in parsed messages with an Exchange to
// answer on; the engine keeps the eras apart (reference: revisions 2024-11-05 to 2026-07-28), runs
// tools, and knows what is in flight. Everything on the reactor thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "json/json.h"
#include "mcp/tool.h"
#include "net/reactor.h"
#include "obs/audit.h"

namespace cmcp::mcp {

inline constexpr std::string_view kLatestLegacyRevision = "2025-11-25";
inline constexpr std::string_view kModernRevision = "2026-07-28";
// 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25.
bool is_legacy_revision(std::string_view revision);

// Where the messages that belong to one inbound message go. The transport implements it.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // A notification related to the request (progress, log message), before the response.
  virtual void notify(const json::Value& message) = 0;
  // The response; at most once. http_status is what an HTTP transport answers with if it has not
  // begun a stream.
  virtual void respond(json::Value response, int http_status) = 0;
  // The request was cancelled: no response will come; an HTTP stream is closed.
  virtual void abandon() = 0;
};

// What a connection of the legacy era has agreed on and has in flight. Made by a transport for each
// session.
struct Session {
  auth::Principal principal;
  std::string transport;     // "stdio", "http", "sse", "cli": for the audit record
  std::string revision;      // "" before initialize
  bool initialized = false;  // notifications/initialized seen
  std::string client_name;
  std::string log_level = "info";  // logging/setLevel
  struct Calls;                    // in flight, by id: owned by the engine
  std::shared_ptr<Calls> calls;
};

// The routing headers of the modern era over HTTP (absent over stdio: nullopt for the whole).
struct ModernHeaders {
  std::optional<std::string> protocol_version;  // MCP-Protocol-Version
  std::optional<std::string> method;            // Mcp-Method
  std::optional<std::string> name;              // Mcp-Name, as received (base64 form not decoded)
  bool duplicated = false;                      // a routing header came twice
};

// A resource that resources/read can return.
struct ResourceContent {
  std::string uri;
  std::string mime_type;
  std::string bytes;
  bool text = true;  // false: sent as base64 blob
};

// Reads file:///PATH, file://PATH and output:///ID/STREAM for a principal. Wired in app.
class ResourceReader {
 public:
  virtual ~ResourceReader() = default;
  // kNotFound (also for what belongs to another principal), kInvalidArgument, kLimitExceeded
  // (size), through `done`.
  virtual void read(const auth::Principal& principal, const std::string& uri,
                    std::function<void(Result<ResourceContent>)> done) = 0;
};

struct EngineOptions {
  std::string server_name = "container-mcp";
  std::string server_title = "Container-MCP";
  std::string server_version;
  std::string instructions;  // under 2,000 bytes
  bool debug = false;        // error causes in _meta
  // In the modern era, which has no sessions: calls of one principal.
  std::size_t max_calls_per_session = 64;
  // While a call with a progressToken runs: a notification at least this often, and never two
  // within progress_gap.
  std::chrono::milliseconds progress_interval{10'000};
  std::chrono::milliseconds progress_gap{500};
};

class Engine {
 public:
  Engine(net::Reactor& reactor, EngineOptions options, std::vector<Tool> tools,
         ResourceReader* resources, obs::AuditSink& audit);
  ~Engine();

  // Classification of a parsed message (reference/mcp.md section 1.6 "one endpoint serves old and
  // new clients"). True when params._meta claims the modern protocolVersion key.
  static bool has_modern_claim(const json::Value& message);

  // Legacy era: a request, notification or response of `session`. A batch array is split by the
  // transport (2025-03-26 only). For a notification or response nothing is called on `exchange`.
  void receive(const std::shared_ptr<Session>& session, json::Value message,
               std::shared_ptr<Exchange> exchange);

  // Modern era: one request. The returned token cancels the call (HTTP stream closed,
  // notifications/cancelled on stdio). `headers`: nullptr over stdio.
  std::shared_ptr<void> receive_modern(const auth::Principal& principal,
                                       const std::string& transport, json::Value message,
                                       const ModernHeaders* headers,
                                       std::shared_ptr<Exchange> exchange);
  void cancel(const std::shared_ptr<void>& token);

  // Cancels whatever `session` has in flight (session deleted, connection gone over stdio and SSE).
  void close(const std::shared_ptr<Session>& session);
  // Cancels everything; new calls are refused (code cancelled). `drained` is called when nothing is
  // in flight any more.
  void shut_down(std::function<void()> drained);
  std::size_t calls_in_flight() const;

  // One call outside any session: `container-mcp call`.
  void call_tool(const auth::Principal& principal, const std::string& name, json::Value arguments,
                 ToolDone done);

  // A JSON-RPC error object; id null where it could not be read.
  static json::Value error_response(const json::Value& id, int code, std::string_view message,
                                    std::optional<json::Value> data = std::nullopt);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cmcp::mcp
