-- Whether the profile has a name of that kind that matches $pattern: most patterns match none, and names are few.
SELECT CASE $of WHEN 'ops' THEN EXISTS (FROM raw.op_identities WHERE regexp_matches(name, $pattern))
                WHEN 'kernels' THEN EXISTS (FROM raw.kernel_names WHERE regexp_matches(name, $pattern))
                ELSE EXISTS (FROM raw.strings WHERE regexp_matches(text, $pattern)) END AS has
