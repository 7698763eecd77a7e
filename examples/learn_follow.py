#!/usr/bin/env python3
"""A soft arm learns to follow a moving target with its tip: an evolution strategy on a batch of plants.

    examples/learn_follow.py [--seed 1] [--iterations 140] [--threads 2] [--out FOLDER]

The policy is linear: action = W [observation; 1].  In each iteration 16 policies are drawn around W and follow the same
four targets at once; W goes to the better half of them, whose spread becomes that of the next ones (CMA-ES).  Errors are
mean distances between tip and target over 32 episodes that are not used for learning.  Beside it stands a controller of fixed gain, action = k (target - tip), with the best k of a list.

Writes learn_follow.csv (iteration, error [m]) and learn_follow.svg.  The same seed gives the same curve to the last digit.
"""
import argparse
import csv
import os
import sys

import numpy as np

from tendril import envs

POLICIES, EPISODES, TESTS = 16, 4, 32  # policies in an iteration, episodes of each, episodes of the error
SIGMA = 0.3                            # deviation of the policies at the start
LOST = 0.1                             # error of a plant that failed [m]
GAINS = (0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8)


class Follow:
    """Policies that run at the same time, each through the same episodes."""

    def __init__(self, policies: int, episodes: int, threads: int) -> None:
        self.policies, self.episodes = policies, episodes
        self.env = envs.make("follow", policies * episodes, threads=threads)

    def errors(self, act, seed: int) -> np.ndarray:
        """Mean distance of each policy; act(observations): actions, policy after policy."""
        seeds = np.tile(seed + np.arange(self.episodes), self.policies)
        seen, _ = self.env.reset(seed=seeds)
        total, failed = np.zeros(len(seeds)), np.zeros(len(seeds), dtype=bool)
        for _ in range(self.env.steps):
            seen, reward, terminated, _, _ = self.env.step(act(seen))
            failed |= terminated  # the task has no other end: from there on, the error is that of a tip that has lost it
            total -= np.where(failed, -LOST, reward)
        return (total / self.env.steps).reshape(self.policies, self.episodes).mean(axis=1)


def linear(weights: np.ndarray, episodes: int):
    """The actions of policies with these weights (policies x actions x (observations + 1))."""
    def act(seen: np.ndarray) -> np.ndarray:
        x = np.concatenate([seen, np.ones((len(seen), 1))], axis=1).reshape(len(weights), episodes, -1)
        return np.einsum("pam,pem->pea", weights, x).reshape(len(seen), -1)
    return act


def baseline(test: Follow) -> tuple[float, float]:
    """The best of some fixed gains, and its error.  Observations have tip and target times ten."""
    def gain(k: float):
        return lambda seen: k * (seen[:, 4:6] - seen[:, 0:2])
    errors = [test.errors(gain(k), 10**6)[0] for k in GAINS]
    best = int(np.argmin(errors))
    return GAINS[best], float(errors[best])


def learn(seed: int, iterations: int, threads: int, test: Follow, every: int = 5, say=print) -> list[tuple[int, float]]:
    """The curve of one seed, (iteration, error) pairs, the first before learning: evolution with adaptation of the
    covariance (Hansen, The CMA evolution strategy: a tutorial, 2016)."""
    train = Follow(POLICIES, EPISODES, threads)
    random = np.random.default_rng(seed)
    shape = (train.env.single_action_space.shape[0], train.env.single_observation_space.shape[0] + 1)
    n = shape[0] * shape[1]

    # weights of the better half, and how fast mean, length and covariance follow them (eqs. 49 to 58)
    share = np.log(POLICIES / 2 + 0.5) - np.log(np.arange(1, POLICIES // 2 + 1))
    share /= share.sum()
    mu = 1 / (share**2).sum()
    c_s, c_c = (mu + 2) / (n + mu + 5), (4 + mu / n) / (n + 4 + 2 * mu / n)
    c_1 = 2 / ((n + 1.3) ** 2 + mu)
    c_mu = min(1 - c_1, 2 * (mu - 2 + 1 / mu) / ((n + 2) ** 2 + mu))
    damping = 1 + 2 * max(0, np.sqrt((mu - 1) / (n + 1)) - 1) + c_s
    expected = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))

    mean, sigma, C = np.zeros(n), SIGMA, np.eye(n)
    path_s, path_c, curve = np.zeros(n), np.zeros(n), []
    for k in range(iterations + 1):
        if k % every == 0 or k == iterations:
            curve.append((k, float(test.errors(linear(mean.reshape(1, *shape), TESTS), 10**6)[0])))
            say(f"seed {seed}  iteration {k:4d}  error {1e3 * curve[-1][1]:7.3f} mm")
        if k == iterations:
            break

        # policies around the mean, and the order of their errors.  The symmetric root of C does not depend on the
        # signs and the order of its eigenvectors, which differ between processors
        d, B = np.linalg.eigh(C)
        d = np.sqrt(np.maximum(d, 1e-20))
        step = random.standard_normal((POLICIES, n)) @ (B * d) @ B.T
        errors = train.errors(linear((mean + sigma * step).reshape(POLICIES, *shape), EPISODES), 10**4 * seed + EPISODES * k)
        best = step[np.argsort(errors, kind="stable")[:POLICIES // 2]]

        # the mean goes to the better half; the paths remember its steps, length and covariance follow them
        ahead = share @ best
        mean = mean + sigma * ahead
        path_s = (1 - c_s) * path_s + np.sqrt(c_s * (2 - c_s) * mu) * (B @ ((B.T @ ahead) / d))
        long = np.linalg.norm(path_s) / np.sqrt(1 - (1 - c_s) ** (2 * (k + 1)))
        goes_on = long < (1.4 + 2 / (n + 1)) * expected
        path_c = (1 - c_c) * path_c + goes_on * np.sqrt(c_c * (2 - c_c) * mu) * ahead
        sigma *= np.exp(c_s / damping * (np.linalg.norm(path_s) / expected - 1))
        C = ((1 - c_1 - c_mu + (not goes_on) * c_1 * c_c * (2 - c_c)) * C + c_1 * np.outer(path_c, path_c)
             + c_mu * (best.T * share) @ best)
    return curve


def draw(path: str, curves: dict[int, list[tuple[int, float]]], fixed: float) -> None:
    """The curves as SVG: error [mm] over iterations, logarithmic; the fixed gain is dashed."""
    width, height, left, bottom = 640, 400, 70, 50
    last = max(k for curve in curves.values() for k, _ in curve) or 1
    values = [e for curve in curves.values() for _, e in curve] + [fixed]
    low, high = np.log10(min(values)) - 0.05, np.log10(max(values)) + 0.05

    def place(k: float, e: float) -> str:
        return f"{left + (width - left - 20) * k / last:.1f},{20 + (height - 20 - bottom) * (high - np.log10(e)) / (high - low):.1f}"
    colours = ("#1b6ca8", "#c8553d", "#3a7d44", "#7a4d9f")
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for e in (0.5, 1, 2, 5, 10, 20, 50):
        if low <= np.log10(e * 1e-3) <= high:
            x, y = place(0, e * 1e-3).split(",")
            out.append(f'<path d="M{x} {y}H{width - 20}" stroke="#ddd"/><text x="{left - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{e:g}</text>')
    for k in np.linspace(0, last, 5):
        x, _ = place(k, 10**low).split(",")
        out.append(f'<text x="{x}" y="{height - bottom + 18}" text-anchor="middle">{k:g}</text>')
    a, b = place(0, fixed), place(last, fixed)
    out.append(f'<path d="M{a}L{b}" stroke="#555" stroke-dasharray="6 4"/><text x="{width - 24}" y="{float(b.split(",")[1]) - 6:.1f}" '
               'text-anchor="end" fill="#555">best fixed gain</text>')
    for i, (seed, curve) in enumerate(sorted(curves.items())):
        colour = colours[i % len(colours)]
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(place(k, e) for k, e in curve)}"/>'
                   f'<text x="{width - 24}" y="{40 + 16 * i}" text-anchor="end" fill="{colour}">seed {seed}</text>')
    out += [f'<text x="{(left + width) / 2}" y="{height - 12}" text-anchor="middle">iteration</text>',
            f'<text x="18" y="{height / 2}" transform="rotate(-90 18 {height / 2})" text-anchor="middle">mean distance of tip and target [mm]</text>',
            "</svg>"]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--seed", default="1", help="one, or several separated by commas")
    p.add_argument("--iterations", type=int, default=140)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--out", default=".")
    o = p.parse_args()
    os.makedirs(o.out, exist_ok=True)
    test = Follow(1, TESTS, o.threads)
    gain, fixed = baseline(test)
    print(f"best fixed gain {gain:g}: error {1e3 * fixed:.3f} mm")
    curves = {int(s): learn(int(s), o.iterations, o.threads, test) for s in o.seed.split(",")}
    with open(os.path.join(o.out, "learn_follow.csv"), "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(["seed", "iteration", "error", "fixed_gain"])
        writer.writerows([seed, k, repr(e), repr(fixed)] for seed, curve in curves.items() for k, e in curve)
    draw(os.path.join(o.out, "learn_follow.svg"), curves, fixed)
    for seed, curve in curves.items():
        print(f"seed {seed}: {1e3 * curve[0][1]:.3f} mm before, {1e3 * curve[-1][1]:.3f} mm after learning "
              f"({100 * curve[-1][1] / curve[0][1]:.1f} %), fixed gain {1e3 * fixed:.3f} mm")
    return 0


if __name__ == "__main__":
    sys.exit(main())
