"""What every room uses: numbers, order, characters, JSON, checks of arguments, logs."""
