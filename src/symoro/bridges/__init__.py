"""Models as functions of other packages: one file per package, imported when it is requested."""
