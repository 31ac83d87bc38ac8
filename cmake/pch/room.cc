// Nothing: the target that a precompiled header belongs to needs a source.
