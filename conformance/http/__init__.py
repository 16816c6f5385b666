"""Both HTTP services, started as real servers: what tests and the measurement of load ask."""
