"""Paul's method: equations of a few types, one unknown after the other."""
