"""Where agents differ, and their opinions as pictures."""
