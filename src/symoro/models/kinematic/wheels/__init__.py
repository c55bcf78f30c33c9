"""Wheeled (nonholonomic) robots: rolling constraints of the base and the joints."""
