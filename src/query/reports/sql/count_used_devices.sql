SELECT (SELECT count(*) FROM physical_devices) AS used, count(*) FILTER (WHERE NOT worked) AS unused FROM used_devices
