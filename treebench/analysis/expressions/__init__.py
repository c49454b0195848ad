"""What people expect of figures: `fit_time(hist) < 0.3 * fit_time(exact)`."""
