import typer
from sqlalchemy import create_engine, text
from sqlalchemy.pool import QueuePool

from castad.cli.boundary import run
from resources.ledger.ledger_errors import TakenIdError


def test_a_pool_without_a_free_connection_is_one_sentence(capsys):
    app = typer.Typer()
    engine = create_engine(
        "sqlite://", poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=0.01
    )

    @app.command()
    def ask_twice() -> None:
        with engine.connect(), engine.connect():
            pass

    assert run(app, []) == 1
    engine.dispose()
    told = capsys.readouterr().err
    assert told.startswith("castad: the database reported an error: QueuePool limit of size 1")
    assert told.endswith("[state_unavailable]\n")
    assert len(told.splitlines()) == 1
    assert "http" not in told


def test_what_the_driver_said_is_told_without_the_statement(capsys):
    app = typer.Typer()
    engine = create_engine("sqlite://")

    @app.command()
    def ask() -> None:
        with engine.connect() as connection:
            connection.execute(text("SELECT secret FROM nowhere"))

    assert run(app, []) == 1
    engine.dispose()
    told = capsys.readouterr().err
    assert told == (
        "castad: the database reported an error: no such table: nowhere [state_unavailable]\n"
    )


def test_id_that_is_anothers_is_wrong_input(capsys):
    app = typer.Typer()

    @app.command()
    def attach() -> None:
        raise TakenIdError("--attach: x1 is the job of 'first'")

    assert run(app, []) == 2
    told = capsys.readouterr().err
    assert told == "castad: --attach: x1 is the job of 'first' [job_id_taken]\n"
