"""From a source to a made data set: people's tables and svmlight, generated rows, Parquet."""
