-- Whether a text belongs to instances themselves, not to their kernel or op.
SELECT EXISTS (FROM raw.signatures WHERE contains(lower(concrete), lower($text)))
