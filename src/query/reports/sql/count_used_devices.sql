SELECT (SELECT count(*) FROM physical_devices) AS used, count(*) FILTER (WHERE NOT worked) AS unused,
       EXISTS (FROM raw.devices WHERE declared) AS listed
FROM used_devices
