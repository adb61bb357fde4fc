"""Who holds a lock, read out of what the kernel tells."""

from hypothesis import given
from hypothesis import strategies as st

from resources.process.file_locks import find_writer_pid, parse_held_locks

FILE, INDEX = 7, 8
WRITE_BYTE, RESERVED_BYTE = 120, 0x40000001


def line(
    pid: int,
    inode: int,
    first: int,
    last: int | str,
    *,
    kind: str = "POSIX",
    mode: str = "WRITE",
    arrow: str = "",
) -> str:
    return f"1: {arrow}{kind} ADVISORY  {mode} {pid} 00:1b:{inode} {first} {last}"


def test_holder_of_the_write_lock_of_a_wal_is_found_among_readers():
    told = "\n".join(
        [
            line(1, INDEX, 123, 123, mode="READ"),
            line(2, INDEX + 1, WRITE_BYTE, WRITE_BYTE),
            line(3, INDEX, WRITE_BYTE, WRITE_BYTE, arrow="-> "),
            line(4, INDEX, WRITE_BYTE, WRITE_BYTE),
        ]
    )
    assert find_writer_pid(told, FILE, INDEX) == 4


def test_holder_of_the_file_itself_is_found():
    assert find_writer_pid(line(5, FILE, RESERVED_BYTE, RESERVED_BYTE), FILE, None) == 5
    assert find_writer_pid(line(5, FILE, 0, "EOF"), FILE, None) == 5


def test_process_of_another_namespace_is_nobody_to_name():
    assert find_writer_pid(line(0, INDEX, WRITE_BYTE, WRITE_BYTE), FILE, INDEX) is None
    assert find_writer_pid(line(-1, INDEX, WRITE_BYTE, WRITE_BYTE), FILE, INDEX) is None


@given(st.text(alphabet="0123456789: ->POSIXWRITEOFDLCKEF\n") | st.text(), st.integers(1, 2**22))
def test_any_text_is_read_and_its_whole_lines_are_found(noise, pid):
    told = f"{noise}\n{line(pid, 2**40, WRITE_BYTE, WRITE_BYTE)}"
    assert find_writer_pid(told, None, 2**40) == pid
    assert list(parse_held_locks(told))[-1].covers(WRITE_BYTE)
