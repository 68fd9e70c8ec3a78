SELECT text AS nvtx_text, domain AS nvtx_domain, coalesce(category_name, category::VARCHAR) AS nvtx_category,
       payload AS nvtx_payload
FROM nvtx_ranges
WHERE id = $id AND begin_ns = $begin_ns AND track = $track
