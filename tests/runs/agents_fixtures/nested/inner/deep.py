def answer(input, **kwargs):
    return {task_id: task["prompt"].upper() for task_id, task in input.items()}
