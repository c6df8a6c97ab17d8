"""Records mean what dataclasses mean: frozen, slotted, equal by value, and refuse what they lack."""

import pickle

import pytest

from fiche.kernel.record import field, field_names, record, replace


@record
class Point:
    x: int
    y: int = 2
    seen: dict[str, int] = field(default_factory=dict)


@record(kw_only=False)
class Pair:
    left: int
    right: int = 0


@record(eq=False)
class Node:
    low: int

    def __post_init__(self) -> None:
        if self.low < 0:
            raise ValueError("below zero")


@record(frozen=False, kw_only=False)
class Growing:
    start: int
    seen: list[int] = field(default_factory=list)
    ended: bool = False


@record(kw_only=False)
class Told:
    word: str
    times: int = 1
    sure: bool = True


@record
class Five:
    a: int
    b: int
    c: int
    d: int
    e: int = 5


@record
class Many:
    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int


@record(kw_only=False)
class Gap:
    left: int = 1
    right: int


class Marked:
    __slots__ = ()

    def doubled(self) -> int:
        return 2 * self.low


@record
class Child(Marked):
    low: int


def test_values_are_equal_and_hash_alike_by_their_fields():
    assert Pair(1, 2) == Pair(left=1, right=2) != Pair(1, 3)
    assert len({Pair(1, 2), Pair(1, 2), Pair(2, 1)}) == 2
    assert Pair(1, 2) != (1, 2)


def test_identity_is_kept_where_asked():
    one, two = Node(low=1), Node(low=1)
    assert one != two
    assert one == one
    assert len({one, two}) == 2


def test_nothing_can_be_changed_or_added():
    point = Point(x=1)
    for change in (lambda: setattr(point, "x", 3), lambda: setattr(point, "z", 3)):
        with pytest.raises(AttributeError):
            change()
    with pytest.raises(AttributeError):
        del point.x
    assert not hasattr(point, "__dict__")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Point(), "missing x"),
        (lambda: Point(x=1, z=2), "unknown z"),
        (lambda: Point(x=1, y=2, seen={}, z=3), "unknown z"),
        (lambda: Point(y=1, z=1, seen={}), "unknown z, missing x"),
        (lambda: Point(1), "0 values by position"),
        (lambda: Pair(1, 2, 3), "2 to 3 positional arguments but 4"),
        (lambda: Pair(1, left=2), "multiple values for argument 'left'"),
    ],
)
def test_what_is_missing_unknown_or_double_is_said(make, said):
    with pytest.raises(TypeError, match=said):
        make()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Five(), "missing 4 required keyword-only arguments: 'a', 'b', 'c', and 'd'"),
        (lambda: Five(a=1, b=2, c=3, e=5), "missing 1 required keyword-only argument: 'd'"),
        (lambda: Five(a=1, b=2, c=3, d=4, z=5), "unexpected keyword argument 'z'"),
        (lambda: Five(1, b=2, c=3, d=4), "takes 1 positional argument"),
        (lambda: Node(1), "takes 1 positional argument"),
        (lambda: Many(**dict.fromkeys("abcdefg", 0)), "missing h"),
        (lambda: Many(**dict.fromkeys("abcdefghz", 0)), "unknown z"),
        (lambda: Many(0), "0 values by position"),
    ],
)
def test_few_fields_and_many_refuse_alike_before_and_after_a_first_value(make, said):
    for _ in range(2):
        with pytest.raises(TypeError, match=said):
            make()
        Five(a=1, b=2, c=3, d=4)
        Many(**dict.fromkeys("abcdefgh", 0))


def test_every_number_of_fields_puts_each_value_under_its_name():
    for number in range(1, 10):
        names = "abcdefghi"[:number]
        told = {"__annotations__": dict.fromkeys(names, "int"), "__module__": __name__}
        kind, placed = record(type("Kind", (), told)), record(kw_only=False)
        for made in (kind(**{n: ord(n) for n in names}), kind(**{n: ord(n) for n in names[::-1]})):
            assert [getattr(made, n) for n in names] == [ord(n) for n in names]
        pair = placed(type("Placed", (), told))
        assert repr(pair(*range(number))) == repr(pair(**{n: i for i, n in enumerate(names)}))


def test_what_stands_for_others_by_position_stands_at_the_end():
    assert (Gap(right=3).left, Gap(right=3).right) == (1, 3)
    assert (Gap(2, 3).left, Gap(2, 3).right) == (2, 3)
    with pytest.raises(TypeError, match="missing right"):
        Gap(2)


def test_defaults_and_made_defaults():
    one, two = Point(x=1), Point(x=1)
    assert (one.y, one.seen) == (2, {})
    assert one.seen is not two.seen


def test_a_copy_with_changes():
    assert replace(Pair(1, 2), right=5) == Pair(1, 5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'middle'"):
        replace(Pair(1, 2), middle=5)


def test_checks_run_on_every_value_made():
    with pytest.raises(ValueError, match="below zero"):
        replace(Node(low=1), low=-1)


def test_it_shows_its_fields_and_survives_a_pickle():
    assert repr(Pair(1, 2)) == "Pair(left=1, right=2)"
    assert pickle.loads(pickle.dumps(Pair(1, 2))) == Pair(1, 2)
    assert field_names(Pair(1, 2)) == ("left", "right")
    assert field_names(3) == ()


def test_a_base_may_bring_behaviour():
    assert Child(low=4).doubled() == 8


def test_what_is_in_the_making_changes_and_is_no_key():
    one, two = Growing(3), Growing(3)
    assert one == two
    one.seen.append(4)
    one.ended = True
    assert one != two
    assert (two.seen, two.ended) == ([], False)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    with pytest.raises(AttributeError):
        one.other = 1


def test_values_by_position_leave_the_others_as_told():
    assert Told("a") == Told("a", 1) == Told("a", 1, True) == Told("a", sure=True)
    assert Told("a", 2).sure is True
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'word'"):
        Told()
    with pytest.raises(TypeError, match="missing start"):
        Growing()
