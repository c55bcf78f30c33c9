"""The velocity equations of closed loops: which rows they have, and how they are solved for the passive joints."""
