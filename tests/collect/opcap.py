"""Reads the CUDA records of a capture, by the layout that src/wire/cuda.h tells: independent of Opsight's reader."""
import collections
import struct

CHUNK, HEADER = 64 * 1024, 4096
STRING, PROPERTY = 1, 9
# Name, struct format after the record header, fields; "-" is left out.
RECORDS = {
    25: ("device", "I 2I 2I 5I 2I 2I 2I 3I 3I 3I I 2Q 2Q 16s 16s 3I 2I 4B HH",
         "device major minor sm_count copy_engines warp warps_per_sm blocks_per_sm threads_per_sm threads_per_block "
         "registers_per_sm registers_per_block shared_per_sm shared_per_block shared_optin shared_reserved bx by bz "
         "gx gy gz constant l2 bus_bits max_ipc clock_hz memory_clock_hz memory_bytes bandwidth uuid mig_uuid "
         "pci_domain pci_bus pci_device gpu_instance compute_instance ecc mig has_pci ecc_known length -"),
    26: ("context", "4I H 2B", "context device null_stream parent sm_count api green"),
    27: ("stream", "2I i 2I", "context stream priority flag correlation"),
    28: ("api", "I 2Q 2I i 2H", "name begin end thread correlation result cbid domain"),
    29: ("kernel_kind", "2I 3I 3I 3I I 2I I 2I I I Q 8B 2I",
         "id name gx gy gz bx by bz cx cy cz policy max_cluster active_clusters registers static_shared "
         "dynamic_shared executed_shared local_per_thread local_total launch cache_requested cache_executed "
         "shared_bank carveout_requested carveout shared_optin from_device - -"),
    30: ("kernel", "I 5Q q Q I 3I I I B 7s",
         "kind begin end queued submitted completed grid_id graph_node graph device context stream correlation "
         "channel channel_type -"),
    31: ("copy", "4B 5Q 7I 3I 3B 5s",
         "copy_kind from_kind to_kind flags begin end bytes count graph_node graph device context stream "
         "correlation channel from_device from_context to_device to_context channel_type between from_device_code -"),
    32: ("set", "I 4Q 6I 4B I", "value begin end bytes graph_node graph device context stream correlation channel "
         "memory_kind flags channel_type from_device_code -"),
    33: ("sync", "I 3Q 4I i I", "type begin end event_sync context stream event correlation result -"),
    34: ("event", "I 2Q 4I", "event event_sync device_time device context stream correlation"),
    35: ("memory", "4B 8Q 4I 2I", "what memory_kind is_async pool_kind time address bytes code_address pool pool_bytes "
         "pool_used pool_threshold device context stream correlation name source"),
    36: ("pool", "4B 6Q 2I", "what pool_kind managed - time address bytes used threshold kept device correlation"),
    38: ("overhead", "I 2Q 4I 2I", "kind begin end object a b c correlation -"),
    39: ("jit", "I 4Q 6I", "entry begin end id bytes operation device correlation path thread -"),
    41: ("external", "I Q 2I", "kind external correlation -"),
    42: ("graph", "I 3Q 4I", "what time node original_node graph original_graph thread node_type"),
    43: ("module", "I 3Q 2I", "module time bytes content context whole"),
    44: ("module_bytes", "I 2Q", "length content offset"),
    45: ("dropped", "I 2Q 2I", "what time count kind -"),
    46: ("clock", "I 3Q", "times cupti before after"),
    47: ("state", "I Q i 2H", "state time result length -"),
    48: ("range", "I 2Q", "- begin end"),
    49: ("handle", "I 2Q 2I", "what time handle context stream"),
}
BLOBS = ("device", "module_bytes", "state")


def _layout(text, fields):
    # The compiler's padding: all structs begin after a header of 4 bytes.
    return struct.Struct("@4x" + text.replace(" ", "")), [name.strip() for name in fields.split()]


LAYOUTS = {number: (name, *_layout(text, fields)) for number, (name, text, fields) in RECORDS.items()}


class Capture:
    """`records[name]` lists dicts; names of kernels and calls are filled in as texts."""

    def __init__(self, path):
        data = path.read_bytes()
        self.finished = struct.unpack_from("<I", data, data_place("finished"))[0] == 1
        self.lost = struct.unpack_from("<Q", data, data_place("lost"))[0]
        self.records, self.properties, self.texts, self.order = collections.defaultdict(list), {}, {}, []
        for at in range(HEADER, len(data) - 24, CHUNK):
            magic, _, _, _, used, _ = struct.unpack_from("<6I", data, at)
            if magic == 0x4B4E4843:
                self._chunk(data[at:at + used])
        for row in self.records["kernel"]:
            row["shape"] = next((k for k in self.records["kernel_kind"] if k["id"] == row["kind"]), None)
            row["name"] = row["shape"]["name"] if row["shape"] else None

    def _chunk(self, chunk):
        at = 24
        while at + 4 <= len(chunk):
            number, size = struct.unpack_from("<HH", chunk, at)
            self._record(number, chunk[at:at + size])
            at += size

    def _record(self, number, record):
        if number in (STRING, PROPERTY):
            identity, _, length = struct.unpack_from("<IIH", record, 4)
            text = record[16:16 + length].decode()
            if number == STRING:
                self.texts[identity] = text
            else:
                key, _, value = text.partition("\0")
                self.properties[key] = value
            return
        if number not in LAYOUTS:
            assert number < min(LAYOUTS), number  # of other libraries
            return
        name, layout, fields = LAYOUTS[number]
        row = {key: value for key, value in zip(fields, layout.unpack_from(record), strict=True) if key != "-"}
        if name in BLOBS:
            start = -(-layout.size // 8) * 8
            row["blob"] = record[start:start + row["length"]]
        if name in ("kernel_kind", "api"):
            row["name"] = self.texts.get(row["name"])
        if name in ("memory",):
            row["source"] = self.texts.get(row["source"])
        self.records[name].append(row)
        self.order.append(name)

    def __getitem__(self, name):
        return self.records[name]

    def states(self):
        return {row["state"]: row["blob"].decode() for row in self.records["state"]}


def data_place(field):
    # FileHeader: magic 8, five numbers, clock, two pids, snapshot of 4 x 8 bytes, chunks, threads, lost, finished.
    begin = 8 + 4 * 5 + 4 + 4 * 2
    chunks = begin + 32
    return {"lost": chunks + 8, "finished": chunks + 16}[field]
