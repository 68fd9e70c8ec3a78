-- Needs memory_held.
SELECT rank, device_type, device, events, allocated, at_ns, reserved FROM memory_peaks
