-- Whether a process told how long its threads waited for a processor.
SELECT EXISTS (FROM raw.meta WHERE key = 'property.run_queue')
