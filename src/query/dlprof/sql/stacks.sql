SELECT stack FROM distinct_stacks ORDER BY place
