"""Programs around the service: the demo and the benchmarks."""
