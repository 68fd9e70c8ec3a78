SELECT id::INTEGER, gpu_ns::BIGINT, device::INTEGER FROM raw.op_work
