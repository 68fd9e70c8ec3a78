-- Calls of MPI and UCX on the host, as calls or as NVTX ranges.
SELECT (SELECT count(*) FROM raw.other_spans WHERE kind = host_kind('message'))
       + (SELECT count(*) FROM raw.nvtx_ranges v
          JOIN raw.nvtx_attributes k ON k.id = v.attributes
          WHERE k.domain_name IN ('MPI', 'UCX')) AS calls
