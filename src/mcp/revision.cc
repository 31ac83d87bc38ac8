#include "mcp/revision.h"

#include <algorithm>
#include <array>

#include "mcp/engine.h"

namespace cmcp::mcp {
namespace {

constexpr std::array<std::string_view, 4> kLegacyRevisions = {"2024-11-05", "2025-03-26",
                                                              "2025-06-18", kLatestLegacyRevision};

}  // namespace

bool is_legacy_revision(std::string_view revision) {
  return std::find(kLegacyRevisions.begin(), kLegacyRevisions.end(), revision) !=
         kLegacyRevisions.end();
}

// Revisions are dates, so that text order is time order.
Features features_of(std::string_view revision) {
  if (revision.empty()) revision = kLatestLegacyRevision;
  Features features;
  features.annotations = revision >= "2025-03-26";
  features.progress_message = features.annotations;
  features.titles = revision >= "2025-06-18";
  features.structured = features.titles;
  features.modern = revision >= kModernRevision;
  return features;
}

std::string negotiate(std::string_view requested) {
  return std::string(is_legacy_revision(requested) ? requested : kLatestLegacyRevision);
}

}  // namespace cmcp::mcp
