// Nothing: the target that a precompiled header belongs to needs a source, and this one is an
// executable, so that its flags (position independence) are those of the tests.
int main() {
  return 0;
}
