"""The vocabulary of the product. Standard library only; imported by everyone, imports nobody."""
