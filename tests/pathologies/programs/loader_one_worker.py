"""Fault: one worker cannot keep up with the training. Fix: six of them.

Reading takes 8 ms of waiting for each picture.
"""
import training_remote


def main():
    training_remote.run(__doc__, wait_ms=8, workers=lambda fixed: 6 if fixed else 1)


if __name__ == "__main__":
    main()
