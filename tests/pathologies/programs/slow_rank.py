"""Fault: of two ranks one has 20 ms more to do before each exchange of gradients. Fix: both have the same."""
import training_ranks


def main():
    training_ranks.run(__doc__, more_ms=lambda fixed: 0 if fixed else 20, at_once=lambda _: True)


if __name__ == "__main__":
    main()
