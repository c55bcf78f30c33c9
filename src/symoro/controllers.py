"""Controllers for `symoro.simulate`: functions tau(t, state) that return the torques of the coordinates.

law = symoro.controllers.computed_torque(robot, trajectory, kp=400, kd=40)
symoro.simulate(robot, 2.0, q="home", tau=law)
"""

from symoro.simulation.computed_torque import ComputedTorque as ComputedTorque
from symoro.simulation.computed_torque import computed_torque as computed_torque
from symoro.simulation.mechanics import Controller as Controller
from symoro.simulation.mechanics import State as State

__all__ = ["ComputedTorque", "Controller", "State", "computed_torque"]
