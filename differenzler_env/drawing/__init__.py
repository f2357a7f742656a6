"""Drawing: a table as a list of shapes, which SVG and Pillow both draw."""

from .shapes import Drawing
from .svg import svg_text
from .table import table_drawing

__all__ = ["Drawing", "svg_text", "table_drawing"]
