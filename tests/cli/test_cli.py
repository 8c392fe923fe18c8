"""The command line: one sentence and exit code 2 for whatever is wrong, and never a traceback."""

from __future__ import annotations

import os
import socket
import sqlite3
import stat
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from parlour.cli import app
from parlour.server.config import BadConfig, Config, load
from tests.support import PARLOUR


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder and an environment in which nothing is configured."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("PARLOUR_"):
            monkeypatch.delenv(name)
    # Wide enough that no sentence is wrapped.
    monkeypatch.setenv("COLUMNS", "200")


def parlour(*args: str, **environ: str) -> Result:
    return CliRunner().invoke(app, args, env=dict(environ))


def sentence(result: Result) -> str:
    """What it had to say before it ended with exit code 2."""
    assert result.exit_code == 2, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("parlour: ")
    assert lines[0].endswith(".")
    return lines[0]


# What can't be


@pytest.mark.parametrize(
    ("flags", "where"),
    [
        (("--port", "99999"), "--port: port can't be"),
        (("--port", "many"), "--port: port can't be 'many'"),
        (("--port", "-1"), "--port: port can't be"),
        (("--bot-pace", "-1"), "--bot-pace: bot_pace can't be"),
        (("--bot-pace", "slow"), "--bot-pace: bot_pace can't be"),
        (("--log-level", "loud"), "--log-level: log_level can't be 'loud'"),
        (("--tls-cert", "cert.pem"), "TLS needs both tls_cert and tls_key"),
        (("--tls-cert", "a", "--tls-key", "b"), "tls_cert: there is no file a"),
        (("--public-url", "parlour.example"), "public_url must start with http"),
        (("--public-url", "https://"), "public_url must start with http:// or https:// and name"),
        (("--public-url", "https://["), "public_url must start with http:// or https:// and name"),
        (("--message-size", "1"), "--message-size: message_size can't be '1'"),
        (("--heartbeat", "inf"), "--heartbeat: heartbeat can't be 'inf'"),
        (("--tables", "-1"), "--tables: tables can't be '-1'"),
        (("--config", "nowhere.toml"), "The configuration file nowhere.toml can't be read"),
    ],
)
def test_a_bad_flag_is_named(flags: tuple[str, ...], where: str) -> None:
    assert where in sentence(parlour("serve", *flags))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PARLOUR_PORT", "many"),
        ("PARLOUR_MESSAGE_SIZE", "1"),
        ("PARLOUR_PROXY_HEADERS", "perhaps"),
        ("PARLOUR_HEARTBEAT", "0"),
        ("PARLOUR_LOG_LEVEL", "loud"),
    ],
)
def test_a_bad_variable_is_named(variable: str, value: str) -> None:
    for command in ("serve", "config"):
        assert f"{variable}: " in sentence(parlour(command, **{variable: value}))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("port = 99999", "port can't be 99999"),
        ('port = "3000"', "port can't be '3000'"),
        ("prot = 3000", "there is no setting called 'prot'"),
        ("origins = 'x'", "origins can't be"),
        ("port = ", "is no TOML"),
        ("message_rate = inf", "message_rate can't be inf"),
        ("idle_timeout = nan", "idle_timeout can't be nan"),
    ],
)
def test_a_bad_key_of_the_file_is_named(text: str, what: str) -> None:
    Path("parlour.toml").write_text(text)
    for command in ("serve", "config"):
        said = sentence(parlour(command))
        assert what in said
        assert "parlour.toml" in said


def test_a_key_or_variable_that_is_none_is_named_with_what_it_may_mean() -> None:
    assert "There is no variable PARLOUR_TABELS (did you mean PARLOUR_TABLES?)." in sentence(
        parlour("serve", PARLOUR_TABELS="7")
    )
    assert sentence(parlour("config", PARLOUR_XYZZY="7")).endswith("variable PARLOUR_XYZZY.")
    Path("parlour.toml").write_text("bot_pase = 1")
    assert "called 'bot_pase' (did you mean bot_pace?)." in sentence(parlour("config"))
    # Those of other commands and other programs are not ours to judge.
    assert load({}, {"PARLOUR_WCP_PASSWORD": "x", "PARLOURS": "7"}, "")[0] == Config()


def test_an_empty_name_of_the_file_is_none() -> None:
    Path("parlour.toml").write_text("port = 1")
    assert load({}, {"PARLOUR_CONFIG": ""})[0].port == Config().port
    assert load({}, {"PARLOUR_CONFIG": "nowhere.toml"}, "")[0].port == Config().port
    assert parlour("config", PARLOUR_CONFIG="").exit_code == 0
    assert parlour("config", "--config", "").exit_code == 0


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("https://Cards.Example:443", "https://cards.example/"),
        ("http://cards.example:80/parlour/", "http://cards.example/parlour/"),
        ("http://cards.example:443/parlour", "http://cards.example:443/parlour/"),
        ("https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443/"),
    ],
)
def test_the_public_address_is_written_as_browsers_write_it(said: str, meant: str) -> None:
    assert load({"public_url": said}, {})[0].public_url == meant


def test_a_file_with_a_mark_of_utf8_is_read() -> None:
    Path("parlour.toml").write_bytes(b"\xef\xbb\xbfport = 7")
    assert load({}, {})[0].port == 7


def test_what_looks_like_markup_is_printed_as_it_is() -> None:
    odd = "[red]x[/red]"
    assert odd in sentence(parlour("serve", "--log-level", odd))
    assert odd in parlour("config", PARLOUR_DATA=odd).stdout
    Path("parlour.toml").write_text("'[bold]' = 1")
    assert "'[bold]'" in sentence(parlour("config"))


def test_no_password_is_printed() -> None:
    told = parlour("config", PARLOUR_STORE="postgresql://me:s3cret@db:5433/cards?sslmode=require")
    assert "postgresql://me:***@db:5433/cards?sslmode=require" in told.stdout
    assert "s3cret" not in told.stdout
    assert "s3cret" not in sentence(parlour("config", "--store", "mysql://me:s3cret@db/cards"))


# What is in the way


def test_a_busy_port_is_named_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        said = sentence(parlour("serve", "--host", "127.0.0.1", "--port", port))
    assert f"Port {port} on 127.0.0.1 can't be used: address already in use." in said
    assert said.endswith("Try another one with --port.")


def test_a_data_folder_that_can_not_be_is_named_with_what_to_do() -> None:
    Path("data").write_text("not a folder")
    said = sentence(parlour("serve", "--port", "0"))
    assert "The data folder data can't be written" in said
    assert said.endswith("Choose another one with --data.")


@pytest.mark.parametrize("host", ["nowhere.invalid", "x" * 300, "ü..x", "192.0.2.1"])
def test_a_host_that_can_not_be_is_named(host: str) -> None:
    said = sentence(parlour("serve", "--port", "0", "--host", host))
    assert f"The host {host} can't be listened on: " in said
    # Another port would not help.
    assert "--host" in said
    assert "--port" not in said


def test_a_data_folder_with_no_possible_name_is_named() -> None:
    Path("parlour.toml").write_text('data = "a\\u0000b"')
    said = sentence(parlour("serve", "--port", "0"))
    assert "The data folder a�b can't be written: " in said
    assert "embedded null" in said  # in words of Python's that change with its version


def test_data_of_a_newer_parlour_is_left_alone() -> None:
    Path("data").mkdir()
    db = sqlite3.connect("data/parlour.sqlite")
    db.execute("PRAGMA user_version = 99")
    db.close()
    assert "was written by a newer Parlour" in sentence(parlour("serve", "--port", "0"))


def test_a_key_file_that_holds_no_key_is_named() -> None:
    Path("data").mkdir()
    Path("data/session.key").write_text("no key")
    said = sentence(parlour("serve", "--port", "0"))
    assert "The key file data/session.key can't be used: it holds no Ed25519 key." in said


def test_a_certificate_that_is_none_is_named() -> None:
    for name in ("cert.pem", "key.pem"):
        Path(name).write_text("no certificate")
    flags = ("--tls-cert", "cert.pem", "--tls-key", "key.pem")
    said = sentence(parlour("serve", "--port", "0", *flags))
    assert "The TLS certificate can't be used" in said
    # Found out before anything was opened.
    assert not Path("data").exists()


def test_a_file_in_a_folder_that_is_shut_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def shut(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", shut)
    flags = ("--tls-cert", "shut/cert.pem", "--tls-key", "shut/key.pem")
    config, _ = load({}, {}, os.devnull)
    assert config == Config()
    assert "parlour.toml can't be read" in sentence(parlour("config"))
    Path("own.toml").touch()
    said = sentence(parlour("serve", "--config", "own.toml", *flags))
    assert "The TLS certificate can't be used" in said


def test_the_secrets_of_the_house_are_its_owners_alone() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        parlour("serve", "--host", "127.0.0.1", "--port", port)
    for name in ("session.key", "parlour.sqlite"):
        assert stat.S_IMODE(Path("data", name).stat().st_mode) == 0o600


# Where values come from


def test_flags_go_before_variables_and_variables_before_the_file() -> None:
    Path("parlour.toml").write_text('port = 1001\nhost = "127.0.0.1"\nheartbeat = 5\n')
    environ = {"PARLOUR_PORT": "1002", "PARLOUR_HOST": "127.0.0.2"}
    config, source = load({"port": "1003"}, environ)
    assert (config.port, config.host, config.heartbeat) == (1003, "127.0.0.2", 5.0)
    assert source == {"port": "--port", "host": "PARLOUR_HOST", "heartbeat": "parlour.toml"}


def test_a_file_is_found_by_flag_by_variable_and_by_name_in_this_order() -> None:
    for name, port in (("parlour.toml", 1), ("variable.toml", 2), ("flag.toml", 3)):
        Path(name).write_text(f"port = {port}")
    assert load({}, {})[0].port == 1
    environ = {"PARLOUR_CONFIG": "variable.toml"}
    assert load({}, environ)[0].port == 2
    assert load({}, environ, "flag.toml")[0].port == 3


def test_variables_are_read_as_what_they_stand_for() -> None:
    environ = {
        "PARLOUR_PROXY_HEADERS": "true",
        "PARLOUR_ORIGINS": "https://a.example, https://b.example,",
        "PARLOUR_BOT_PACE": "0.5",
        "PARLOUR_TABLES": "7",
        "PARLOUR_HOST": "1",
    }
    config, _ = load({}, environ)
    assert config == Config(
        proxy_headers=True,
        origins=["https://a.example", "https://b.example"],
        bot_pace=0.5,
        tables=7,
        host="1",
    )
    with pytest.raises(BadConfig):
        load({}, {"PARLOUR_PROXY_HEADERS": "2"})


def test_every_setting_is_a_flag_a_variable_and_a_key() -> None:
    for command in ("serve", "config"):
        shown = parlour(command, "--help").stdout
        for field in Config.__struct_fields__:
            assert f"--{field.replace('_', '-')} " in shown, field
    flags = ("--origins", "https://a.example,https://b.example", "--proxy-headers", "--tables", "7")
    told = parlour("config", *flags, "--message-rate", "0.5").stdout
    rows = {line.split()[0]: line.split()[-1] for line in told.splitlines()}
    assert [rows[f] for f in ("origins", "proxy_headers", "tables", "message_rate", "port")] == [
        "--origins", "--proxy-headers", "--tables", "--message-rate", "default",
    ]  # fmt: skip
    assert "['https://a.example', 'https://b.example']" in told


def test_the_configuration_in_force_is_printed_with_where_it_comes_from() -> None:
    Path("parlour.toml").write_text("tables = 12")
    result = parlour("config", PARLOUR_PORT="4000")
    assert result.exit_code == 0
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines()}
    assert rows["port"] == ["4000", "PARLOUR_PORT"]
    assert rows["tables"] == ["12", "parlour.toml"]
    assert rows["heartbeat"] == ["30.0", "default"]
    assert set(Config.__struct_fields__) <= set(rows)


def test_a_long_value_is_printed_whole_into_a_pipe() -> None:
    far = "/".join(["deep"] * 60)
    assert far in parlour("config", PARLOUR_DATA=far, COLUMNS="80").stdout


# The rest


def test_the_version_is_the_installed_one() -> None:
    assert parlour("version").stdout == f"parlour {version('parlour')}\n"


COMMANDS = [(), ("serve",), ("config",), ("version",), ("play",), ("mo",), ("mo", "solve"),
            ("mo", "arena"), ("arena",), ("protocol",), ("packs",), ("packs", "list"),
            ("packs", "check"), ("packs", "new")]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(command: tuple[str, ...]) -> None:
    result = parlour(*command, "--help")
    assert result.exit_code == 0
    assert " ".join(("Usage: parlour", *command)) in result.stdout
    described = [line for line in result.stdout.splitlines() if "--" in line]
    assert described


def test_every_flag_of_serve_is_a_setting_with_its_description() -> None:
    shown = " ".join(parlour("serve", "--help").stdout.split())
    for word in ("--host", "--port", "--data", "--log-level", "Address to listen on."):
        assert word in shown


def test_help_is_asked_for_in_words_too() -> None:
    for words, like in ((["help"], ["--help"]), (["help", "play"], ["play", "--help"])):
        told = [
            subprocess.run([*PARLOUR, *said], capture_output=True, text=True, check=True).stdout
            for said in (words, like)
        ]
        assert told[0] == told[1]
        assert "Usage: parlour" in told[0]


def test_help_waits_for_nothing_that_only_a_command_needs() -> None:
    heavy = "asyncio", "aiohttp", "rich", "importlib.metadata", "parlour.kit", "parlour.table"
    script = (
        "import atexit, sys; from parlour.cli import main; sys.argv = ['parlour', '--help']; "
        f"atexit.register(lambda: print([m for m in {heavy} if m in sys.modules])); main()"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_server_starts_without_what_only_passkeys_need() -> None:
    script = "import sys, parlour.server.running; print('webauthn' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_without_a_command_help_is_shown() -> None:
    assert "Usage: parlour" in parlour().output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_there_for_the_usual_shells(shell: str) -> None:
    environ = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "true"}
    command = [*PARLOUR, "--show-completion", shell]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert "_COMPLETE" in done.stdout


def test_the_console_script_is_what_the_package_says_it_is() -> None:
    script = Path(sys.executable).parent / "parlour"
    done = subprocess.run([script, "version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"parlour {version('parlour')}\n"


# What nobody would write by hand

LONG = "a" * 5_000


@pytest.mark.parametrize(
    "command",
    [
        ("serve", "--store", "postgresql://["),
        ("nodes", "--store", "postgresql://["),
        ("drain", "--store", "postgresql://["),
        ("serve", "--bus", "nats://["),
        ("config", "--games", "[" * 5_000),
        ("config", "--config", LONG),
        ("serve", "--data", LONG),
        ("serve", "--packs", LONG),
        ("serve", "--word-list", LONG, "--data", ":memory:"),
        ("serve", "--tls-cert", LONG, "--tls-key", LONG),
        ("data", "check", "--data", LONG),
        ("data", "mend", "--data", LONG),
        ("data", "restore", LONG, "--data", "elsewhere"),
        ("data", "restore", "elsewhere", "--data", LONG),
        ("data", "move", LONG, "postgresql://localhost/x"),
        ("wcp", "user", "list", "--data", LONG),
        ("serve", "--word-list", "/dev/zero", "--data", ":memory:"),
        ("config", "--config", "/dev/zero"),
    ],
    ids=lambda command: " ".join(command)[:40],
)
def test_what_nobody_would_write_is_answered_with_one_short_sentence(
    command: tuple[str, ...],
) -> None:
    assert len(sentence(parlour(*command))) < 500


@pytest.mark.parametrize("toml", ["a = " + "[" * 5_000, "x = " + "{a=" * 3_000])
def test_a_file_that_is_nested_without_end_is_said_to_be(tmp_path: Path, toml: str) -> None:
    (tmp_path / "parlour.toml").write_text(toml)
    assert "nested too deeply" in sentence(parlour("config"))


def test_a_pack_whose_name_is_too_long_is_no_good() -> None:
    result = parlour("packs", "check", LONG)
    assert result.exit_code == 1
    assert "File name too long" in result.stdout


def test_a_word_list_that_nobody_writes_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "words")
    result = parlour("serve", "--word-list", "words", "--data", ":memory:")
    assert "The word list words is not there, or no regular file." in sentence(result)


def test_no_escapes_reach_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed comes from outside: names, answers, files."""
    evil = "\x1b]0;gone\x07\x1b[2J\x9b31m\u202eevil\r\x08"
    shown = sentence(parlour("config", "--config", evil))
    assert "�]0;gone�[2J�31m�evil" in shown
    assert not set(shown) & set("\x1b\x07\x9b\u202e\r\x08")
    # Where there are colours, they are still ours.
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = parlour("config", "--config", evil).stderr
    assert coloured.startswith("\x1b[1;31mparlour:\x1b[0m ")
    assert coloured.count("\x1b") == 2


def test_the_version_is_told_either_way() -> None:
    told = {parlour(word).stdout for word in ("version", "--version")}
    assert told == {f"parlour {version('parlour')}\n"}
