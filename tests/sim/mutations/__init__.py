"""Rules of the core, broken one at a time; ``search`` shows which invariant notices."""
