"""The pages: order, follow, choose, operate. Server-rendered, over the API's own functions and streams."""
