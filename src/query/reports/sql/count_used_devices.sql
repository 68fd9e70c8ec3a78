SELECT count(*) FILTER (WHERE worked) AS used, count(*) FILTER (WHERE NOT worked) AS unused FROM used_devices
