from sqlalchemy import text

from castad.cli.reports import shrink_database
from resources.ledger.db.database import open_database

_ROWS = 300


def test_room_of_removed_rows_is_given_back_to_the_disk(database_url, tmp_path):
    db = open_database(database_url)
    other = tmp_path / "other.db"
    opened = open_database(f"sqlite:///{other}")
    for each in (db, opened):
        with each.writing() as tx:
            # A page of its own for each row; Postgres would compress one that repeats itself.
            for number in range(_ROWS):
                long = "".join(chr(65 + (number * place) % 57) for place in range(3_000))
                values = {"name": f"vendor-{number}", "why": long}
                tx.execute(
                    text("INSERT INTO providers (name, pause_reason) VALUES (:name, :why)"), values
                )
        with each.writing() as tx:
            tx.execute(text("DELETE FROM providers"))
    before, after = shrink_database(db, [other] if db.is_sqlite else [])
    assert before - after > _ROWS * 1_000
    with db.reading() as tx:
        assert tx.execute(text("SELECT count(*) FROM providers")).scalar() == 0
    opened.close()
    db.close()
