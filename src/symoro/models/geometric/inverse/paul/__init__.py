"""Paul's method of inverse geometry: one unknown after another is solved from an equation of one of a few types."""
