"""Fault: every step starts a command that tells how the machine is, and waits for it. Fix: once, at the end."""
import subprocess

import training


def main():
    chosen = training.options(__doc__)
    trainer = training.Trainer()

    def look():
        subprocess.run(["sh", "-c", "cat /proc/loadavg; sleep 0.02"], stdout=subprocess.DEVNULL, check=True)

    def step(batch):
        trainer.step(batch)
        if not chosen.fixed:
            look()

    training.train(training.same_batch(chosen), step)
    look()


if __name__ == "__main__":
    main()
