#include "sandbox/doctor_report.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cmcp::sandbox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

DoctorFacts complete() {
  DoctorFacts facts;
  for (const Layer layer : kLayers) facts.layers.push_back({layer, true, "tried"});
  facts.host.kernel = "6.1.0";
  facts.host.landlock_abi = 2;
  facts.host.seccomp_filter = true;
  facts.identity_mode = "unprivileged";
  facts.limiter = "rlimit";
  facts.python = "/usr/bin/python3.11";
  facts.missing_commands = {"tree"};
  return facts;
}

const json::Object& layer_in(const json::Object& report, std::string_view name) {
  for (const auto& layer : report.at("layers").as_array()) {
    if (json::find_string(layer, "name") == name) return layer.as_object();
  }
  ADD_FAILURE() << name;
  return report;
}

TEST(DoctorReport, CompleteSandbox) {
  const DoctorFacts facts = complete();
  EXPECT_TRUE(doctor_ok(facts));
  const json::Object report = doctor_json(facts);
  EXPECT_EQ(report.at("level").as_string(), "L3");
  EXPECT_EQ(report.at("required").as_string(), "L3");
  EXPECT_TRUE(report.at("ok").as_bool());
  EXPECT_TRUE(report.at("cause").is_null());
  EXPECT_EQ(report.at("layers").as_array().size(), std::size(kLayers));
  EXPECT_EQ(report.at("missing_commands").as_array().size(), 1U);
  EXPECT_THAT(doctor_text(facts), AllOf(HasSubstr("Sandbox level L3"), HasSubstr("python3.11"),
                                        HasSubstr("tree"), Not(HasSubstr("fix:"))));
}

TEST(DoctorReport, TheAppArmorLabelOrWhyThereIsNone) {
  DoctorFacts facts = complete();
  facts.apparmor_reason = "this kernel has no AppArmor";
  EXPECT_FALSE(doctor_json(facts).at("apparmor").at("active").as_bool());
  EXPECT_THAT(doctor_text(facts), HasSubstr("apparmor  no label: this kernel has no AppArmor"));
  EXPECT_TRUE(doctor_ok(facts)) << "reported, not demanded";
  facts.apparmor = "container-mcp//bash (enforce)";
  EXPECT_TRUE(doctor_json(facts).at("apparmor").at("active").as_bool());
  EXPECT_EQ(doctor_json(facts).at("apparmor").at("label").as_string(), facts.apparmor);
  EXPECT_THAT(doctor_text(facts), HasSubstr("apparmor  container-mcp//bash (enforce)"));
}

TEST(DoctorReport, EachMissingLayerIsNamedWithItsFix) {
  for (const Layer layer : kLayers) {
    DoctorFacts facts = complete();
    for (auto& report : facts.layers) {
      if (report.layer == layer) report = {layer, false, "was left out"};
    }
    EXPECT_FALSE(doctor_ok(facts));
    const json::Object report = doctor_json(facts);
    EXPECT_NE(report.at("level").as_string(), "L3");
    const json::Object& entry = layer_in(report, name_of(layer));
    EXPECT_FALSE(entry.at("active").as_bool());
    EXPECT_FALSE(entry.at("fix").as_string().empty());
    EXPECT_THAT(doctor_text(facts), AllOf(HasSubstr(std::string("NO  ") + name_of(layer)),
                                          HasSubstr("fix:"), HasSubstr("refused")));
  }
}

TEST(DoctorReport, JsonIsTextWhateverTheHostSays) {
  DoctorFacts facts = complete();
  facts.failure = Error(ErrorCode::kNotFound, "/opt/\xff\xfe: No such file or directory");
  facts.warnings = {"\xc3"};
  const std::string line = json::write(doctor_json(facts));
  EXPECT_TRUE(json::parse(line).ok()) << line;
}

TEST(DoctorReport, NoSandboxAtAll) {
  DoctorFacts facts = complete();
  facts.failure =
      Error(ErrorCode::kPermissionDenied, "write /proc/self/uid_map: Permission denied", EACCES);
  facts.host.apparmor_restricts_userns = 1;
  facts.host.uid = 1000;
  const json::Object report = doctor_json(facts);
  EXPECT_EQ(report.at("level").as_string(), "L0");
  EXPECT_THAT(std::string(report.at("fix").as_string()),
              HasSubstr("deploy/apparmor/container-mcp"));
  EXPECT_FALSE(layer_in(report, "seccomp").at("active").as_bool());
  EXPECT_THAT(doctor_text(facts),
              AllOf(HasSubstr("cause:"), HasSubstr("deploy/apparmor/container-mcp")));
}

}  // namespace
}  // namespace cmcp::sandbox
