"""PIN, patience, sessions and keys, without any page around them."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.web.access import (
    FORGET_S,
    FREE_TRIES,
    IDLE_S,
    LONGEST_S,
    LONGEST_WAIT_S,
    REFILL_S,
    SESSIONS,
    TOGETHER,
    Access,
    ApiKey,
    network_of,
)

PIN = "2468"


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def access(clock):
    return Access(PIN, clock=clock)


def came_in(found):
    return not isinstance(found, float)


def test_the_right_pin_opens_and_a_wrong_one_does_not(access):
    assert access.log_in("2469", "a") == 0
    token, session = access.log_in(PIN, "a")
    assert access.with_cookie(token).csrf == session.csrf
    assert access.with_cookie(token).valid()
    assert access.with_cookie(token + "x") is None


@pytest.mark.parametrize("pin", ["", "0000", "2468 ", "é", "24680000", "2" * 32])
def test_without_a_pin_nothing_opens(pin):
    assert not came_in(Access().log_in(pin, "a"))
    assert not Access().possible


def test_each_wrong_pin_makes_the_wait_longer_and_never_endless(access, clock):
    waits = []
    for _ in range(20):
        wait_s = access.log_in("0000", "a", own=True)
        waits.append(wait_s)
        clock.now_s += wait_s
    assert waits[: FREE_TRIES - 1] == [0] * (FREE_TRIES - 1)
    assert waits[FREE_TRIES - 1 :] == sorted(waits[FREE_TRIES - 1 :])
    assert waits[FREE_TRIES - 1] > 0
    assert max(waits) == LONGEST_WAIT_S
    assert came_in(access.log_in(PIN, "a", own=True))
    assert access.log_in("0000", "a", own=True) == 0  # as good as new


def test_while_waiting_even_the_right_pin_is_not_compared(access, clock):
    for _ in range(FREE_TRIES):
        wait_s = access.log_in("0000", "a")
    assert access.log_in(PIN, "a") == pytest.approx(wait_s)
    clock.now_s += wait_s - 0.01
    assert not came_in(access.log_in(PIN, "a"))
    clock.now_s += 0.02
    assert came_in(access.log_in(PIN, "a"))


def test_a_wait_is_not_made_longer_by_asking(access, clock):
    for _ in range(FREE_TRIES):
        wait_s = access.log_in("0000", "a")
    for _ in range(100):
        access.log_in("0000", "a")
    clock.now_s += wait_s
    assert came_in(access.log_in(PIN, "a"))


def test_one_clients_wait_is_nobody_elses(access):
    for _ in range(FREE_TRIES):
        access.log_in("0000", "a")
    assert came_in(access.log_in(PIN, "b"))


def test_many_clients_together_try_no_more_often(access, clock):
    tried = sum(access.log_in("0000", f"10.0.{i // 250}.{i % 250}") == 0 for i in range(5000))
    assert tried == TOGETHER - 1  # the last of them is told to wait
    clock.now_s += 10 * REFILL_S
    assert sum(access.log_in("0000", f"10.1.0.{i}") == 0 for i in range(200)) <= 10
    assert not came_in(access.log_in(PIN, "10.2.0.1"))
    assert came_in(access.log_in(PIN, "127.0.0.1", own=True))  # strangers can't keep the table's own screen out
    clock.now_s += REFILL_S
    assert came_in(access.log_in(PIN, "10.2.0.1"))


def test_requests_at_the_same_time_are_counted_one_by_one():
    access = Access(PIN)
    found = []
    threads = [threading.Thread(target=lambda: found.append(access.log_in("0000", "a"))) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(wait_s == 0 for wait_s in found) == FREE_TRIES - 1


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.floats(0, 2 * FORGET_S)), max_size=60))
def test_whatever_was_tried_the_operator_comes_in_at_last(tries):
    clock = Clock()
    access = Access(PIN, clock=clock)
    for client, own, pause_s in tries:
        assert not came_in(access.log_in("1357", client, own=own))
        clock.now_s += pause_s
    for client in "abc":
        found = access.log_in(PIN, client)
        if not came_in(found):
            assert found <= max(LONGEST_WAIT_S, REFILL_S)
            clock.now_s += found + 0.001
            assert came_in(access.log_in(PIN, client))


def test_a_device_has_one_wait_for_all_its_ipv6_addresses():
    assert network_of("2001:db8:0:1::7") == network_of("2001:db8:0:1:ffff::9%eth0") != network_of("2001:db8:0:2::7")
    assert network_of("::ffff:192.168.1.7") == network_of("192.168.1.7") != network_of("192.168.1.8")
    assert network_of("no address") == "no address"


def test_a_session_ends_when_nobody_does_anything(access, clock):
    token, _ = access.log_in(PIN, "a")
    who = access.with_cookie(token)
    for _ in range(5):
        clock.now_s += IDLE_S - 1
        assert access.with_cookie(token, active=True)
    clock.now_s += IDLE_S - 1
    assert access.with_cookie(token)  # looking keeps nobody logged in
    clock.now_s += 2
    assert access.with_cookie(token) is None
    assert not who.valid()


def test_a_session_ends_after_a_day_of_play(access, clock):
    token, _ = access.log_in(PIN, "a")
    for _ in range(int(LONGEST_S / 600)):
        assert access.with_cookie(token, active=True)
        clock.now_s += 600
    assert access.with_cookie(token, active=True) is None


def test_logging_out_ends_this_session_only(access):
    first, second = access.log_in(PIN, "a")[0], access.log_in(PIN, "b")[0]
    access.sessions.end(first)
    assert access.with_cookie(first) is None
    assert access.with_cookie(second)


def test_sessions_are_few_and_the_one_idle_longest_goes(access, clock):
    tokens = []
    for i in range(SESSIONS + 3):
        clock.now_s += 1
        tokens.append(access.log_in(PIN, f"c{i}")[0])
        access.with_cookie(tokens[0], active=True)
    assert len(access.sessions) == SESSIONS
    assert access.with_cookie(tokens[0])
    assert access.with_cookie(tokens[1]) is None
    assert len(set(tokens)) == len(tokens)


def test_keys_name_who_asks_and_what_they_may():
    access = Access(None, (ApiKey.of("door", "a" * 20), ApiKey.of("reader", "b" * 20, "read")))
    assert access.with_key("a" * 20).facts == {"key": "door"}
    assert access.with_key("b" * 20).may == "read"
    assert access.with_key("a" * 19) is None
    assert access.with_key("") is None
    assert "aaaa" not in repr(access.with_key("a" * 20)) + repr(ApiKey.of("door", "a" * 20))
