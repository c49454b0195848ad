"""What a person sees: units, tables, charts and pages, from what `analysis` knows."""
