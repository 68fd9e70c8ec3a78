SELECT track, begin_ns FROM raw.api_calls WHERE id = $id
