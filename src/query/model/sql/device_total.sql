-- All that ops did on devices in the range.
SELECT sum(self_gpu_ns)::DOUBLE AS ns FROM sel_stats
