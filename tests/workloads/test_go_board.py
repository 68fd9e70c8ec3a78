#!/usr/bin/env python3
"""The rules of Go of examples/workloads/go_board.py: what the workload of reinforcement learning plays."""

import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "workloads"))
from go_board import BLACK, EMPTY, WHITE, Board  # noqa: E402

STONES = {".": EMPTY, "x": BLACK, "o": WHITE}


def board(*rows, turn=BLACK):
    made = Board(len(rows))
    made.stones = [STONES[stone] for row in rows for stone in row]
    made.turn = turn
    return made


def rows(made):
    names = {value: name for name, value in STONES.items()}
    text = "".join(names[stone] for stone in made.stones)
    return [text[i:i + made.side] for i in range(0, len(text), made.side)]


class Rules(unittest.TestCase):
    def test_stones_without_a_free_point_beside_them_are_taken(self):
        made = board(".xx.", "xoo.", ".xx.", "....")
        self.assertTrue(made.play(7))
        self.assertEqual(rows(made), [".xx.", "x..x", ".xx.", "...."])
        self.assertEqual(made.turn, WHITE)

    def test_no_suicide(self):
        made = board(".x.", "x..", "...", turn=WHITE)
        self.assertFalse(made.play(0))
        self.assertEqual((rows(made), made.turn), ([".x.", "x..", "..."], WHITE))

    def test_taking_is_no_suicide(self):
        made = board(".xo", "xo.", "o..", turn=WHITE)
        self.assertTrue(made.play(0))
        self.assertEqual(rows(made), ["o.o", ".o.", "o.."])

    def test_the_position_before_may_not_come_back_at_once(self):
        made = board(".xo.", "xo.o", ".xo.", "....")
        self.assertTrue(made.play(6))  # takes the stone in the middle
        self.assertEqual(rows(made), [".xo.", "x.xo", ".xo.", "...."])
        self.assertFalse(made.play(5), "it would be taken back")
        self.assertTrue(made.play(15))
        self.assertTrue(made.play(12))
        self.assertTrue(made.play(5), "now the position is another one")

    def test_passing_changes_the_turn_alone(self):
        made = board("...", "...", "...")
        self.assertTrue(made.play(9))
        self.assertEqual((made.turn, made.moves, set(made.stones)), (WHITE, 1, {EMPTY}))

    def test_points(self):
        self.assertEqual(board(".x.o.", ".x.o.", ".x.o.", ".x.o.", ".x.o.").lead(), 0)
        self.assertEqual(board("..x..", "xxx..", ".....", "....o", "...oo").lead(), 4 + 2 - 3)
        self.assertEqual(board("...", ".x.", "...").lead(), 9)
        self.assertEqual(board("...", "...", "...").lead(), 0)

    def test_every_position_of_a_game_is_allowed(self):
        made, order = Board(5), random.Random(0)
        for _ in range(200):
            moves = list(range(25))
            order.shuffle(moves)
            made.play(next((m for m in moves if made.play(m)), 25))
            for point, stone in enumerate(made.stones):
                self.assertTrue(stone == EMPTY or made._group(made.stones, point)[1])
        self.assertEqual([len(row) for row in made.planes()], [25] * 17)


if __name__ == "__main__":
    unittest.main()
