"""Makes a data folder of AppWorld's shape with AppWorld's own models: `PYTHON appworld_folder.py FOLDER`.

Run by an interpreter that has `appworld` (unpacked with `appworld install`). One person, empty apps, and a
task that is solved by answering 7.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

TASK = "abc1234_1"
PERSON = {
    "first_name": "Ada",
    "last_name": "Example",
    "email": "ada@example.com",
    "phone_number": "5550100",
}
INSTRUCTION = "How many songs are in my Spotify queue?"
EVALUATION = """
import json

def evaluate(test, public_data, private_data, main_user, models, ground_truth_answer):
    with test("assert answers match."):
        test.answer(json.loads(models.end.supervisor.Task.all()[0].answer), ground_truth_answer)
"""
TRUTH: dict[str, Any] = {
    "metadata": {
        "difficulty": 1,
        "mode": "minimal",
        **dict.fromkeys(("num_apps", "num_apis", "num_api_calls", "num_solution_code_lines"), 1),
    },
    "public_data": {},
    "private_data": {},
    "answer": "7",
    "required_apps": ["spotify"],
    "test_data": [{"requirement": "assert answers match.", "label": "no_op_fail"}],
}


def write_listing_and_specs(root: Path, db_version: str, instruction: str = INSTRUCTION) -> None:
    datasets, task = root / "data" / "datasets", root / "data" / "tasks" / TASK
    datasets.mkdir(parents=True)
    task.mkdir(parents=True)
    (datasets / "test_normal.txt").write_text(f"{TASK}\n", encoding="utf-8")
    specs = {
        "instruction": instruction,
        "supervisor": PERSON,
        "datetime": "2023-05-18T12:00:00",
        "db_version": db_version,
    }
    (task / "specs.json").write_text(json.dumps(specs), encoding="utf-8")


def main(root: Path) -> None:
    os.environ["APPWORLD_ROOT"] = str(root)
    from appworld.apps import get_all_apps
    from appworld.collections.api_docs import ApiDocCollection
    from appworld.collections.models import ModelCollection
    from appworld.common.constants import DB_VERSION

    write_listing_and_specs(root, DB_VERSION)
    docs = root / "data" / "api_docs" / "standard"
    docs.mkdir(parents=True)
    for app, apis in ApiDocCollection.build().items():
        marked = {name: {**doc, "canary_string": ""} for name, doc in apis.items()}
        (docs / f"{app}.json").write_text(json.dumps(marked, default=str), encoding="utf-8")
    truth = root / "data" / "tasks" / TASK / "ground_truth"
    truth.mkdir()
    for name, content in TRUTH.items():
        (truth / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (truth / "evaluation.py").write_text(EVALUATION, encoding="utf-8")
    apps = list(get_all_apps())
    for folder in ("base_dbs", "new"):
        home = root / "data" / folder
        home.mkdir()
        models = ModelCollection.load(
            to_db_home_path=str(home), from_db_home_path=str(home), load_apps=apps, create_db=True
        )
    models.admin.MainUser(**PERSON, birthday="1990-01-01", sex="female").save()
    models.supervisor.Supervisor(**PERSON, birthday="1990-01-01", sex="female").save()
    models.supervisor.Task(supervisor_id=1, instruction=INSTRUCTION).save()
    models.save(str(root / "data" / "tasks" / TASK / "dbs"), format="full", app_names=apps)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
