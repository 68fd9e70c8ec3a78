"""Who reaches whom in a graph of arrows {one: those that it points to}, and which of them stand in a circle."""


def reach(arrows, start):
    """All that `start` reaches, itself among them."""
    found, waiting = set(), [start]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += arrows.get(each, [])
    return found


def circles(arrows):
    """Each group that can be reached from each other, once."""
    reached = {one: reach(arrows, one) for one in arrows}
    found = {frozenset(b for b in reached[a] if a in reached.get(b, ())) for a in arrows}
    return sorted(sorted(group) for group in found if len(group) > 1)
