"""The pages: order, follow, choose, operate. Server-rendered; they stand on the API's own functions and streams."""
