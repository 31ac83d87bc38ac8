#include "mcp/tool_result.h"

#include <utility>

#include "base/base64.h"
#include "base/log.h"
#include "base/utf8.h"

namespace cmcp::mcp {
namespace {

json::Object text_block(std::string_view text) {
  json::Object block;
  block["type"] = "text";
  block["text"] = json::String(text.data(), text.size());
  return block;
}

json::Object image_block(const Image& image) {
  json::Object block;
  block["type"] = "image";
  block["data"] = base64::encode(image.bytes);
  block["mimeType"] = image.mime_type;
  return block;
}

json::String well_formed(const json::String& text) {
  const std::string mended = utf8::sanitize(json::view(text)).text;
  return json::String(mended.data(), mended.size());
}

void make_well_formed(json::Value& value) {
  if (json::String* text = value.if_string()) {
    *text = well_formed(*text);
  } else if (json::Array* array = value.if_array()) {
    for (json::Value& item : *array) make_well_formed(item);
  } else if (json::Object* object = value.if_object()) {
    json::Object mended;
    for (auto& member : *object) {
      make_well_formed(member.value());
      const std::string key = utf8::sanitize({member.key().data(), member.key().size()}).text;
      mended[key] = std::move(member.value());
    }
    *object = std::move(mended);
  }
}

// A binding that lets ill-formed text through must not be able to break the stream for the whole
// client.
json::Object checked(json::Object object, std::string& text) {
  text = json::write(object);
  if (utf8::is_valid(text)) return object;
  log::error("a tool returned text that is not UTF-8");
  json::Value mended = std::move(object);
  make_well_formed(mended);
  text = json::write(mended);
  return std::move(mended.get_object());
}

}  // namespace

json::Object tool_result_wire(ToolResult result, const Features& features) {
  json::Object wire;
  json::Array content;
  if (result.refusal) {
    json::Object refusal;
    refusal["success"] = false;
    refusal["error"] = result.refusal->message;
    refusal["code"] = name_of(result.refusal->code);
    std::string text;
    checked(std::move(refusal), text);
    content.push_back(text_block(text));
  } else {
    std::string text;
    json::Object object = checked(std::move(result.object), text);
    content.push_back(text_block(text));
    for (const Image& image : result.images) content.push_back(image_block(image));
    if (result.images.empty() && features.structured) wire["structuredContent"] = std::move(object);
  }
  wire["content"] = std::move(content);
  wire["isError"] = result.refusal.has_value();
  if (!result.meta.empty()) {
    std::string text;
    wire["_meta"] = checked(std::move(result.meta), text);
  }
  return wire;
}

}  // namespace cmcp::mcp
