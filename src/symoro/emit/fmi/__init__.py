"""Functional Mock-up Units (FMU): variables, modelDescription.xml and C sources for FMI 2.0 and FMI 3.0.

    ode            a direct dynamic model as a system of differential equations
    variables      variables of the FMU with value references, start values and units
    description    modelDescription.xml and buildDescription.xml
    source         C source of the FMI functions around the emitted code

The binary is compiled, and the archive is written, in `symoro.bridges.fmu`.

Modelica Association, "Functional Mock-up Interface", versions 2.0.4 (2022) and 3.0.1 (2023), https://fmi-standard.org.
"""
