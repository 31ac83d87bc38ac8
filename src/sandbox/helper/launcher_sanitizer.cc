// Options of an instrumented launcher. Its environment is clean, so that nothing else could set
// them.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  // It ends by _exit or by being killed, in namespaces where the leak checker may not trace.
  return "detect_leaks=0";
}
