-- What the program tells of each NVTX domain: whether ops are taken from its ranges, and whether it is TensorFlow's.
CREATE OR REPLACE TEMP TABLE chosen_domains (name VARCHAR, chosen BOOLEAN, of_tensorflow BOOLEAN)
