"""The folder that `fiche run` puts in front of PYTHONPATH; Python imports `sitecustomize` from it."""
