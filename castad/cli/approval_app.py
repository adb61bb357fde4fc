"""The commands by which a person acts on an order that waits for one."""

from typing import Annotated

import typer

from castad.cli.key_app import AsJson

_TaskId = Annotated[str, typer.Argument(metavar="TASK_ID", help="The order's name")]
_Stage = Annotated[
    str | None,
    typer.Option("--stage", help="The stage that is meant; that which the order waits for"),
]


_Generation = Annotated[
    int | None,
    typer.Option(min=1, help="The generation of --stage that you have seen, as the status has it"),
]


def add_approval(app: typer.Typer) -> None:
    """The app has `approve`, `reject`, `choose` and `edit`."""

    @app.command(epilog="castad approve order-1a2b3c\n\ncastad approve order-1a2b3c --stage lyric")
    def approve(
        task_id: _TaskId,
        stage: _Stage = None,
        generation: _Generation = None,
        as_json: AsJson = False,
    ) -> None:
        """Approve what a stage has made: the order that waits for it goes on."""
        from castad.cli.approval import approve_one

        approve_one(task_id, stage, generation, as_json=as_json)

    @app.command(epilog='castad reject order-1a2b3c --reason "not our shop"')
    def reject(
        task_id: _TaskId,
        reason: Annotated[str | None, typer.Option(help="Why; the order shows it")] = None,
        as_json: AsJson = False,
    ) -> None:
        """Cancel an order that waits for an approval; a retry waits for it again."""
        from castad.cli.approval import reject_one

        reject_one(task_id, reason, as_json=as_json)

    @app.command(epilog="castad choose order-1a2b3c b")
    def choose(
        task_id: _TaskId,
        choice: Annotated[
            str, typer.Argument(metavar="CHOICE", help="Its id, as the status lists it")
        ],
        stage: _Stage = None,
        generation: _Generation = None,
        as_json: AsJson = False,
    ) -> None:
        """Use another one of what was paid for together; the order still waits for the approval."""
        from castad.cli.approval import choose_one

        choose_one(task_id, choice, stage, generation, as_json=as_json)

    @app.command(epilog="castad edit order-1a2b3c\n\nEDITOR=nano castad edit order-1a2b3c lyric")
    def edit(
        task_id: _TaskId,
        stage: Annotated[
            str | None,
            typer.Argument(metavar="STAGE", help="The stage; that which the order waits for"),
        ] = None,
    ) -> None:
        """Change what a stage has made, in $EDITOR; the order still waits for the approval."""
        from castad.cli.approval import edit_one

        edit_one(task_id, stage)
