"""Pictures of robots and charts of results, as SVG text (PNG with the extra `png`).

symoro.pictures.write_picture(robot, "robot.svg")
text = symoro.pictures.svg(symoro.pictures.draw(robot, view="side"))
text = symoro.pictures.simulation_chart(symoro.simulate(robot, 2.0, q="home"))
"""

from symoro.ui.charts import simulation_chart as simulation_chart
from symoro.ui.charts import torque_chart as torque_chart
from symoro.ui.plot import Series as Series
from symoro.ui.plot import line_chart as line_chart
from symoro.ui.render import draw as draw
from symoro.ui.render import png as png
from symoro.ui.render import svg as svg
from symoro.ui.render import write_picture as write_picture
from symoro.ui.residual_charts import charts as identification_charts
from symoro.ui.residual_charts import residual_charts as residual_charts

__all__ = [
    "Series",
    "draw",
    "identification_charts",
    "line_chart",
    "png",
    "residual_charts",
    "simulation_chart",
    "svg",
    "torque_chart",
    "write_picture",
]
