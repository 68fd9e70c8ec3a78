"""Fault: the training process reads its pictures itself, one after the other. Fix: four workers read ahead.

Reading takes 3 ms of waiting for each picture.
"""
import training_remote


def main():
    training_remote.run(__doc__, wait_ms=3, workers=lambda fixed: 4 if fixed else 0)


if __name__ == "__main__":
    main()
