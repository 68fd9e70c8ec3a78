SELECT count(*) FROM sel_device WHERE kind = device_kind('kernel')
