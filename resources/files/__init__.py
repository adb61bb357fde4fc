"""The files of orders: stored, fetched, checked, shown in pages, and linked to."""
