#include "base/base64.h"

#include <gtest/gtest.h>

namespace cmcp::base64 {
namespace {

TEST(Base64, Rfc4648Vectors) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : vectors) {
    EXPECT_EQ(encode(plain), text);
    EXPECT_EQ(decode(text).value(), plain);
  }
}

TEST(Base64, RefusesWhatIsNotExact) {
  for (const char* bad : {"Zg=", "Zg", "Zh==", "Z===", "Zm 9", "====", "Zm9v=", "-_-_"}) {
    EXPECT_FALSE(decode(bad).ok()) << bad;
  }
}

TEST(Base64, UrlAlphabet) {
  EXPECT_EQ(encode_url("\xfb\xff"), "-_8");
  EXPECT_EQ(decode_url("-_8").value(), "\xfb\xff");
  EXPECT_FALSE(decode_url("-_8=").ok());
}

}  // namespace
}  // namespace cmcp::base64
