"""Base inertial parameters: exact for trees and loops with a linear closure, from sampled states for other loops."""
