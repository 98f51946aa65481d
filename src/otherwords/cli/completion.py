from __future__ import annotations

import click


@click.command("completion", short_help="Print the shell completion script.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash:  otherwords completion bash > ~/.otherwords-complete && echo '. ~/.otherwords-complete' >> ~/.bashrc
    zsh:   otherwords completion zsh  > ~/.otherwords-complete && echo '. ~/.otherwords-complete' >> ~/.zshrc
    fish:  otherwords completion fish > ~/.config/fish/completions/otherwords.fish
    """
    from click.shell_completion import get_completion_class

    from otherwords.cli.app import app

    completer = get_completion_class(shell)
    assert completer is not None
    click.echo(completer(app, {}, "otherwords", "_OTHERWORDS_COMPLETE").source())
