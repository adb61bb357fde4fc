"""HTTP clients that connect to checked addresses only."""
