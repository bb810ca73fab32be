"""How the reports of foreign test runners are read, on what they print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from compat.suites import clusters, franz_go, kafka_python, librdkafka
from compat.suites.outcomes import (
    LEFT_OUT,
    Outcome,
    SuiteFailedError,
    Verdict,
    in_order,
    read_left_out,
    run_suite,
    summary,
)

GO_PRINTS = """\
=== RUN   TestPing
=== PAUSE TestPing
    consumer_test.go:345: deleting topic 3550
--- PASS: TestPing (0.02s)
=== CONT  TestShareGroup
    client_test.go:360: no share groups
    client_test.go:361: deleting topic 3551
--- SKIP: TestShareGroup (0.00s)
--- FAIL: TestGroupSimple (0.00s)
    --- FAIL: TestGroupSimple/classic (0.48s)
    --- SKIP: TestGroupSimple/848 (0.00s)
FAIL
"""

GO_SOURCE = """\
package kgo

func helper(t *testing.T) { adm() }

func TestWithoutBroker(t *testing.T) {
	parse("127.0.0.1")
}

func TestWithTopic(t *testing.T) {
	topic, cleanup := tmpTopicPartitions(t, 1)
}

func BenchmarkWithClient(b *testing.B) {
	newTestClient()
}
"""

JUNIT = """\
<testsuites><testsuite>
<testcase classname="test.integration.test_admin_integration" name="test_delete_records" />
<testcase classname="test.integration.test_admin_integration" name="test_old"><skipped message="too new" /></testcase>
<testcase classname="test.integration.test_consumer_integration" name="test_group[a]">
<failure message="AssertionError: timeout&#10;more">the rest</failure></testcase>
</testsuite></testsuites>
"""

C_SOURCE = """\
 *  _TEST(00...., ...,
struct test tests[] = {
    _TEST(0004_conf, TEST_F_LOCAL),
    _TEST(0005_order, 0),
    _TEST(0103_transactions,
          0,
          TEST_BRKVER(0, 11, 0, 0),
          .scenario = "default,ak23"),
    _TEST(0107_topic_recreate,
          0,
          TEST_BRKVER_TOPIC_ADMINAPI,
          .scenario = "noautocreate"),
    _TEST(8000_idle, TEST_F_MANUAL),
"""

C_PRINTS = """\
\x1b[31m### Test "0014_reconsume_191" failed at test.c:1562:check_test_timeouts() at Tue Nov 24 22:40:46 2026: ###
Test 0014_reconsume_191 timed out (timeout set to 45 seconds)
#==================================================================#
|\x1b[32m <MAIN>                                   |     PASSED |  13.594s \x1b[0m|
|\x1b[32m 0005_order                               |     PASSED |   0.414s \x1b[0m|
|\x1b[31m 0014_reconsume_191                       |     FAILED |  45.494s \x1b[0m| timed out
|\x1b[33m 0053_stats                               |    SKIPPED |   0.000s \x1b[0m| RapidJSON >=1.1.0 not available
"""


def test_go_prints() -> None:
    assert franz_go.read_outcomes(GO_PRINTS) == {
        "TestPing": Outcome(name="TestPing", verdict=Verdict.PASSED),
        "TestShareGroup": Outcome(name="TestShareGroup", verdict=Verdict.SKIPPED, detail="no share groups"),
        "TestGroupSimple": Outcome(name="TestGroupSimple", verdict=Verdict.FAILED),
    }


def test_go_tests_that_need_a_broker() -> None:
    assert franz_go.broker_tests(GO_SOURCE) == ["TestWithTopic"]


def test_pytest_reports() -> None:
    assert [str(outcome) for outcome in kafka_python.read_outcomes(JUNIT).values()] == [
        "passed  test_admin_integration::test_delete_records",
        "skipped test_admin_integration::test_old: too new",
        "failed  test_consumer_integration::test_group[a]: AssertionError: timeout",
    ]


def test_librdkafka_tests_that_need_a_broker() -> None:
    assert librdkafka.defined_tests(C_SOURCE) == {
        "0005_order": "default",
        "0103_transactions": "default",
        "0107_topic_recreate": "noautocreate",
    }


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("0005_order", "passed  0005_order"),
        ("0053_stats", "skipped 0053_stats: RapidJSON >=1.1.0 not available"),
        (
            "0014_reconsume_191",
            "failed  0014_reconsume_191: Test 0014_reconsume_191 timed out (timeout set to 45 seconds)",
        ),
    ],
)
def test_librdkafka_prints(name: str, outcome: str) -> None:
    assert str(librdkafka.read_outcome(name, C_PRINTS)) == outcome


def test_a_runner_that_died_reports_no_success() -> None:
    assert librdkafka.read_outcome("0005_order", "Segmentation fault").verdict is Verdict.FAILED
    assert in_order(["TestPing"], {})[0].verdict is Verdict.FAILED


def test_what_is_left_out() -> None:
    assert read_left_out("# a comment\n\nTestA needs groups\n") == {"TestA": "needs groups"}


@pytest.mark.parametrize("text", ["TestA\n", "TestA needs groups\nTestA needs more\n"])
def test_each_has_one_line_with_one_reason(text: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        read_left_out(text)


@pytest.mark.parametrize("path", sorted(LEFT_OUT.iterdir()), ids=lambda path: path.name)
def test_the_files_of_what_is_left_out_can_be_read(path: Path) -> None:
    read_left_out(path.read_text())


class Scripted:
    """A suite whose tests fail by their names."""

    title = "scripted 1"
    left_out_file = "kgo"

    def __init__(self, *names: str) -> None:
        """All of these and what is left out."""
        self._names = [*names, *read_left_out((LEFT_OUT / self.left_out_file).read_text())]

    def tests(self) -> list[str]:
        """See Suite."""
        return self._names

    def run(self, tests: Sequence[str], folder: Path) -> Iterable[Outcome]:
        """See Suite."""
        for name in tests:
            is_good = "Good" in name
            yield Outcome(name=name, verdict=Verdict.PASSED if is_good else Verdict.FAILED)


def test_a_suite_is_run_without_what_is_left_out(tmp_path: Path) -> None:
    told: list[str] = []
    suite = Scripted("TestGood", "TestGoodToo")
    assert [each.name for each in run_suite(suite, tmp_path, tell=told.append)] == ["TestGood", "TestGoodToo"]
    assert told[-1].startswith("scripted 1: ")
    assert [each.name for each in run_suite(suite, tmp_path, tell=told.append, only="Too")] == ["TestGoodToo"]


def test_what_is_left_out_may_fail_where_all_are_run(tmp_path: Path) -> None:
    outcomes = run_suite(Scripted("TestGood"), tmp_path, tell=lambda line: None, is_all=True)
    assert {each.verdict for each in outcomes} == {Verdict.PASSED, Verdict.FAILED}


def test_what_is_not_left_out_may_not_fail(tmp_path: Path) -> None:
    with pytest.raises(SuiteFailedError, match="1 failed: TestBad"):
        run_suite(Scripted("TestBad"), tmp_path, tell=lambda line: None)


def test_what_is_left_out_has_to_exist(tmp_path: Path) -> None:
    suite = Scripted()
    suite.tests().pop()
    with pytest.raises(SuiteFailedError, match="does not have"):
        run_suite(suite, tmp_path, tell=lambda line: None)


def test_the_summary_counts_all_tests() -> None:
    outcomes = [Outcome(name="a", verdict=Verdict.PASSED), Outcome(name="b", verdict=Verdict.SKIPPED)]
    assert summary(outcomes, 5) == "5 tests, 1 passed, 0 failed, 1 skipped, 3 not run"


def test_the_clusters_wait_for_a_groups_members_as_long_as_apache_kafka_does() -> None:
    """0113_cooperative_rebalance counts rebalances, and fails on Apache Kafka too if the first one does not wait."""
    assert "group.initial.rebalance.delay.ms" not in clusters.REPLICATED
