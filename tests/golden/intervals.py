"""Sets of times as sorted lists of disjoint [begin, end) pairs."""


def merge(pairs):
    merged = []
    for begin, end in sorted(pairs):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        elif end > begin:
            merged.append([begin, end])
    return merged


def length(merged):
    return sum(end - begin for begin, end in merged)


def intersect(first, second):
    """Both arguments merged."""
    common, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        begin, end = max(first[i][0], second[j][0]), min(first[i][1], second[j][1])
        if begin < end:
            common.append([begin, end])
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return common


def subtract(first, second):
    """What of `first` lies outside `second`; both merged."""
    left, j = [], 0
    for begin, end in first:
        while j < len(second) and second[j][1] <= begin:
            j += 1
        k = j
        while k < len(second) and second[k][0] < end:
            if second[k][0] > begin:
                left.append([begin, second[k][0]])
            begin = max(begin, second[k][1])
            k += 1
        if begin < end:
            left.append([begin, end])
    return left
