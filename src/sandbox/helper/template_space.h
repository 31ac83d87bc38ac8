// TemplateSpaces: one mount namespace per profile, whose root is the profile's finished template.
// A sandbox is cloned by a launcher that has stepped into one for that moment, so its own mount
// namespace begins as a copy of the template and of nothing else: no root to attach and pivot
// into, no launcher's root to leave, no other profile's mounts to copy and drop.
//
// What runs share is what they shared before: the template's read-only mounts. Whatever a run
// mounts goes into its own copy, and nothing propagates (every mount is private).
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::sandbox {

class TemplateSpaces {
 public:
  // Steps in, and steps out again when it goes away. Ends the process when it cannot: a launcher in
  // a template would build its next sandboxes in the wrong place.
  class Inside {
   public:
    explicit Inside(int home) : home_(home) {}
    ~Inside();
    Inside(Inside&& other) noexcept : home_(other.home_) { other.home_ = -1; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    Inside& operator=(Inside&&) = delete;
    // For the cloned sandbox, whose place this is.
    void stay() { home_ = -1; }

   private:
    int home_;  // -1: never left it
  };

  // `proc` is the launcher's /proc, `templates` are the paths of the roots in its mount namespace;
  // they are gone from there afterwards. With `fresh_proc` each space gets a procfs, without which
  // the kernel allows a sandbox none of its own: of a pid namespace that has ended, so that it
  // shows no process to whoever might look below the sandbox's.
  Status make(int proc, const std::vector<std::string>& templates, bool fresh_proc);
  // Without any space (the layer mount_namespace is left out) the caller stays where it is.
  Result<Inside> enter(std::size_t profile) const;

 private:
  Fd home_;
  std::vector<Fd> spaces_;
};

}  // namespace cmcp::sandbox
