-- An iteration that is warm-up on one rank counts as such on all: ranks wait for each other.
SELECT DISTINCT number FROM all_iterations WHERE warmup AND number BETWEEN $first AND $last ORDER BY number
