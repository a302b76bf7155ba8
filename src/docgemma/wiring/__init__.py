"""The only place that reads settings and builds objects. Every door opens what it needs here and nowhere else."""
