SELECT id::INTEGER AS id, correlation::BIGINT AS correlation FROM raw.api_calls
