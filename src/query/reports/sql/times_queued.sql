-- When all devices of a rank pause before work that was launched already. Needs queued_pauses.
SELECT rank::BIGINT AS rank, begin_ns::BIGINT AS begin_ns, end_ns::BIGINT AS end_ns
FROM queued_pauses
ORDER BY 1, 2
