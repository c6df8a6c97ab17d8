"""The words of a report: `en` is the source, and `Language` the form that every language has."""
