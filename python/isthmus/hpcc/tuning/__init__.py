"""The search for a benchmark's best configuration on a device (`isthmus hpcc tune`)."""
