"""Parameters from measured motions: logs, preparation of signals, estimators, statistics."""
