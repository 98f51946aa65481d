"""What a person would write without us: pandas and seaborn, the three figures, nothing else.

python benchmarks/plain_seaborn_report.py TABLE.parquet FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

MOST = 10


def draw(table: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    sns.set_theme(style="whitegrid")
    rows = pd.read_parquet(table, columns=["model", "id", "variant", "score"])
    wordings = rows.groupby(["model", "id", "variant"], sort=False)["score"].mean()
    by_item = wordings.groupby(level=["model", "id"], sort=False).agg(["mean", "var", "min", "max"])
    items = by_item.reset_index().rename(columns={"model": "agent", "mean": "mean_score", "var": "variance"})
    items["gap"] = items["max"] - items["min"]
    agents = items.groupby("agent", sort=False)[["mean_score", "variance", "gap"]].mean().reset_index()
    agents["s_prompt"] = 1 - agents["variance"]

    figure, axes = plt.subplots(2, 2, figsize=(12, 9))
    for axis, (column, title) in zip(
        axes.flat[:3],
        (("s_prompt", "S_prompt"), ("variance", "Mean variance"), ("gap", "Mean min-max gap")),
        strict=True,
    ):
        sns.barplot(data=agents, x=column, y="agent", hue="agent", ax=axis, errorbar=None)
        axis.set_title(title)
    sns.scatterplot(data=agents, x="mean_score", y="s_prompt", hue="agent", s=120, ax=axes.flat[3])
    axes.flat[3].set_title("Performance against sensitivity")
    figure.tight_layout()
    figure.savefig(folder / "sensitivity_comparison.png", dpi=150)

    figure, axes = plt.subplots(1, 2, figsize=(12, 4.5))
    sns.histplot(data=items, x="variance", hue="agent", bins=10, multiple="dodge", ax=axes[0])
    sns.boxplot(data=items, x="gap", y="agent", hue="agent", ax=axes[1])
    figure.tight_layout()
    figure.savefig(folder / "task_sensitivity_distribution.png", dpi=150)

    names = list(agents["agent"])
    figure, axes = plt.subplots(len(names), 1, figsize=(9, 3.6 * len(names)), squeeze=False)
    for axis, name in zip(axes.flat, names, strict=True):
        most = items[items["agent"] == name].nlargest(MOST, "variance")
        sns.barplot(data=most, x="variance", y="id", color="tab:blue", ax=axis, errorbar=None)
        axis.set_title(name)
    figure.tight_layout()
    figure.savefig(folder / "most_sensitive_tasks.png", dpi=150)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
