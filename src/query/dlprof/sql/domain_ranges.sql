-- Push/pop ranges of NVTX with what is told of their domain.
CREATE OR REPLACE TEMP VIEW domain_ranges AS
SELECT r.*, d.chosen, d.of_tensorflow
FROM raw.nvtx_ranges r
JOIN raw.nvtx_attributes a ON a.id = r.attributes
JOIN chosen_domains d ON d.name = a.domain_name
WHERE a.type = range_style('push_pop')
