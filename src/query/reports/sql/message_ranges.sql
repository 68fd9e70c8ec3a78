-- Calls of MPI and UCX that were recorded as NVTX ranges.
SELECT count(*)
FROM raw.nvtx_ranges v
JOIN raw.nvtx_attributes k ON k.id = v.attributes
WHERE k.domain_name IN ('MPI', 'UCX')
