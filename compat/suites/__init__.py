"""The test suites of other projects, unchanged, with our server as the Kafka that they expect.

Nothing of them is in this repository: franz-go is a Go module, kafka-python's source a package of PyPI, and
librdkafka's tests are run where a user has built them. If a test needs what this server does not have, `left_out/`
has its name and the reason. docs/suites.md has the results.
"""
