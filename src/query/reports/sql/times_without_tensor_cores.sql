-- When kernels of products and convolutions run without Tensor Cores, but for those that memory bounds and that have 16
-- bits or less already. $products: ids of such ops, joined by commas.
SELECT t.rank::BIGINT AS rank, k.begin_ns::BIGINT AS begin_ns, (k.begin_ns + k.dur_ns)::BIGINT AS end_ns
FROM without_tensor_cores k
JOIN raw.tracks t ON t.id = k.track
WHERE NOT (k.floats = 'narrow' AND k.form <> '')
  AND k.op IN (SELECT TRY_CAST(x AS INTEGER) FROM unnest(string_split($products, ',')) u(x) WHERE x <> '')
