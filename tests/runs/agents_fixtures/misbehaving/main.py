"""A HAL agent that does what its task's first word, or its argument `how`, says."""
# ruff: noqa: T201

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time


def run(input, how=None, **kwargs):
    ((task_id, task),) = input.items()
    return globals()[how or task["prompt"].split()[0]](task_id, task, **kwargs)


def gives(task_id, task, answer):
    return {task_id: answer}


def raises(task_id, task):
    raise ValueError("no such country")


def hangs(task_id, task):
    print("before the wait")
    time.sleep(600)


def hangs_deaf(task_id, task):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        time.sleep(1)


def prints(task_id, task):
    print(json.dumps({"answer": "printed"}))
    print("and a warning", file=sys.stderr)
    sys.stdout.buffer.write(b"\xff\xfe bytes\n")
    return {task_id: "Paris"}


def floods(task_id, task, megabytes):
    for _ in range(megabytes):
        os.write(1, b"x" * 1_000_000)
    print("the end")
    return {task_id: "Paris"}


def returns_list(task_id, task):
    return ["Paris"]


def returns_nothing(task_id, task):
    return None


def misses(task_id, task):
    return {"another": "Paris", 7: "Rome"}


def misses_all(task_id, task):
    return {}


def returns_set(task_id, task):
    return {task_id: {"Paris"}}


def returns_loop(task_id, task):
    loop = []
    loop.append(loop)
    return {task_id: loop}


def exits(task_id, task):
    os._exit(3)


def exits_politely(task_id, task):
    sys.exit(4)


def refused(task_id, task):
    raise ConnectionRefusedError("nobody is there")


def out_of_memory(task_id, task):
    os.kill(os.getpid(), signal.SIGKILL)


def crashes(task_id, task):
    os.kill(os.getpid(), signal.SIGSEGV)


def swallows(task_id, task):
    return {task_id: "ERROR: 429 Too many requests"}


def answers_null(task_id, task):
    return {task_id: None}


def half_a_character(task_id, task):
    return {task_id: "Paris \ud83d"}


def shows_task(task_id, task):
    return {task_id: json.dumps(task, sort_keys=True)}


def says_where(task_id, task):
    with open("written", "w", encoding="utf-8") as file:
        file.write(task_id)
    return {task_id: json.dumps([os.getcwd(), sys.executable, sys.path[0]])}


def leaves_children(task_id, task, folder):
    """One child in the group, one that left it; each notes its pid."""
    for number, away in enumerate((False, True)):
        child = subprocess.Popen(["sleep", "600"], start_new_session=away)
        with open(os.path.join(folder, f"pid{number}"), "w", encoding="utf-8") as file:
            file.write(str(child.pid))
    forked = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,))
    forked.start()
    with open(os.path.join(folder, "pid2"), "w", encoding="utf-8") as file:
        file.write(str(forked.pid))
    multiprocessing.process._children.clear()
    return {task_id: "Paris"}


def notes_pid_and_hangs(task_id, task, folder):
    with open(os.path.join(folder, "pid"), "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    time.sleep(600)


def leaves_a_thread(task_id, task):
    threading.Thread(target=time.sleep, args=(600,)).start()
    return {task_id: "Paris"}


def counts_itself(task_id, task):
    return {task_id: {"answer": "Paris", "metrics": {"step_count": 3}}}


def adds_a_response(task_id, task):
    task["response"] = "Paris"
    return {task_id: task}


not_a_function = 3
