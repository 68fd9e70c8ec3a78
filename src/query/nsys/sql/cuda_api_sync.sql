SELECT a.dur_ns, a.begin_ns + $offset_ns AS start_ns, t.pid, t.tid, n.text AS call
FROM st_api a
JOIN raw.strings n ON n.id = a.name
JOIN raw.tracks t ON t.id = a.track
WHERE n.text IN ('cudaDeviceSynchronize', 'cudaStreamSynchronize', 'cudaThreadSynchronize', 'cuCtxSynchronize',
                 'cuStreamSynchronize', 'cudaStreamSynchronize_ptsz', 'cuStreamSynchronize_ptsz')
ORDER BY a.dur_ns DESC, a.begin_ns, a.id
LIMIT $rows
