"""Setting a table up: procedures done once, and the physical sets that ship with the product."""
