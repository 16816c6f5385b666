"""Times the reference and the Ruby port against named anchors, in one run, as ratios."""
