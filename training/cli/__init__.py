"""The command `hpenv`."""
