"""The report as one HTML file that opens offline: markup, tables, charts and what moves them."""
