"""The command line as typed: results, files, one line for each mistake, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from differenzler_env import Game, Rules, __main__, __version__
from differenzler_env.cli import main
from differenzler_env.cli.common import write_json
from differenzler_env.cli.program import COMMANDS, usage_error

KEYS = {
    "hero", "field", "rules", "seed", "deals", "games", "penalty", "field_penalty", "difference",
    "bid_mean", "points_mean", "exact_share", "win_share", "floor", "illegal",
    "decisions_per_second",
}  # fmt: skip


def typed(capsys, *words):
    """Exit status, standard output and standard error of a command."""
    status = main(list(words))
    said = capsys.readouterr()
    return status, said.out, said.err


def test_evaluate_prints_a_table_and_writes_the_result(capsys, tmp_path):
    file = tmp_path / "out.json"
    words = "evaluate thumb --field random,thumb,constant?bid=40 --deals 6 --rules swisslos"
    status, out, err = typed(capsys, *words.split(), "--seed", "5", "--json", str(file))
    assert (status, err) == (0, "")
    assert "penalty a deal" in out
    assert "lower is better. The floor is " in out
    assert "8 deals, 32 games, seed 5" in out
    assert "forfeited" not in out
    document = json.loads(file.read_text())
    assert set(document) == KEYS | {"field_illegal", "faults"}
    assert document["hero"] == "thumb"
    assert document["field"] == ["constant?bid=40", "random", "thumb"]
    assert document["rules"] == Rules.swisslos().to_dict()
    assert (document["seed"], document["deals"], document["games"]) == (5, 8, 32)
    low, high = document["penalty"]["ci95"]
    assert low < document["penalty"]["mean"] < high
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.json"]


def test_the_same_command_gives_the_same_digits(capsys, tmp_path):
    documents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        file = tmp_path / name
        words = f"evaluate random --field thumb --deals 8 --seed {seed} --json {file}"
        assert typed(capsys, *words.split())[0] == 0
        documents.append(json.loads(file.read_text()))
        del documents[-1]["decisions_per_second"]
    assert documents[0] == documents[1]
    assert documents[0] != documents[2]


def test_a_player_that_errs_is_named(capsys):
    words = "evaluate players:RaisingDealer --field players:Answering?answer=158 --deals 4"
    status, out, err = typed(capsys, *words.split())
    assert status == 1
    assert "games forfeited by the agent" in out
    words = out.split("decisions a second")[1]
    error = "RuntimeError: no idea at all (players.py:"
    assert f"players:RaisingDealer forfeited games: it raised {error}" in words
    assert "chose C6, which is not legal" in words
    spec = "players:Answering?answer=158"
    assert err == f"differenzler: {spec} forfeited every game, so no play was measured\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "a command is missing; commands are evaluate, tournament"),
        ("", "; see differenzler --help"),
        ("evalute thumb", "there is no command 'evalute'"),
        ("evalute thumb", "; did you mean 'evaluate'?"),
        (
            "evaluate thumb --feild thumb",
            "did you mean '--field'? See differenzler evaluate --help",
        ),
        ("evaluate thumb --field thumb --deal=9", "no option '--deal'; did you mean '--deals'?"),
        ("evaluate --version", "there is no option '--version'; see differenzler evaluate"),
        ("evaluate thumb --field thumb --no_detail", "no option '--no-detail'"),
        ("evaluate thumb --field thumb --deals ten", "--deals: 'ten' is not a whole number"),
        ("watch --pace slow", "'slow' is not a number"),
        ("evaluate", "Missing from differenzler evaluate: AGENT, --field STR"),
        ("evaluate thumb", "--field"),
        ("evaluate thumb --field random --deals many", "--deals"),
        ("evaluate thumb --field random --deals 0", "deals is 0; allowed: 1 to 10,000,000"),
        ("tournament thumb random --deals 10000001", "deals is 10000001; allowed: 1 to 10,000,000"),
        ("selfplay thumb --out x.jsonl --deals 99999999999999999999", "allowed: 1 to 10,000,000"),
        ("evaluate thumb --field random --dealz 3", "--dealz"),
        ("evaluate thumb random --field random", "random"),
        ("evaluate thumb --field thumb,random", "4 seats needs 3 opponents"),
        ("evaluate thum --field random", "did you mean 'thumb'"),
        ("evaluate thumb --field random,,random", "a name is missing"),
        ("evaluate thumb --field random --rules poker", "'poker' is not a rule set"),
        ("evaluate thumb --field random --rules table?players=7", "players is 7; allowed"),
        ("evaluate thumb --field random --rules table?bits=7", "no setting 'bits'"),
        ("evaluate thumb --field random --seed -1", "seed is -1"),
        ("evaluate thumb --field random --workers 0", "workers is 0"),
        ("evaluate models/absent.safetensors --field random", "models/absent.safetensors"),
        ("evaluate thumb --field random --json /no/such/folder/out.json", "/no/such/folder"),
        ("evaluate thumb --field random --json .", "'.' is a folder"),
        ("deal --number 5", "number is 5; allowed: 1 to 4"),
        (f"replay {'long' * 99}", "File name too long"),
        ("deal --rules poker", "'poker' is not a rule set"),
        ("watch --plain --judge nix", "there is no agent 'nix'"),
        ("watch --plain --judge thumb", "a judge is a search"),
    ],
)
def test_a_mistake_is_answered_in_one_line(capsys, words, said):
    status, out, err = typed(capsys, *words.split())
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("differenzler: ")
    assert said in err
    assert "Traceback" not in err


def test_the_version_is_told(capsys):
    assert typed(capsys, "--version") == (0, f"differenzler {__version__}\n", "")


def test_help_is_there_for_each_command(capsys):
    for command in COMMANDS:
        status, out, err = typed(capsys, command, "--help")
        assert (status, err) == (0, "")
        assert f"usage: differenzler {command}" in out
        assert "--seed" in out or command == "export"  # which draws nothing
        assert command in typed(capsys, "--help")[1]


def test_deal_shows_what_an_environment_would_deal(capsys, tmp_path):
    file = tmp_path / "deal.json"
    words = f"deal --rules table --seed 3 --json {file}"
    status, out, _ = typed(capsys, *words.split())
    assert status == 0
    game = Game("table", seed=3)
    assert f"(turned up: {game.turned_up})" in out
    assert "dealer" in out
    again = Game.from_deal("table", **json.loads(file.read_text()))
    assert again.hands == game.hands
    assert (again.trump, again.dealer, again.turned_up) == (game.trump, game.dealer, game.turned_up)


def test_later_deals_of_a_match_are_shown(capsys, tmp_path):
    file = tmp_path / "deal.json"
    assert typed(capsys, *f"deal --seed 3 --number 4 --json {file}".split())[0] == 0
    game = Game(seed=3)
    while game.deal_number < 3:
        game.play(game.legal_actions()[-1])
    assert json.loads(file.read_text())["hands"] == game.hands


def test_a_usage_error_of_another_form_is_still_one_line():
    assert usage_error("") == "the arguments cannot be read"
    assert usage_error("╭─ Title ─╮\n│ One thing │\n│ ───── │\n│ another │\n╰──╯\n") == "One thing"


def test_a_usage_error_without_a_frame_is_read_as_well():
    plain = (
        " Required options\n ----\n  Missing from differenzler evaluate:\n      AGENT\n"
        "          the agent\n      --field STR\n          the others\n  ----\n  For help\n"
    )
    assert usage_error(plain) == "Missing from differenzler evaluate: AGENT, --field STR"


def test_a_file_is_whole_or_not_there(tmp_path):
    file = tmp_path / "out.json"
    write_json(file, {"a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(file, {"a": float("nan")})
    assert json.loads(file.read_text()) == {"a": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.json"]


@pytest.mark.parametrize("name", ["x" * 300, "no/x.json"])
def test_where_nothing_can_be_written_no_work_is_done(capsys, tmp_path, name):
    words = ["evaluate", "thumb", "--field", "random", "--deals", "100000000"]
    status, out, err = typed(capsys, *words, "--json", str(tmp_path / name))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_and_a_pipe_is_written_into(capsys, tmp_path):
    link, target, pipe = tmp_path / "link", tmp_path / "target", tmp_path / "pipe"
    target.write_text("old")
    link.symlink_to(target)
    assert typed(capsys, "deal", "--json", str(link))[0] == 0
    assert link.is_symlink()
    deal = target.read_text()
    assert json.loads(deal)["trump"] in "CDHS"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert typed(capsys, "deal", "--json", str(pipe))[0] == 0
    assert os.read(reader, 10_000).decode() == deal
    os.close(reader)


def test_another_failure_is_exit_status_1(capsys, monkeypatch):
    def fail(*arguments, **options):
        raise PermissionError(13, "Permission denied", "out.json")

    monkeypatch.setattr("differenzler_env.cli.common.write_json", fail)
    status, _, err = typed(capsys, "deal", "--seed", "1")
    assert (status, err) == (1, "differenzler: out.json: Permission denied\n")
    monkeypatch.setattr("differenzler_env.cli.common.write_json", lambda *_: 1 // 0)
    status, _, err = typed(capsys, "deal", "--seed", "1")
    assert (status, err.count("\n"), "ZeroDivisionError" in err) == (1, 1, True)


def test_a_pipe_is_not_replaced_by_a_file(capsys, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for words in (
        "selfplay thumb --deals 4 --out",
        "play --record",
        "watch --record",
        "evaluate thumb --field thumb --resume",
    ):
        status, _, err = typed(capsys, *words.split(), str(pipe))
        said = f"differenzler: {str(pipe)!r} is not a plain file, so it is not replaced\n"
        assert (status, err) == (2, said)
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


def test_a_terminal_of_unknown_width_gets_its_table(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    usual = typed(capsys, "deal", "--seed", "1")
    monkeypatch.setenv("COLUMNS", "0")
    assert typed(capsys, "deal", "--seed", "1") == usual
    assert "dealer" in usual[1]


def test_a_closed_standard_error_is_no_failure(capsys, monkeypatch):
    for words, status in ("evaluate thumb --field thumb --deals 4", 0), ("nothing", 2):
        monkeypatch.setattr(sys, "stderr", None)
        assert main(words.split()) == status
        sys.stderr.close()
        assert ("thumb at a table of" in capsys.readouterr().out) == (status == 0)


def command(*words, **options):
    """Runs the command line in a process of its own."""
    tests = str(Path(__file__).parent)
    environment = os.environ | {"PYTHONPATH": tests}
    return subprocess.run(
        [sys.executable, "-m", "differenzler_env", *words],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        **options,
    )


@pytest.mark.slow
def test_ctrl_c_ends_a_count_that_would_take_years():
    words = [sys.executable, "-m", "differenzler_env", "perft", "--depth", "36"]
    counting = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    with pytest.raises(subprocess.TimeoutExpired):
        counting.communicate(timeout=15)
    counting.send_signal(signal.SIGINT)
    _, err = counting.communicate(timeout=60)
    assert (counting.returncode, err) == (130, "differenzler: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "workers"), [("", 1), ("?parent=true", 2)])
def test_ctrl_c_ends_in_one_line(agent, workers):
    words = f"evaluate players:Interrupting{agent} --field thumb --deals 1000 --workers {workers}"
    done = command(*words.split())
    said = "differenzler: interrupted; with --resume FILE what has been played is kept\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)


@pytest.mark.slow
def test_an_interrupted_run_that_is_kept_says_how_it_goes_on(tmp_path):
    words = f"evaluate players:Interrupting --field thumb --deals 8 --resume {tmp_path / 'kept'}"
    done = command(*words.split())
    said = f"differenzler: interrupted; the same command goes on from {tmp_path / 'kept'}\n"
    assert (done.returncode, done.stderr) == (130, said)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the processes of Linux")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_command(end):
    words = "evaluate heuristic --field heuristic --deals 400000 --workers 2"
    process = subprocess.Popen([sys.executable, "-m", "differenzler_env", *words.split()])
    try:
        children = _wait_for(lambda: found if len(found := _workers(process.pid)) == 2 else None)
        process.send_signal(end)
        process.wait(60)
        assert _wait_for(lambda: not any(map(_alive, children)))
    finally:
        process.kill()


def _workers(parent):
    """The spawned children of a process that have begun to work."""
    pids = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_for(what, seconds=60):
    until = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < until
        time.sleep(0.2)
    return found


@pytest.mark.slow
def test_the_command_runs_from_a_shell_with_agents_of_the_working_directory(tmp_path):
    (tmp_path / "mine.py").write_text("def make(rules):\n    return lambda view, rng: 40\n")
    done = command(*"evaluate mine:make --field random --deals 4".split(), cwd=tmp_path)
    assert done.returncode == 1
    assert "mine:make at a table of random, random, random" in done.stdout
    assert "mine:make forfeited games: it chose bid 40, which is not legal" in done.stdout
    assert "mine:make forfeited every game" in done.stderr
    assert "deal" in command("deal", "--help").stdout
    assert __main__.main is main


@pytest.mark.slow
def test_a_reader_that_stops_is_no_failure():
    words = [sys.executable, "-m", "differenzler_env", "deal"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=120)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")
