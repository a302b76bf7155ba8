"""`docgemma users`: the accounts of the web page, and tokens for programs and for decisions at the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from docgemma.cli.options import settings_of
from docgemma.cli.reading import decoded
from docgemma.cli.render import Output, json_option, printed, reports
from docgemma.cli.services import accounts, needs, within
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.accounts.model import UserRole
    from docgemma.accounts.users import Accounts

ROLES = ("prescriber", "clinician", "reviewer", "patient", "admin")
_MOST = 8192

name_argument = click.argument("name", metavar="NAME")
stdin_option = click.option("--password-stdin", is_flag=True, help="Read the password from standard input, one line.")


@click.group()
def users() -> None:
    """Accounts of the web page, and tokens.

    Without any account the page serves whoever sits at this machine, and nobody else. With the first one everybody
    signs in. Whoever can run this command on the installation's data may change every account.

    \b
    Roles:
      prescriber  asks, decides about chart entries and prescribes; consults and reviews
      clinician   the same, but prescriptions are saved as drafts
      reviewer    reviews coded trial criteria, and consults; sees no chart
      patient     consults what was written for patients
      admin       looks after accounts, and consults; sees no chart
    """


@users.command()
@name_argument
@click.option("--role", type=click.Choice(ROLES), required=True, help="What the user may do.")
@stdin_option
def add(name: str, role: UserRole, password_stdin: bool) -> None:
    """Add a user. The password is asked for twice.

    \b
    Examples:
      docgemma users add dr.lee --role prescriber
      docgemma users add ada --role admin --password-stdin < password.txt

    Exit codes: 0 added; 2 name or password cannot be used; 5 there is one of that name.
    """
    from docgemma.accounts.users import usable_name

    usable = usable_name(name)
    password = _password(password_stdin)
    made = within(accounts, lambda accounts: accounts.add(usable, role, password))
    click.echo(f"{made.name} is added, as {made.role}.")


@users.command("list")
@reports(accounts)
async def list_(accounts: Accounts) -> Output:
    """List the users, with role and whether they may sign in."""
    found = await accounts.listed()
    width = max((len(user.name) for user in found), default=0)
    lines = [f"{user.name:<{width}}  {user.role:<10}  {'may sign in' if user.active else 'disabled'}" for user in found]
    nobody = "No accounts: the page serves whoever sits at this machine. `docgemma users add` makes one."
    return Output(found, lines or [nobody])


@users.command()
@name_argument
@click.argument("role", type=click.Choice(ROLES))
@needs(accounts)
async def role(accounts: Accounts, name: str, role: UserRole) -> None:
    """Give a user another role. The user signs in again; tokens act with the new role.

    \b
    Example:
      docgemma users role dr.lee prescriber

    Exit codes: 0 changed; 3 unknown name; 5 it is the last administrator.
    """
    changed = await accounts.set_role(name, role)
    click.echo(f"{changed.name} is {changed.role} now.")


@users.command()
@name_argument
@stdin_option
def password(name: str, password_stdin: bool) -> None:
    """Set a user's password. It is asked for twice; every sign-in of the user ends.

    Exit codes: 0 set; 2 it cannot be used; 3 unknown name.
    """
    settings = settings_of({})
    # First: nobody types a password for a name that is not there.
    asked = within(accounts, lambda accounts: accounts.get(name), settings).name
    given = _password(password_stdin)
    changed = within(accounts, lambda accounts: accounts.set_password(asked, given), settings)
    click.echo(f"The password of {changed.name} is set.")


@users.command()
@name_argument
@needs(accounts)
async def disable(accounts: Accounts, name: str) -> None:
    """Let a user in no more: sign-ins and tokens end at once. What the user decided stays under that name.

    Exit codes: 0 disabled; 3 unknown name; 5 it is the last administrator.
    """
    changed = await accounts.disable(name)
    click.echo(f"{changed.name} is disabled: sign-ins and tokens have ended.")


@users.command()
@name_argument
@needs(accounts)
async def enable(accounts: Accounts, name: str) -> None:
    """Let a disabled user sign in again. Tokens have to be made anew."""
    changed = await accounts.enable(name)
    click.echo(f"{changed.name} is enabled.")


@users.command()
@name_argument
@click.option("--label", required=True, metavar="TEXT", help="What it is for, to know it by later.")
@click.option("--days", type=click.IntRange(1, 3650), default=90, show_default=True, metavar="N", help="How long.")
@json_option()
@needs(accounts)
async def token(accounts: Accounts, name: str, label: str, days: int, as_json: bool) -> int:
    """Make a token for a user. It is shown this once; only a hash of it is kept.

    It goes into DOCGEMMA_TOKEN for decisions at the terminal, or into programs as `Authorization: Bearer`.

    \b
    Examples:
      docgemma users token dr.lee --label "terminal, ward 3"
      export DOCGEMMA_TOKEN=$(docgemma users token dr.lee --label terminal)

    Exit codes: 0 made; 2 label or account cannot be used; 3 unknown name.
    """
    asked = name.strip().lower()
    made = await accounts.tokens.issue(asked, label, days)
    if not as_json:
        click.echo("It is not shown again.", err=True)
    return printed(Output({"name": asked, "token": made}, [made]), as_json=as_json)


@users.command()
@click.argument("name", metavar="[NAME]", required=False)
@reports(accounts)
async def tokens(accounts: Accounts, name: str | None) -> Output:
    """List tokens, of one user or of all: id, label, last four letters, and until when they are good."""
    asked = name.strip().lower() if name is not None else None
    if asked is not None:
        await accounts.get(asked)
    found = await accounts.tokens.listed(asked)
    width = max((len(each.name) for each in found), default=0)
    lines = (
        f"{each.id}  {each.name:<{width}}  …{each.tail}  "
        f"{'expired' if each.expired else 'until'} {each.expires_at[:10]}  {each.label}"
        for each in found
    )
    return Output(found, lines if found else ["No tokens."])


@users.command()
@click.argument("token_id", metavar="ID")
@needs(accounts)
async def revoke(accounts: Accounts, token_id: str) -> None:
    """End a token at once. `docgemma users tokens` lists the ids.

    Exit codes: 0 revoked; 3 unknown id.
    """
    await accounts.tokens.revoke(token_id.strip().lower())
    click.echo("The token is revoked.")


def _password(from_stdin: bool) -> str:
    """Never an argument: those can be seen by every program of the machine, and stay in the shell's history."""
    if not from_stdin:
        if not sys.stdin.isatty():
            raise BadInput("There is no keyboard to ask for a password. Give it with --password-stdin.")
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
        return typed
    lines = decoded(sys.stdin.buffer.read(_MOST)).splitlines()
    if len(lines) != 1:
        raise BadInput("Give the password as one line.")
    return lines[0]
