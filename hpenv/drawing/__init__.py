"""One drawing of a table: as SVG, as pixels and as text."""
