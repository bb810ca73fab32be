"""The core's rules, broken one at a time; ``search`` shows which invariant notices."""
