"""Base inertial parameters: computed exactly for trees and linear loops, from sampled states for other loops."""
