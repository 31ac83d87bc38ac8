// Application: the composition root. Makes every long-lived object, in the order of who needs whom,
// and owns them all. The only place where dangerous grants are made and where one room's function
// becomes another room's callback.
#pragma once

#include <functional>
#include <memory>

#include "app/start_up.h"
#include "base/result.h"
#include "json/json.h"
#include "mcp/engine.h"
#include "net/reactor.h"
#include "sandbox/doctor_report.h"

namespace cmcp::app {

class Application {
 public:
  // `prepared` is used up. kIo when state cannot be kept.
  static Result<std::unique_ptr<Application>> create(Prepared prepared);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  net::Reactor& reactor();
  mcp::Engine& engine();
  const config::Settings& settings() const;
  const config::WorkspaceLayout& layout() const;

  // Starts the probe: runs wait for its verdict. `decided` is called once, on the reactor thread.
  void probe(std::function<void()> decided);
  // Called once, with the cause, when the launcher has died and this process cannot start another
  // one (after a start by root): it can then only end, so that whoever started it starts it again.
  void on_sandbox_lost(std::function<void(const std::string&)> handler);
  // What is known so far: complete after the verdict.
  sandbox::DoctorFacts doctor_facts() const;
  // {"level", "required", "layers": {name: active}, "version", …}: for /health.
  json::Object health() const;

 private:
  struct Impl;
  explicit Application(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cmcp::app
