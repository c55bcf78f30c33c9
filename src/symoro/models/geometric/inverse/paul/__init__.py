"""Paul's method: equations of a few types, solved for one unknown after another."""
