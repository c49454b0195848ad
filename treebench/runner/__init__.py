"""Taking samples: workers started, watched, ended and made into rows."""
