"""Attention of several heads, written out: for transformer.py, bert.py and gpt.py."""
import math

import torch
from torch import nn


def weighted(queries, keys, values, causal=False):
    """softmax(Q K^T / sqrt(d)) V over (batch, heads, length, width). `causal`: a query sees no keys behind its own
    place, the last query being at the place of the last key."""
    if hasattr(nn.functional, "scaled_dot_product_attention") and (not causal or queries.shape[2] == keys.shape[2]):
        return nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=causal)
    scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[3])
    if causal:
        length, seen = scores.shape[2:]
        hidden = torch.ones(length, seen, dtype=torch.bool, device=scores.device).triu(seen - length + 1)
        scores = scores.masked_fill(hidden, -math.inf)
    return torch.softmax(scores, 3) @ values


def split_heads(x, heads):
    """(batch, length, channels) -> (batch, heads, length, width)"""
    return x.unflatten(2, (heads, -1)).transpose(1, 2)


def join_heads(x):
    return x.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(channels, channels)
        self.key = nn.Linear(channels, channels)
        self.value = nn.Linear(channels, channels)
        self.out = nn.Linear(channels, channels)

    def forward(self, x, seen=None, causal=False):
        """x: (batch, length, channels) looks at `seen`, by default at itself."""
        seen = x if seen is None else seen
        q, k, v = self.query(x), self.key(seen), self.value(seen)
        q, k, v = (split_heads(part, self.heads) for part in (q, k, v))
        return self.out(join_heads(weighted(q, k, v, causal)))
