#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "tools/file_delete.h"
#include "tools/file_list.h"
#include "tools/file_move.h"
#include "tools/file_read.h"
#include "tools/file_write.h"
#include "tools/resources.h"

namespace cmcp::tools {
namespace {

using ::testing::HasSubstr;

class FileContext : public mcp::CallContext {
 public:
  const auth::Principal& principal() const override { return who; }
  void on_cancel(std::function<void()> task) override {
    if (cancel_at_once) task();
  }
  bool cancelled() const override { return cancel_at_once; }
  void progress(std::string_view) override {}

  auth::Principal who{"ada"};
  bool cancel_at_once = false;
};

class FileTools : public ::testing::Test {
 protected:
  FileTools() {
    std::string name = (std::filesystem::temp_directory_path() / "cmcp-tools-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    base_ = name;
    for (const char* sub : {"files", "state"}) std::filesystem::create_directory(base_ / sub);
    file::FileOptions options;
    options.output_max_chars = 20;
    options.state_dir = HostPath{(base_ / "state").string()};
    auto workspace = file::Workspace::open(HostPath{(base_ / "files").string()});
    const auto kept = [](const std::string& principal, const std::string& id,
                         const std::string& stream) -> Result<std::string> {
      if (principal == "ada" && id == "run1" && stream == "stdout")
        return std::string("kept\nlines\n");
      return Error(ErrorCode::kNotFound, "no");
    };
    manager_ = file::FileManager::create(options, file::shared_workspace(std::move(*workspace)),
                                         *pool_, kept)
                   .value();
  }
  ~FileTools() override {
    pool_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }

  mcp::ToolResult call(const mcp::Tool& tool, const json::Object& arguments) {
    const auto decoded = mcp::decode_arguments(tool, arguments);
    if (!decoded.ok())
      return mcp::ToolResult::refused(mcp::RefusalCode::kInvalidArgument,
                                      decoded.error().message());
    std::optional<mcp::ToolResult> answer;
    bool running = false;  // a stop before run() would end the next run
    tool.binding(context_, *decoded, [&](mcp::ToolResult result) {
      answer = std::move(result);
      if (running) reactor_.stop();
    });
    running = !answer;
    if (running) reactor_.run();
    return std::move(*answer);
  }
  static std::string text(const mcp::ToolResult& result) { return json::write(result.object); }
  Result<mcp::ResourceContent> resource(const std::string& uri) {
    std::optional<Result<mcp::ResourceContent>> answer;
    bool running = false;
    Resources(*manager_).read(context_->who, uri, [&](Result<mcp::ResourceContent> result) {
      answer.emplace(std::move(result));
      if (running) reactor_.stop();
    });
    running = !answer;
    if (running) reactor_.run();
    return std::move(*answer);
  }
  void put(const std::string& path, const std::string& content) const {
    std::ofstream(base_ / "files" / path, std::ios::binary) << content;
  }

  std::filesystem::path base_;
  net::Reactor reactor_;
  std::unique_ptr<file::FileManager> manager_;
  std::unique_ptr<net::WorkerPool> pool_ = std::make_unique<net::WorkerPool>(reactor_, 2, 8);
  std::shared_ptr<FileContext> context_ = std::make_shared<FileContext>();
};

TEST_F(FileTools, WriteReadListMoveDelete) {
  EXPECT_EQ(
      text(call(file_write(*manager_), {{"path", "/sub/a.txt"}, {"content", "hello"}})),
      R"({"success":true,"path":"/sub/a.txt","error":null,"size":5,)"
      R"("sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","created":true})");
  const json::Object read = call(file_read(*manager_), {{"path", "sub/a.txt"}}).object;
  EXPECT_EQ(read.at("content"), "hello");
  EXPECT_EQ(read.at("success"), true);
  EXPECT_TRUE(read.at("error").is_null());
  EXPECT_EQ(read.at("total_lines"), 1);
  const json::Object list = call(file_list(*manager_), {}).object;
  EXPECT_EQ(list.at("total"), 2);
  EXPECT_EQ(list.at("path"), "/");
  EXPECT_EQ(list.at("entries").at(1).at("path"), "sub/a.txt");
  EXPECT_EQ(list.at("entries").at(1).at("size"), 5);
  EXPECT_TRUE(list.at("entries").at(0).at("size").is_null());
  EXPECT_EQ(text(call(file_move(*manager_), {{"source", "sub/a.txt"}, {"destination", "b.txt"}})),
            R"({"success":true,"source":"sub/a.txt","destination":"b.txt","error":null})");
  EXPECT_EQ(text(call(file_delete(*manager_), {{"path", "b.txt"}})),
            R"({"success":true,"path":"b.txt","error":null})");
  EXPECT_EQ(text(call(file_delete(*manager_), {{"path", "b.txt"}})),
            R"({"success":false,"path":"b.txt","error":"File not found: b.txt"})");
}

TEST_F(FileTools, AllFieldsArePresentOnFailure) {
  EXPECT_EQ(
      text(call(file_read(*manager_), {{"path", "x.txt"}})),
      R"({"content":"","size":0,"modified":0.0,"success":false,"error":"File not found: x.txt","total_lines":0,)"
      R"("truncated":false,"next_offset":null,"sha256":"","mime_type":"","hint":null})");
  EXPECT_EQ(
      text(call(file_list(*manager_), {{"path", "x"}})),
      R"({"entries":[],"path":"x","success":false,"error":"Path not found: x","truncated":false,"total":0})");
  EXPECT_EQ(
      text(call(file_move(*manager_), {{"source", "x.txt"}, {"destination", "y.txt"}})),
      R"({"success":false,"source":"x.txt","destination":"y.txt","error":"Source file not found: x.txt"})");
  const json::Object write =
      call(file_write(*manager_), {{"path", "../x.txt"}, {"content", ""}}).object;
  EXPECT_THAT(std::string(json::view(write.at("error").get_string())), HasSubstr("Path traversal"));
  EXPECT_EQ(write.at("sha256"), "");
  EXPECT_EQ(write.at("created"), false);
}

TEST_F(FileTools, DeclarationsFitTheContract) {
  for (const mcp::Tool& tool : {file_read(*manager_), file_write(*manager_), file_list(*manager_),
                                file_delete(*manager_), file_move(*manager_)}) {
    EXPECT_LT(tool.description.size(), 2000U) << tool.name;
    ASSERT_EQ(tool.aliases.size(), 1U);
    EXPECT_EQ(tool.aliases.front().name, "fs_" + tool.name.substr(5));
    EXPECT_EQ(tool.output_schema.empty(), tool.name == "file_read");
  }
}

TEST_F(FileTools, CancelledCallsAreRefusals) {
  context_->cancel_at_once = true;
  put("a.txt", "A");
  // The flag is set before a worker takes the call, or the call was faster: both are right, an
  // answer comes.
  const mcp::ToolResult result = call(file_read(*manager_), {{"path", "a.txt"}});
  if (result.refusal) {
    EXPECT_EQ(result.refusal->code, mcp::RefusalCode::kCancelled);
  } else {
    EXPECT_EQ(result.object.at("content"), "A");
  }
}

TEST_F(FileTools, KeptOutputs) {
  EXPECT_EQ(call(file_read(*manager_), {{"path", "output:///run1/stdout"}, {"offset", 1}})
                .object.at("content"),
            "lines\n");
  EXPECT_EQ(resource("output:///run1/stdout").value().bytes, "kept\nlines\n");
  context_->who.id = "bob";
  EXPECT_EQ(resource("output:///run1/stdout").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(call(file_read(*manager_), {{"path", "output:///run1/stdout"}}).object.at("success"),
            false);
  EXPECT_EQ(resource("output:///../x").error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(FileTools, ResourcesAreWorkspaceFiles) {
  put("a b.txt", "text");
  put("p.png", std::string("\x89PNG\0", 5));
  for (const char* uri :
       {"file:///a%20b.txt", "file://a b.txt", "file:///workspace/a%20b.txt", "FILE:///a b.txt"}) {
    const auto found = resource(uri);
    ASSERT_TRUE(found.ok()) << uri << ": " << found.error().message();
    EXPECT_EQ(found->bytes, "text");
    EXPECT_TRUE(found->text);
    EXPECT_EQ(found->uri, uri);
    EXPECT_EQ(found->mime_type, "text/plain");
  }
  const auto image = resource("file:///p.png");
  EXPECT_FALSE(image.value().text);
  EXPECT_EQ(image->mime_type, "image/png");
  EXPECT_EQ(resource("file:///none.txt").error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(resource("file:///%2e%2e/x.txt").error().message(), HasSubstr("Path traversal"));
  for (const char* uri : {"file:///a%2", "file:///a%zz", "http://x/", "file://", "file:///a?b"}) {
    EXPECT_EQ(resource(uri).error().code(), ErrorCode::kInvalidArgument) << uri;
  }
  EXPECT_FALSE(resource("file:///a%00b").ok());
}

}  // namespace
}  // namespace cmcp::tools
