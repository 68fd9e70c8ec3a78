"""The game of Go for go_zero.py: rules of a board (no suicide, no repetition of the last position), and its points."""
EMPTY, BLACK, WHITE = 0, 1, -1


class Board:
    def __init__(self, side):
        self.side = side
        self.stones = [EMPTY] * side**2
        self.turn = BLACK
        self.moves = 0
        self.before = None  # the position before the last move
        self.history = []
        self.next_to = [list(self._next_to(point)) for point in range(side**2)]

    def _next_to(self, point):
        row, column = divmod(point, self.side)
        for y, x in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= y < self.side and 0 <= x < self.side:
                yield y * self.side + x

    def _group(self, stones, point):
        """The points of one colour that hang together with `point`, and whether an empty one is beside any."""
        colour, group, alive, ahead = stones[point], {point}, False, [point]
        while ahead:
            for other in self.next_to[ahead.pop()]:
                if stones[other] == colour:
                    if other not in group:
                        group.add(other)
                        ahead.append(other)
                elif stones[other] == EMPTY:
                    alive = True
        return group, alive

    def play(self, point):
        """Puts a stone, or passes where `point` is the number of points. False: the rules forbid it."""
        stones = list(self.stones)
        if point < len(stones):
            if stones[point] != EMPTY:
                return False
            stones[point] = self.turn
            for other in self.next_to[point]:
                if stones[other] == -self.turn:
                    group, alive = self._group(stones, other)
                    for taken in () if alive else group:
                        stones[taken] = EMPTY
            if not self._group(stones, point)[1] or stones == self.before:
                return False
        self.before = self.stones
        self.history = [self.stones, *self.history][:7]
        self.stones = stones
        self.turn = -self.turn
        self.moves += 1
        return True

    def lead(self):
        """Points of black less those of white: stones, and empty regions that touch one colour alone."""
        total, seen = sum(self.stones), set()
        for point, stone in enumerate(self.stones):
            if stone != EMPTY or point in seen:
                continue
            region, _ = self._group(self.stones, point)
            seen |= region
            beside = {self.stones[other] for inner in region for other in self.next_to[inner]} - {EMPTY}
            if len(beside) == 1:
                total += beside.pop() * len(region)
        return total

    def planes(self):
        """17 rows of points: where the player's and the other's stones were in the last 8 positions, and the colour."""
        rows = []
        for colour in (self.turn, -self.turn):
            for position in [self.stones, *self.history]:
                rows.append([float(stone == colour) for stone in position])
            rows += [[0.0] * len(self.stones)] * (7 - len(self.history))
        return [*rows, [float(self.turn == BLACK)] * len(self.stones)]
