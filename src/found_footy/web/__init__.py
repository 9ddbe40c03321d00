"""The face of the product: the page, the JSON API, the live stream and the clips themselves. It only reads."""
