CREATE OR REPLACE TEMP TABLE known_levels (
    model VARCHAR, place INTEGER, name VARCHAR, bandwidth DOUBLE, shared BOOLEAN, estimate VARCHAR, source VARCHAR
);

CREATE OR REPLACE TEMP VIEW sel_levels AS
FROM known_levels WHERE model IN (SELECT model FROM raw.device_models)
