-- Kernels of products and convolutions without Tensor Cores by the floats that they work on: how long they take, of
-- that depthwise convolutions, and products with a vector. $products: ids of such ops, joined by commas.
SELECT floats, sum(dur_ns)::BIGINT AS ns,
       coalesce(sum(dur_ns) FILTER (WHERE form = 'depthwise'), 0)::BIGINT AS depthwise_ns,
       coalesce(sum(dur_ns) FILTER (WHERE form = 'vector'), 0)::BIGINT AS vector_ns
FROM without_tensor_cores
WHERE op IN (SELECT TRY_CAST(x AS INTEGER) FROM unnest(string_split($products, ',')) u(x) WHERE x <> '')
GROUP BY floats
