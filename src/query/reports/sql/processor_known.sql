SELECT EXISTS (FROM raw.device_models WHERE device = -1)
