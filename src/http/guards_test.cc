#include "http/guards.h"

#include <gtest/gtest.h>

namespace cmcp::http {
namespace {

Guards configured() {
  Guards guards({{"mcp.example", "proxy.example:8443", "any.example:*", "[2001:db8::1]"},
                 {"https://app.example", "https://app.example:444"}});
  guards.add_bound_address("192.0.2.7");
  guards.add_bound_address("0.0.0.0");
  return guards;
}

TEST(Guards, HostIsCheckedAgainstTheList) {
  const Guards guards = configured();
  for (const char* host :
       {"localhost", "LOCALHOST:1", "localhost.", "127.0.0.1:8000", "127.1.2.3", "[::1]:8000",
        "[::1]", "mcp.example", "MCP.example:99", "proxy.example:8443", "any.example:5",
        "192.0.2.7:8000", "[2001:DB8::1]:80"}) {
    EXPECT_TRUE(guards.host_allowed(host)) << host;
  }
  for (const char* host : {"",
                           "evil.example",
                           "evil.example:8000",
                           "localhost.evil.example",
                           "xlocalhost",
                           "127.0.0.1.evil.example",
                           "127.evil",
                           "proxy.example",
                           "proxy.example:1",
                           "0.0.0.0:8000",
                           "localhost:*",
                           "localhost:x",
                           "localhost:",
                           "localhost@evil.example",
                           "user@localhost",
                           "localhost, evil.example",
                           "[::1",
                           "[::1]x",
                           "::1",
                           "mcp.example/x",
                           "*"}) {
    EXPECT_FALSE(guards.host_allowed(host)) << host;
  }
}

TEST(Guards, OriginIsCheckedAgainstTheList) {
  const Guards guards = configured();
  for (const char* origin :
       {"http://localhost:5173", "https://localhost", "http://127.0.0.1:1", "http://[::1]:80",
        "HTTP://LOCALHOST", "https://app.example", "https://app.example:444"}) {
    EXPECT_TRUE(guards.origin_allowed(origin)) << origin;
  }
  for (const char* origin :
       {"", "null", "https://evil.example", "http://app.example", "https://app.example:1",
        "https://localhost.evil.example", "file://localhost", "http://localhost:*",
        "http://localhost/x", "localhost", "https://app.example.evil"}) {
    EXPECT_FALSE(guards.origin_allowed(origin)) << origin;
  }
}

TEST(Guards, RefusalNamesTheSetting) {
  const Guards guards = configured();
  Request request;
  request.headers.add("Host", "evil.example");
  EXPECT_NE(guards.refusal(request)->find("MCP_ALLOWED_HOSTS"), std::string::npos);
  request.headers = {};
  request.headers.add("Host", "localhost");
  EXPECT_FALSE(guards.refusal(request));
  request.authority = "evil.example";
  EXPECT_TRUE(guards.refusal(request));
  request.authority = "";
  request.headers.add("Origin", "null");
  EXPECT_NE(guards.refusal(request)->find("MCP_ALLOWED_ORIGINS"), std::string::npos);
  request.headers = {};
  request.headers.add("Host", "localhost");
  request.headers.add("Origin", "http://localhost");
  EXPECT_FALSE(guards.refusal(request));
  request.headers.add("Origin", "http://localhost");
  EXPECT_TRUE(guards.refusal(request));
}

TEST(CheckBind, BeyondLoopbackNeedsATokenOrTheOperatorsWord) {
  for (const char* host : {"127.0.0.1", "::1", "localhost", "127.0.0.2", ""}) {
    EXPECT_TRUE(check_bind(host, false, false).ok()) << host;
  }
  for (const char* host : {"0.0.0.0", "::", "192.0.2.7", "127.example", "example"}) {
    const Status refused = check_bind(host, false, false);
    ASSERT_FALSE(refused.ok()) << host;
    EXPECT_NE(refused.error().message().find("MCP_AUTH_TOKEN"), std::string::npos);
    EXPECT_NE(refused.error().message().find("MCP_ALLOW_UNAUTHENTICATED"), std::string::npos);
    EXPECT_TRUE(check_bind(host, true, false).ok());
    EXPECT_TRUE(check_bind(host, false, true).ok());
  }
}

}  // namespace
}  // namespace cmcp::http
