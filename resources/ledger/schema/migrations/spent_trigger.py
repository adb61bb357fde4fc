"""Triggers that keep what a deleted submission has cost, as a sum of its day, however it is deleted.

A submission in doubt becomes an orphan instead (`guards.py`), and one that already is an orphan counts there. The
submissions of a deleted request are deleted before it, because a cascade would find neither owner nor pipeline.
"""

_COUNTED = "OLD.cost > 0 AND OLD.status NOT IN ('intent', 'submitted', 'unknown')"
_KEY = "day, owner, pipeline, stage, provider"
_OF_REQUEST = "coalesce((SELECT {0} FROM requests WHERE id = OLD.request_id), '')"


def spent_statements(dialect: str) -> list[str]:
    """The DDL, one statement each."""
    return _sqlite() if dialect == "sqlite" else _postgres()


def _keep(day: str) -> str:
    owner, pipeline = _OF_REQUEST.format("owner"), _OF_REQUEST.format("pipeline")
    return f"""INSERT INTO spent_days ({_KEY}, cost, submissions)
        SELECT {day}, {owner}, {pipeline}, OLD.stage, OLD.provider, OLD.cost, 1
        WHERE NOT EXISTS (SELECT 1 FROM orphans WHERE token = OLD.token)
        ON CONFLICT ({_KEY}) DO UPDATE SET cost = spent_days.cost + excluded.cost,
            submissions = spent_days.submissions + 1;"""


def _sqlite() -> list[str]:
    day = "coalesce(strftime('%Y-%m-%d', OLD.created_at), substr(OLD.created_at, 1, 10))"
    return [
        f"""CREATE TRIGGER provider_jobs_spent_kept BEFORE DELETE ON provider_jobs
        WHEN {_COUNTED} BEGIN
            {_keep(day)}
        END""",
        """CREATE TRIGGER requests_spent_kept BEFORE DELETE ON requests BEGIN
            DELETE FROM provider_jobs WHERE request_id = OLD.id;
        END""",
    ]


def _postgres() -> list[str]:
    def function(name: str, body: str) -> str:
        return (
            f"CREATE FUNCTION castad_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ "
            f"BEGIN {body} RETURN OLD; END $$"
        )

    # Triggers fire in the order of their names: the guards have refused by then what must not be deleted.
    return [
        function(
            "provider_jobs_spent_kept",
            _keep("to_char(OLD.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')"),
        ),
        f"""CREATE TRIGGER provider_jobs_spent_kept BEFORE DELETE ON provider_jobs FOR EACH ROW
        WHEN ({_COUNTED}) EXECUTE FUNCTION castad_provider_jobs_spent_kept()""",
        function("requests_spent_kept", "DELETE FROM provider_jobs WHERE request_id = OLD.id;"),
        """CREATE TRIGGER requests_spent_kept BEFORE DELETE ON requests FOR EACH ROW
        EXECUTE FUNCTION castad_requests_spent_kept()""",
    ]
