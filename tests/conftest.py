"""Settings that all tests share."""

from hypothesis import HealthCheck, settings

from compat import forks

# Derandomized, so that a run says the same of the same code; random examples are for long runs by hand
# (pytest --hypothesis-profile=explore), which print what reproduces a failure.
settings.register_profile(
    "default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile("default")

# Hundreds of nodes, each a fork of a process that has loaded the server; tests/integration/conftest.py says where not.
forks.is_on = True
