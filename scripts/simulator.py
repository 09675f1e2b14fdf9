"""Has a program of the build measure jobs: JSON in, JSON out."""
import concurrent.futures
import json
import os
import subprocess


class Simulator:
    """Runs jobs, each once, several at a time."""

    def __init__(self, program):
        self.program = program
        self.done = {}

    def run(self, jobs):
        texts = sorted({json.dumps(job, sort_keys=True) for job in jobs} - self.done.keys())
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for text, result in zip(texts, pool.map(self.measure, texts)):
                self.done[text] = result

    def measure(self, text):
        environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        done = subprocess.run([self.program], input=text, capture_output=True, text=True, check=False,
                              env=environment)
        if done.returncode != 0:
            raise SystemExit(f"{self.program}: {done.stderr.strip()} for {text}")
        return json.loads(done.stdout)

    def result(self, job):
        self.run([job])
        return self.done[json.dumps(job, sort_keys=True)]
