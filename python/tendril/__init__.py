"""Tendril: models of rigid and soft robots, analysed, simulated and controlled.

    import tendril

    robot = tendril.load("pendulum.m", m=2)     # a model, with another value for its param m
    rest = robot.equilibrium()                  # rest.state, rest.stable
    print(robot.modes(rest.state).frequency)    # Hz
    run = robot.simulate(t_final=2)             # run.t, run.q, run["tip_x"]

    plant = robot.plant()                       # run it step by step
    for k in range(1, 101):
        plant.step(0.01 * k, F=-3 * plant["angle"])

Everything is NumPy arrays; errors of the tool become `tendril.Error` with its message.
"""

from .batch import Batch
from .linear import Linear
from .results import Equations, Equilibrium, Fit, Gradient, Modes, Trajectory, Trust
from .robot import Plant, Robot, State, load, loads
from ._library import Error, version

__all__ = ["Batch", "Equations", "Equilibrium", "Error", "Fit", "Gradient", "Linear", "Modes", "Plant", "Robot", "State", "Trajectory", "Trust",
           "load", "loads", "version"]
__version__ = version()
