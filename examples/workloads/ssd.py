"""SSD300, a detector: finds and names the objects in a picture by one network, of VGG-16 and eight more layers.

    python3 examples/workloads/ssd.py --batch 2
    opsight profile -- python3 examples/workloads/ssd.py --size full --batch 1 --infer

Liu and others: SSD: Single Shot MultiBox Detector (2015), as for 20 classes of PASCAL VOC: 8732 boxes, 26.3 million
parameters. Training matches boxes with objects and looks for hard negatives; inference keeps the best of boxes that
overlap.
"""
import torch
from torch import nn

import common

KINDS = 21  # none, and 20 classes
PIXELS = 300
OBJECTS = 3  # in each picture
# Cells of a side of each map, size of its boxes in pixels and of the next map's, their proportions.
MAPS = ((38, 30, 60, (2,)), (19, 60, 111, (2, 3)), (10, 111, 162, (2, 3)), (5, 162, 213, (2, 3)), (3, 213, 264, (2,)),
        (1, 264, 315, (2,)))


def boxes_of_maps():
    """(8732, 4): middle, width and height of every box, as parts of the picture."""
    boxes = []
    for cells, size, next_size, proportions in MAPS:
        sides = [(size, size), ((size * next_size) ** 0.5,) * 2]
        for p in proportions:
            sides += [(size * p**0.5, size / p**0.5), (size / p**0.5, size * p**0.5)]
        for row in range(cells):
            for column in range(cells):
                middle = (column + 0.5) / cells, (row + 0.5) / cells
                boxes += [(*middle, width / PIXELS, height / PIXELS) for width, height in sides]
    return torch.tensor(boxes).clamp(0, 1)


def corners(boxes):
    return torch.cat([boxes[..., :2] - boxes[..., 2:] / 2, boxes[..., :2] + boxes[..., 2:] / 2], -1)


def overlap(a, b):
    """Intersection over union of corners a (..., n, 4) with b (..., m, 4): (..., n, m)."""
    low = torch.maximum(a[..., :, None, :2], b[..., None, :, :2])
    high = torch.minimum(a[..., :, None, 2:], b[..., None, :, 2:])
    both = (high - low).clamp(min=0).prod(-1)
    areas = [(x[..., 2:] - x[..., :2]).prod(-1) for x in (a, b)]
    return both / (areas[0][..., :, None] + areas[1][..., None, :] - both)


class Scale(nn.Module):
    """Brings each place's channels to one length, which it learns."""

    def __init__(self, channels):
        super().__init__()
        self.length = nn.Parameter(torch.full((channels,), 20.0))

    def forward(self, x):
        return nn.functional.normalize(x) * self.length[:, None, None]


def convs(*layers):
    """Each layer: channels that go in and come out, size of the filter, and what else nn.Conv2d takes."""
    made = []
    for inputs, outputs, size, more in layers:
        made += [nn.Conv2d(inputs, outputs, size, **more), nn.ReLU(inplace=True)]
    return nn.Sequential(*made)


class SSD(nn.Module):
    """`width` scales channels: 1 is the published network."""

    def __init__(self, width=1.0):
        super().__init__()
        c64, c128, c256, c512, c1024 = (int(n * width) for n in (64, 128, 256, 512, 1024))
        same = {"padding": 1}
        self.conv1 = convs((3, c64, 3, same), (c64, c64, 3, same))
        self.conv2 = convs((c64, c128, 3, same), (c128, c128, 3, same))
        self.conv3 = convs((c128, c256, 3, same), (c256, c256, 3, same), (c256, c256, 3, same))
        self.conv4 = convs((c256, c512, 3, same), (c512, c512, 3, same), (c512, c512, 3, same))
        self.conv5 = convs((c512, c512, 3, same), (c512, c512, 3, same), (c512, c512, 3, same))
        self.pool = nn.MaxPool2d(2, ceil_mode=True)
        self.pool5 = nn.MaxPool2d(3, stride=1, padding=1)
        self.conv6 = convs((c512, c1024, 3, {"padding": 6, "dilation": 6}))
        self.conv7 = convs((c1024, c1024, 1, {}))
        half = {"padding": 1, "stride": 2}
        self.conv8 = convs((c1024, c256, 1, {}), (c256, c512, 3, half))
        self.conv9 = convs((c512, c128, 1, {}), (c128, c256, 3, half))
        self.conv10 = convs((c256, c128, 1, {}), (c128, c256, 3, {}))
        self.conv11 = convs((c256, c128, 1, {}), (c128, c256, 3, {}))
        self.scale4 = Scale(c512)
        channels = (c512, c1024, c512, c256, c256, c256)
        each = [2 + 2 * len(proportions) for _, _, _, proportions in MAPS]  # boxes of a cell
        self.places = nn.ModuleList(nn.Conv2d(c, 4 * n, 3, padding=1) for c, n in zip(channels, each))
        self.kinds = nn.ModuleList(nn.Conv2d(c, KINDS * n, 3, padding=1) for c, n in zip(channels, each))

    def maps(self, x):
        x = self.pool(self.conv2(self.pool(self.conv1(x))))
        x = self.conv4(self.pool(self.conv3(x)))
        yield self.scale4(x)
        x = self.conv7(self.conv6(self.pool5(self.conv5(self.pool(x)))))
        yield x
        for layer in (self.conv8, self.conv9, self.conv10, self.conv11):
            x = layer(x)
            yield x

    def forward(self, pictures):
        """Places (batch, boxes, 4), as offsets from those of the maps' boxes, and scores (batch, boxes, kinds)."""
        found = []
        for x, places, kinds in zip(self.maps(pictures), self.places, self.kinds):
            found.append([y.permute(0, 2, 3, 1).flatten(1) for y in (places(x), kinds(x))])
        places, scores = (torch.cat(parts, 1) for parts in zip(*found))
        return places.unflatten(1, (-1, 4)), scores.unflatten(1, (-1, KINDS))


class Detector(common.Workload):
    def __init__(self, model, batch, device):
        super().__init__(model, batch)
        self.boxes = boxes_of_maps().to(device)

    def sample(self, random):
        places = torch.rand(OBJECTS, 4, generator=random) * 0.5 + 0.25
        kinds = torch.randint(1, KINDS, (OBJECTS,), generator=random)
        return torch.randn(3, PIXELS, PIXELS, generator=random), places, kinds

    def match(self, places, kinds):
        """What each box should find: its object's place (batch, boxes, 4) and kind, 0 where there is none."""
        common_part = overlap(corners(self.boxes), corners(places))
        best, which = common_part.max(2)
        of_object = common_part.argmax(1)  # each object has at least the box that fits it best
        best.scatter_(1, of_object, 1.0)
        which.scatter_(1, of_object, torch.arange(OBJECTS, device=which.device).expand_as(of_object))
        wanted = places.gather(1, which[..., None].expand(-1, -1, 4))
        return wanted, kinds.gather(1, which).masked_fill(best < 0.5, 0)

    def loss(self, model, batch):
        pictures, objects, names = batch
        places, scores = model(pictures)
        wanted, kinds = self.match(objects, names)
        offsets = torch.cat([(wanted[..., :2] - self.boxes[:, :2]) / self.boxes[:, 2:] / 0.1,
                             torch.log(wanted[..., 2:] / self.boxes[:, 2:]) / 0.2], -1)
        objects_there = kinds > 0
        place_loss = nn.functional.smooth_l1_loss(places[objects_there], offsets[objects_there], reduction="sum")
        each = nn.functional.cross_entropy(scores.transpose(1, 2), kinds, reduction="none")
        number = objects_there.sum(1, keepdim=True)
        # Of the boxes without an object the worst count, three for each with one.
        rank = each.detach().masked_fill(objects_there, 0).sort(1, descending=True).indices.argsort(1)
        kind_loss = each[objects_there | (rank < 3 * number)].sum()
        return (place_loss + kind_loss) / number.sum()

    def infer(self, model, batch):
        places, scores = model(batch[0])
        middle = self.boxes[:, :2] + places[..., :2] * 0.1 * self.boxes[:, 2:]
        found = corners(torch.cat([middle, self.boxes[:, 2:] * torch.exp(places[..., 2:] * 0.2)], -1))
        chances = torch.softmax(scores, -1)[..., 1:]
        return [best_of(*picture) for picture in zip(found, chances)]


def best_of(boxes, chances, keep=200, limit=0.45):
    """Numbers of (box, kind) without those that a better one of its kind covers: non-maximum suppression."""
    order = chances.flatten().topk(keep).indices
    kinds = order % chances.shape[1]
    chosen = boxes[order // chances.shape[1]]
    covers = (overlap(chosen, chosen) > limit) & (kinds[:, None] == kinds)
    kept = []
    for i, covered_by in enumerate(covers.cpu().tolist()):
        if not any(covered_by[k] for k in kept):
            kept.append(i)
    return order[torch.tensor(kept, device=order.device)]


def build(args):
    if args.size == "full":
        return Detector(SSD(), 8, args.device)
    return Detector(SSD(width=0.125), 2, args.device)


if __name__ == "__main__":
    common.run(__doc__, build)
