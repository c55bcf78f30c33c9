"""General method of inverse geometry: six joints of any type as a closed kinematic chain."""
