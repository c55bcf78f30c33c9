"""Base parameters: exactly for trees and linear loops, by sampled states for the others."""
