"""General method of inverse geometry: six joints as a closed chain."""
