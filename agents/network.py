"""The network of `learned` and of its critic: a few layers from an observation to logits or a value."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from hpenv.agents.row_sums import RowSums
from hpenv.observation import HIDDEN_SIZE, LAYOUT, OBSERVATION_SIZE

# What each numeric piece is divided by, so that every input is of the order of one.
SCALES = {
    "played_in": 6,
    "tricks": 6,
    "tricks_played": 6,
    "score": 10,
    "points": 6,
    "deals_played": 20,
    "hand_size": 6,
    "target": 10,
    "max_deals": 100,
}


def input_scale() -> Tensor:
    """The factor of each input, shape (F,)."""
    scale = torch.ones(OBSERVATION_SIZE)
    for name, divisor in SCALES.items():
        scale[LAYOUT[name]] = 1 / divisor
    return scale


class Network(nn.Module):
    """Hidden layers of `hidden_sizes` units, from F or F + H numbers to `outputs`.

    forward: observations (B, F) int8 and, for a critic that sees all cards, hidden (B, H) int8, to
    (B, outputs) float32. Layers run in the weights' own type, or in `precision` if it is given. On a
    CPU in float32 the first layer is a sum of rows (`hpenv.agents.row_sums`), else a matrix product.
    """

    scale: Tensor

    def __init__(self, outputs: int, hidden_sizes: Sequence[int], hidden: bool = False) -> None:
        super().__init__()
        self.sizes = [OBSERVATION_SIZE + HIDDEN_SIZE * hidden, *hidden_sizes, outputs]
        pairs = zip(self.sizes[:-1], self.sizes[1:], strict=True)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairs)
        scale = torch.cat([input_scale(), torch.ones(HIDDEN_SIZE * hidden)])
        self.register_buffer("scale", scale, persistent=False)
        for layer in self.layers:
            nn.init.orthogonal_(layer.weight, 2**0.5)  # type: ignore[arg-type]
            nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
        nn.init.orthogonal_(self.layers[-1].weight, 0.01)  # type: ignore[arg-type]
        first = self.layers[0]
        assert isinstance(first, nn.Linear)
        # In memory the weights of an input lie next to each other: they are the rows that are summed.
        first.weight = nn.Parameter(first.weight.detach().t().contiguous().t())

    def grow_from(self, smaller: Mapping[str, Tensor]) -> None:
        """Compute what a network with as many layers, none of them wider, computes.

        Its weights are taken over; the units that it does not have begin with no effect. Raises
        ValueError.
        """
        mine = self.state_dict()
        shapes = {name: tuple(weight.shape) for name, weight in smaller.items()}
        fits = shapes.keys() == mine.keys() and all(
            len(shape) == mine[name].dim()
            and all(a <= b for a, b in zip(shape, mine[name].shape, strict=True))
            for name, shape in shapes.items()
        )
        first, last = "layers.0.weight", f"layers.{len(self.layers) - 1}.weight"
        if not fits or shapes[first][1] != self.sizes[0] or shapes[last][0] != self.sizes[-1]:
            raise ValueError(f"its layers {list(shapes.values())} do not fit into {self.sizes}")
        with torch.no_grad():
            for name, weight in smaller.items():
                if weight.dim() == 1:
                    mine[name][: len(weight)] = weight
                else:
                    outputs, inputs = weight.shape
                    mine[name][:outputs, :inputs] = weight
                    mine[name][:outputs, inputs:] = 0

    def forward(
        self, observations: Tensor, hidden: Tensor | None = None, precision: Any = None
    ) -> Tensor:
        first = self.layers[0]
        assert isinstance(first, nn.Linear)
        precision = precision or first.weight.dtype
        if precision == torch.float32 and observations.device.type == "cpu":
            x: Tensor = RowSums.apply(  # type: ignore[no-untyped-call]
                observations, hidden, first.weight.t(), first.bias, self.scale
            )
        else:
            x = observations if hidden is None else torch.cat([observations, hidden], 1)
            # Scaling the first weights is scaling the inputs, and there are fewer of them.
            weight = (first.weight * self.scale).to(precision)
            x = functional.linear(x.to(precision), weight, first.bias.to(precision))
        for layer in self.layers[1:]:
            assert isinstance(layer, nn.Linear)
            x = functional.relu(x, inplace=True)
            x = functional.linear(x, layer.weight.to(precision), layer.bias.to(precision))
        return x.float()


def masked_logprobs(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities (N, A) of the legal actions, bool (N, A); illegal ones get a very low but
    finite number, so that nothing is ever NaN, not even if no action were legal."""
    return functional.log_softmax(logits.masked_fill(~legal, -1e9), 1)
