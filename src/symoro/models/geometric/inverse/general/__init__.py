"""The general method: six joints as a closed chain."""
