"""Documents as stores have them."""
