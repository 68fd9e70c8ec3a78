"""GPT-2, which goes on with a text: training, and inference with a cache of keys and values.

    python3 examples/workloads/gpt.py --train
    python3 examples/workloads/gpt.py --infer --phase decode --prompt 32
    opsight profile -- python3 examples/workloads/gpt.py --size full --infer --phase prefill --batch 1

Radford and others: Language Models are Unsupervised Multitask Learners (2019): the small network, of 12 layers, 768
channels and 12 heads: 124 million parameters. With --infer a step is, by --phase,
  prefill   a pass over the prompts
  decode    a pass over one token of each text; the prompts have their pass before the first step
  generate  a pass over the prompts and --tokens - 1 over one token (default)
"""
import torch
from torch import nn

import common
from attention import join_heads, split_heads, weighted


class Cache:
    """Keys and values of all layers, for the tokens that were seen."""

    def __init__(self, layers, longest):
        self.layers, self.longest, self.length, self.kept = layers, longest, 0, None

    def add(self, layer, keys, values):
        """All keys and values of that layer, with these behind them."""
        batch, heads, new, width = keys.shape
        if self.kept is None:
            self.kept = keys.new_zeros(self.layers, 2, batch, heads, self.longest, width)
        end = self.length + new
        self.kept[layer, 0, :, :, self.length : end] = keys
        self.kept[layer, 1, :, :, self.length : end] = values
        return self.kept[layer, :, :, :, :end]


class SelfAttention(nn.Module):
    def __init__(self, channels, heads, number):
        super().__init__()
        self.heads, self.number = heads, number
        self.qkv = nn.Linear(channels, 3 * channels)
        self.out = nn.Linear(channels, channels)

    def forward(self, x, cache=None):
        q, k, v = (split_heads(part, self.heads) for part in self.qkv(x).chunk(3, 2))
        if cache is not None:
            k, v = cache.add(self.number, k, v)
        return self.out(join_heads(weighted(q, k, v, causal=q.shape[2] > 1)))


class Layer(nn.Module):
    def __init__(self, channels, heads, number):
        super().__init__()
        self.norm1 = nn.LayerNorm(channels)
        self.attention = SelfAttention(channels, heads, number)
        self.norm2 = nn.LayerNorm(channels)
        self.feed = nn.Sequential(nn.Linear(channels, 4 * channels), nn.GELU(), nn.Linear(4 * channels, channels))
        self.drop = nn.Dropout(0.1)

    def forward(self, x, cache=None):
        x = x + self.drop(self.attention(self.norm1(x), cache))
        return x + self.drop(self.feed(self.norm2(x)))


class GPT(nn.Module):
    def __init__(self, tokens=50257, channels=768, heads=12, layers=12, longest=1024):
        super().__init__()
        self.longest = longest
        self.words = nn.Embedding(tokens, channels)
        self.places = nn.Embedding(longest, channels)
        self.drop = nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer(channels, heads, i) for i in range(layers))
        self.norm = nn.LayerNorm(channels)

    def forward(self, tokens, cache=None):
        """(batch, length) -> scores (batch, length, tokens); with a cache of the last token alone. The vectors of the
        words are also the weights of the scores."""
        begin = cache.length if cache is not None else 0
        places = torch.arange(begin, begin + tokens.shape[1], device=tokens.device)
        x = self.drop(self.words(tokens) + self.places(places))
        for layer in self.layers:
            x = layer(x, cache)
        if cache is not None:
            cache.length += tokens.shape[1]
            x = x[:, -1:]
        return nn.functional.linear(self.norm(x), self.words.weight)


class Text(common.Workload):
    def __init__(self, model, batch, prompt, args):
        super().__init__(model, batch)
        self.network, self.prompt, self.phase, self.tokens = model, prompt, args.phase, args.tokens
        self.longest = prompt + (args.steps if args.phase == "decode" else args.tokens)
        if args.infer and self.longest > model.longest:
            raise SystemExit(f"gpt.py: a prompt of {prompt} and the tokens behind it are {self.longest},"
                             f" the network takes {model.longest}: take fewer --steps or --tokens")

    def sample(self, random):
        return (torch.randint(len(self.network.words.weight), (self.prompt + 1,), generator=random),)

    def loss(self, model, batch):
        scores = model(batch[0][:, :-1])
        return nn.functional.cross_entropy(scores.flatten(0, 1), batch[0][:, 1:].flatten())

    def optimizer(self, parameters):
        return torch.optim.AdamW(parameters, lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1)

    def prefill(self, model, batch):
        self.cache = Cache(len(self.network.layers), self.longest)
        self.last = model(batch[0][:, :-1], self.cache).argmax(2)

    def decode(self, model):
        self.last = model(self.last, self.cache).argmax(2)

    def before_inference(self, model, batch):
        if self.phase == "decode":
            self.prefill(model, batch)

    def infer(self, model, batch):
        if self.phase == "decode":
            self.decode(model)
            return
        self.prefill(model, batch)
        for _ in range(self.tokens - 1 if self.phase == "generate" else 0):
            self.decode(model)


def options(parser):
    parser.add_argument("--prompt", type=common.positive,
                        help="tokens of a prompt, or of a text in training (full: 128)")
    parser.add_argument("--phase", choices=["prefill", "decode", "generate"], default="generate")
    parser.add_argument("--tokens", type=common.positive, default=8, help="to generate in a step (default: 8)")


def build(args):
    if args.size == "full":
        return Text(GPT(), 4, args.prompt or 128, args)
    return Text(GPT(500, 64, 4, 4, longest=128), 2, args.prompt or 16, args)


if __name__ == "__main__":
    common.run(__doc__, build, options)
