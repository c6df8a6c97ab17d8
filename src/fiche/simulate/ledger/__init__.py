"""What a simulated run asks of a device's memory, when, and on whose account."""
