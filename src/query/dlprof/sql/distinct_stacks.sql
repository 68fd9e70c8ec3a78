CREATE OR REPLACE TEMP VIEW distinct_stacks AS
SELECT stack, row_number() OVER (ORDER BY stack) - 1 AS place
FROM (SELECT DISTINCT stack FROM raw.op_extras WHERE stack <> '')
