"""Arguments, clock, paths, stdout and exit codes: the only room that calls all the others."""
