-- Graphs of the device's work that were recorded as one piece.
SELECT count(*) FROM sel_device WHERE kind = device_kind('graph')
